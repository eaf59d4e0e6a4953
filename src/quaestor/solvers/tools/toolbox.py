"""Registry of the tools, with the search of a long document, and the toolbox of a solver for one turn.

Every call returns a result or a refusal with a suggestion; no error escapes.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Generic, TypeVar

from pydantic import JsonValue, ValidationError

from quaestor.conversation.turn import Memory, ToolCall
from quaestor.core import serial
from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.documents.document import Block, Document, SectionHeading
from quaestor.documents.table import Table
from quaestor.errors import PlanError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.structured.schema import plain_schema
from quaestor.llm.tracing import tool_span
from quaestor.ontology.ontology import Ontology
from quaestor.retrieval.document_parts import Reading, SentenceQuery, section_parts
from quaestor.solvers.base import Query, WidenedExcerpt
from quaestor.solvers.tools.arithmetic import calculate
from quaestor.solvers.tools.messages import (
    Calculate,
    FindInText,
    IntrospectOntology,
    ListEntities,
    QueryKg,
    Refusal,
    RefusalError,
    Reply,
    Request,
    SearchDocument,
    Success,
)
from quaestor.solvers.tools.page import GraphPage, nearest
from quaestor.solvers.tools.plan_builder import PlanBuilder
from quaestor.solvers.tools.query import introspect_ontology, list_entities, query_kg
from quaestor.solvers.tools.text import find_in_text

SEARCH = "search_document"
"""Name of the tool, which is offered if only an excerpt of a document is shown."""

SEARCH_DESCRIPTION = (
    "Find tables, rows and passages that are not shown, or read a section whole; the other tools read them then."
)

_MOST_ROWS = 12
_MOST_TEXT = 600
"""Limits of row labels and of characters in a passage; those that match the query come first."""
_MOST_ROWS_READ = 80


@dataclass(frozen=True, slots=True)
class PlaceFound:
    """A table or a passage found by a search.

    Attributes:
        rows: The labels of a table's rows; if a section is read, the rows as printed.
        cut: What is not shown, and how to read it; "" if everything is shown.
    """

    section: str
    page: int | None = None
    table: int | None = None
    type: str | None = None
    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    text: str = ""
    cut: str = ""


@dataclass(frozen=True, slots=True)
class PlacesFound(Success):
    """Result of `search_document`."""

    places: tuple[PlaceFound, ...]
    cut: str = ""


Searching = Callable[[Query], WidenedExcerpt]
"""Function that searches the document of a turn, or reads a section of it."""


def format_places(found: WidenedExcerpt, query: str) -> PlacesFound | Refusal:
    """Format the results of a search."""
    types = {table.index: table.name for table in found.graph.tables}
    wanted = {word for word in search_words(query) if word not in SMALL_WORDS}
    places = tuple(_place(block, found.excerpt.document, types, wanted) for block in found.found)
    return PlacesFound(places) if places else Refusal("Nothing of the document fits", "Use words that labels print")


def section_read(found: WidenedExcerpt, reading: Reading) -> PlacesFound | Refusal:
    """Format the content of a section."""
    whole = found.excerpt.document.whole or found.excerpt.document
    parts = len(section_parts(whole, reading.heading))
    if not found.found:
        titles = dict.fromkeys(section.title for section in whole.sections if section.title)
        near = nearest(reading.heading, titles)
        fault = f"It has {parts} parts" if parts else f"No heading reads '{reading.heading}'"
        return Refusal(fault, "Give a heading as printed, or a query", near)
    types = {table.index: table.name for table in found.graph.tables}
    blocks = [block for block in found.found if not isinstance(block.content, SectionHeading)]
    left = f"part {reading.part} of {parts}: read on with part {reading.part + 1}" if reading.part < parts else ""
    return PlacesFound(tuple(_place(block, found.excerpt.document, types) for block in blocks), left)


def _place(
    block: Block, document: Document, types: dict[int, str], wanted: Collection[str] | None = None
) -> PlaceFound:
    """Describe a block: the parts that share the most words with a query or, without one, all of it as printed."""
    section = " > ".join(next(s.path for s in document.sections if s.id == block.section))
    if not isinstance(block.content, Table):
        sentences = [sentence.text for sentence in getattr(block.content, "sentences", ())]
        text, cut = (" ".join(sentences), "") if wanted is None else _passage(sentences, wanted)
        return PlaceFound(section, block.page, text=text, cut=cut)
    table = block.content
    rows, cut = _format_rows(table) if wanted is None else _labels(table, wanted)
    columns = dict.fromkeys(" ".join(dict.fromkeys(c.levels)) or c.label for c in table.columns[1:])
    return PlaceFound(
        section,
        block.page,
        table.index,
        types.get(table.index),
        table.title,
        rows,
        tuple(column for column in columns if column),
        cut=cut,
    )


def _passage(sentences: Sequence[str], wanted: Collection[str]) -> tuple[str, str]:
    """Return whole sentences around the best match for some words, and a note on those left out."""
    first = max(range(len(sentences)), key=lambda at: _count_shared(sentences[at], wanted), default=0)
    last, room = first, _MOST_TEXT - sum(map(len, sentences[first : first + 1]))
    # The previous sentence often names the subject.
    for at in (first - 1, *range(first + 1, len(sentences)), *range(first - 2, -1, -1)):
        if not 0 <= at < len(sentences):
            continue
        room -= len(sentences[at])
        if room < 0:
            break
        first, last = min(first, at), max(last, at)
    left = len(sentences) - (last + 1 - first)
    return " ".join(sentences[first : last + 1]).strip(), f"{left} more sentences: read its section" if left > 0 else ""


def _labels(table: Table, wanted: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Return the row labels that share the most words with a query, and a note on those left out."""
    rows = list(dict.fromkeys(header.label for header in table.rows[table.header_rows :] if header.label))
    best = sorted(rows, key=lambda label: -_count_shared(label, wanted))[:_MOST_ROWS]
    left = len(rows) - len(best)
    shown = tuple(label for label in rows if label in best)
    return shown, f"{left} more rows: read its section, or use query_kg" if left else ""


def _format_rows(table: Table) -> tuple[tuple[str, ...], str]:
    rows = [" | ".join(filter(None, (cell.text.strip() for cell in row))) for row in table.cells[table.header_rows :]]
    rows = [row for row in rows if row]
    left = len(rows) - _MOST_ROWS_READ
    return tuple(rows[:_MOST_ROWS_READ]), f"{left} more rows: use query_kg" if left > 0 else ""


def _count_shared(text: str, wanted: Collection[str]) -> int:
    return sum(word in wanted for word in search_words(text))


R = TypeVar("R", bound=Request | SearchDocument)
Arguments = str | Mapping[str, JsonValue]

_LONGEST = 20_000
_IN_TEXT = "find_in_text"


@dataclass(frozen=True, slots=True)
class Tool(Generic[R]):
    """A tool with its argument type and function."""

    name: str
    description: str
    takes: type[R]
    function: Callable[[GraphPage, PlanBuilder, R], Reply | PlacesFound]

    @property
    def schema(self) -> dict[str, JsonValue]:
        """The JSON schema of its arguments."""
        kind: type = self.takes
        return plain_schema(kind)

    def use(self, page: GraphPage, draft: PlanBuilder, arguments: object) -> Reply | PlacesFound:
        """Validate the arguments, run the tool and return its reply."""
        if not isinstance(arguments, Mapping):
            return Refusal(f"The arguments of {self.name} must be one JSON object", "Give each parameter by its name")
        try:
            request = serial.load(self.takes, dict(arguments))
        except ValidationError as error:
            return _refuse_arguments(self, error)
        before = draft.mark
        try:
            reply = self.function(page, draft, request)
        except RefusalError as refusal:
            reply = Refusal(*refusal.args)
        except PlanError as error:
            reply = Refusal(str(error), "Check the values and the operation")
        if isinstance(reply, Refusal) and not reply.candidates:
            draft.rewind(before)
        return reply


TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        Tool(
            "query_kg",
            "Read the tables: one property of one instance, or all cells that filters fit.",
            QueryKg,
            query_kg,
        ),
        Tool("list_entities", "List the entities of a type, or all.", ListEntities, list_entities),
        Tool(
            "introspect_ontology",
            "Show the entity types, or the properties of one.",
            IntrospectOntology,
            introspect_ontology,
        ),
        Tool("calculate", "Calculate.", Calculate, calculate),
        Tool(_IN_TEXT, "Find sentences with their numbers.", FindInText, find_in_text),
    )
}
"""The tools of a page by name."""


class Toolbox:
    """The tools for one page and turn."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        ontology: Ontology,
        memory: Memory,
        on_call: Callable[[ToolCall], None] | None = None,
        search: Searching | None = None,
    ) -> None:
        self._ontology, self._search = ontology, search
        self._page = GraphPage(graph, ontology)
        self.draft = PlanBuilder(graph, memory)
        self.calls: list[ToolCall] = []
        self._on_call = on_call or (lambda call: None)

    def call(self, tool: str, arguments: Arguments) -> dict[str, JsonValue]:
        """Call a tool and record the call; return its reply as JSON."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)
        known = self.tools.get(tool)
        with tool_span(tool[:100], known.description if known else "", text[:_LONGEST]) as replied:
            started = perf_counter()
            reply = self.ask(tool, arguments)
            output: dict[str, JsonValue] = serial.dump(reply, compact=True)
            if isinstance(reply, Refusal):
                output = {name: value for name, value in output.items() if value != []}
            call = ToolCall.ended(tool[:100], text[:_LONGEST], output, started)
            replied(output, reply.error if isinstance(reply, Refusal) else None)
        self.calls.append(call)
        self._on_call(call)
        return output

    @property
    def tools(self) -> Mapping[str, Tool[Any]]:
        """The available tools by name."""
        if self._search is None:
            return TOOLS
        in_all = replace(TOOLS[_IN_TEXT], function=self._find_in_all)
        return {**TOOLS, _IN_TEXT: in_all, SEARCH: Tool(SEARCH, SEARCH_DESCRIPTION, SearchDocument, self._find)}

    def _find(self, _page: GraphPage, _draft: PlanBuilder, request: SearchDocument) -> PlacesFound | Refusal:
        """Search the document or read a section; the next call can read the results."""
        if request.section is not None:
            reading = Reading(request.section, request.part)
            return section_read(self._widen(reading), reading)
        if request.query is None:
            return Refusal(f"{SEARCH} needs something to look for", "Give a query or a section")
        return format_places(self._widen(request.query), request.query)

    def _find_in_all(self, page: GraphPage, draft: PlanBuilder, request: FindInText) -> Reply:
        """Search the excerpt for sentences, and the whole document if none in the excerpt has all the words."""
        if request.words is not None and not _has_sentence(page, request.words):
            self._widen(SentenceQuery(request.words))
        reply = find_in_text(self._page, draft, request)
        if not isinstance(reply, Refusal) or request.words is None:
            return reply
        self._widen(request.words)
        reply = find_in_text(self._page, draft, request)
        return (
            replace(reply, error=f"{reply.error}. All of the document was searched for the words")
            if isinstance(reply, Refusal)
            else reply
        )

    def _widen(self, query: Query) -> WidenedExcerpt:
        """Search the document and add the results to what is shown."""
        assert self._search is not None
        found = self._search(query)
        self._page = GraphPage(found.graph, self._ontology)
        self.draft.graph = found.graph
        return found

    def ask(self, tool: str, arguments: Arguments) -> Reply | PlacesFound:
        """Call a tool without recording the call; return its typed reply."""
        tools = self.tools
        known = tools.get(tool)
        if known is None:
            return Refusal(f"Unknown tool: {tool[:100]}", f"Use one of {', '.join(tools)}", nearest(tool, tools))
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments[: _LONGEST + 1])
            except (ValueError, RecursionError) as error:
                return Refusal(f"The arguments of {tool} are not valid JSON: {error}", "Send one JSON object")
        return known.use(self._page, self.draft, arguments)


def _has_sentence(page: GraphPage, words: str) -> bool:
    wanted = {word for word in search_words(words) if word not in SMALL_WORDS}
    return any(wanted <= own for own in page.graph.sentence_words)


def _refuse_arguments(tool: Tool[R], error: ValidationError) -> Refusal:
    properties = tool.schema.get("properties")
    known = tuple(properties) if isinstance(properties, dict) else ()
    faults: dict[str, str] = {}
    near: list[str] = []
    for fault in error.errors(include_url=False):
        place = str(fault["loc"][0]) if fault["loc"] else "arguments"
        if fault["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            near += nearest(place, known, 1)
            faults[place] = "is not a parameter"
        elif fault["type"] in ("missing", "missing_argument"):
            faults[place] = "is missing"
        else:
            faults.setdefault(place, f"{serial.fault_words(fault)}, not {str(fault['input'])[:60]!r}")
    listed = "; ".join(f"{place[:60]}: {what}" for place, what in faults.items())
    return Refusal(
        f"{tool.name} cannot take these arguments: {listed}", f"Its parameters are {', '.join(known)}", tuple(near)
    )
