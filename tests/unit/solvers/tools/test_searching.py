"""`search_document`: offered where a part of a document is shown; what it finds the other tools can read."""

from typing import Any

from long_filing import a_long_filing
from word_excerpts import WordExcerpts

from quaestor.conversation.memory import Memory
from quaestor.evaluation.excerpting import ShownParts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.searching import SearchResult
from quaestor.solvers.tools.toolbox import TOOLS, Toolbox

FILING = a_long_filing()
KNOWLEDGE = GraphProvider.of([FILING], "extend")
SALES = {"property": "products", "filters": {"year": "2023"}}
DEBT = {"property": "amount", "filters": {"table": 5, "row": 4, "column": 1}}


def turn(question: str) -> TurnContext:
    shown = ShownParts(FILING, KNOWLEDGE, WordExcerpts(FILING), None).of(read_question(question), Memory())
    return TurnContext(
        shown.excerpt.document, Memory(), shown.graph, KNOWLEDGE.ontology, weights=shown.excerpt.weights,
        search=shown.search,
    )  # fmt: skip


def toolbox(context: TurnContext) -> Toolbox:
    def search(query: str) -> SearchResult:
        blocks = context.widen(query)
        return SearchResult(blocks, context.document, context.graph)

    return Toolbox(context.graph, context.ontology, context.memory, context.note_call, search)


def call(box: Toolbox, tool: str, **arguments: Any) -> dict[str, Any]:
    return box.call(tool, arguments)


def test_it_is_offered_on_excerpts_only() -> None:
    context = turn("what were net sales of products?")
    assert "search_document" not in Toolbox(context.graph, context.ontology, Memory()).tools
    assert call(Toolbox(context.graph, context.ontology, Memory()), "search_document", query="debt")["success"] is False
    assert list(toolbox(context).tools) == [*TOOLS, "search_document"]


def test_what_is_found_can_be_read_by_the_next_call_and_earlier_steps_stay() -> None:
    context = turn("what were net sales of products?")
    box = toolbox(context)
    assert call(box, "query_kg", **SALES)["value"] == 640
    assert call(box, "query_kg", filters={"table": 5, "row": 4, "column": 1})["success"] is False
    (place,) = call(box, "search_document", query="debt principal amount thereafter")["places"]
    assert (place["table"], place["page"], place["columns"]) == (5, 37, ["amount"])
    assert "thereafter" in place["rows"]
    assert place["section"].endswith("Note 7. Debt")
    read = call(box, "query_kg", filters={"table": 5, "row": 4, "column": 1})
    assert (read["value"], read["step"]) == (143750, 2)
    assert [table.index for table in context.document.tables] == [0, 5]
    assert [made.tool for made in context.tool_calls] == ["query_kg", "query_kg", "search_document", "query_kg"]


def test_a_search_without_words_is_refused() -> None:
    assert call(toolbox(turn("net sales?")), "search_document")["success"] is False


def test_text_is_looked_for_in_all_of_the_document() -> None:
    context = turn("what were net sales of products?")
    whole = SearchResult((), FILING, KNOWLEDGE.graph(FILING))
    box = Toolbox(context.graph, context.ontology, Memory(), search=lambda _: whole)
    assert call(box, "find_in_text", words="company employees", unit="employees")["step"] == 1
    missed = call(box, "find_in_text", words="zeppelins moored")
    assert missed["success"] is False
    assert "All of the document was searched" in missed["error"]
