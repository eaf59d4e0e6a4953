"""`search_document`: offered for excerpts of a document; other tools can read its results."""

from typing import Any

from long_filing import a_long_filing
from word_excerpts import WordExcerpts

from quaestor.conversation.turn import Memory
from quaestor.evaluation.context_selection import ContextSelector
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.base import Excerpt, Query, TurnContext, WidenedExcerpt
from quaestor.solvers.tools.toolbox import TOOLS, Toolbox, format_places

FILING = a_long_filing()
KNOWLEDGE = GraphProvider.of([FILING], "extend")
SALES = {"property": "products", "filters": {"year": "2023"}}


def turn(question: str) -> TurnContext:
    shown = ContextSelector(FILING, KNOWLEDGE, WordExcerpts(FILING), None).select(read_question(question), Memory())
    return TurnContext(shown.excerpt.document, Memory(), shown.graph, KNOWLEDGE.ontology, search=shown.search)


def toolbox(context: TurnContext) -> Toolbox:
    def search(query: Query) -> WidenedExcerpt:
        blocks = context.widen(query)
        return WidenedExcerpt(Excerpt(context.document), context.graph, blocks)

    return Toolbox(context.graph, context.ontology, context.memory, context.note_call, search)


def call(box: Toolbox, tool: str, **arguments: Any) -> dict[str, Any]:
    return box.call(tool, arguments)


def test_search_is_offered_only_for_excerpts() -> None:
    context = turn("what were net sales of products?")
    assert "search_document" not in Toolbox(context.graph, context.ontology, Memory()).tools
    assert call(Toolbox(context.graph, context.ontology, Memory()), "search_document", query="debt")["success"] is False
    assert list(toolbox(context).tools) == [*TOOLS, "search_document"]


def test_search_result_can_be_read_by_the_next_call_and_earlier_steps_are_kept() -> None:
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
    assert [call.tool for call in context.tool_calls] == ["query_kg", "query_kg", "search_document", "query_kg"]


def test_text_is_looked_for_in_all_of_the_document() -> None:
    context = turn("what were net sales of products?")
    whole = WidenedExcerpt(Excerpt(FILING), KNOWLEDGE.graph(FILING), ())
    box = Toolbox(context.graph, context.ontology, Memory(), search=lambda _: whole)
    assert call(box, "find_in_text", words="company employees", unit="employees")["step"] == 1
    missed = call(box, "find_in_text", words="zeppelins moored")
    assert missed["success"] is False
    assert "All of the document was searched" in missed["error"]


def test_sentences_are_found_wherever_they_have_the_words() -> None:
    context = turn("what were net sales of products?")
    box = toolbox(context)
    read = call(box, "find_in_text", words="the provision consisted of")
    assert [found["sentence"] for found in read["sentences"]] == [
        "the provision for income taxes consisted of the following :"
    ]
    known = len(context.document.blocks)
    assert call(box, "find_in_text", words="provision for income taxes") == read
    assert len(context.document.blocks) == known


def test_a_section_is_read_whole_with_its_rows_as_printed() -> None:
    context = turn("what were net sales of products?")
    box = toolbox(context)
    read = call(box, "search_document", section="Note 7")
    assert [place.get("table") for place in read["places"][:2]] == [None, 5]
    assert read["places"][0]["text"] == "future principal payments of the notes are as follows :"
    assert read["places"][1]["rows"][-1] == "total | $ 210000"
    assert call(box, "query_kg", filters={"table": 5, "row": 4, "column": 1})["value"] == 143750
    assert call(box, "search_document", section="Note 99")["success"] is False


def test_a_long_section_is_read_in_parts() -> None:
    box = toolbox(turn("what were net sales of products?"))
    read = call(box, "search_document", section="Part II")
    assert read["cut"].startswith("part 1 of ")
    first, last = (call(box, "search_document", section="Part II", part=part)["places"] for part in (1, 2))
    assert first == read["places"] != last
    assert call(box, "search_document", section="Part II", part=99)["success"] is False


def test_long_passages_and_lists_are_cut_with_a_note() -> None:
    context = turn("net sales?")
    blocks = [block for block in FILING.blocks if len(getattr(block.content, "sentences", ())) > 30][:1]
    blocks += [block for block in FILING.blocks if len(getattr(block.content, "rows", ())) > 14][:1]
    found = format_places(WidenedExcerpt(Excerpt(FILING), context.graph, blocks), "total net sales")
    passage, table = found.places  # type: ignore[union-attr]
    assert passage.text.endswith(" .")
    assert "more sentences" in passage.cut
    assert len(table.rows) == 12
    assert "total net sales" in table.rows
    assert table.cut.startswith("2 more rows")


def test_a_search_for_nothing_is_refused() -> None:
    assert call(toolbox(turn("net sales?")), "search_document", part=2)["success"] is False
