"""Registry of the tools, and the toolbox of a solver for one turn.

Every call returns a result or a refusal with a suggestion; no error escapes.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Generic, TypeVar

from pydantic import JsonValue, ValidationError

from quaestor.conversation.turn import Memory, ToolCall
from quaestor.core import serial
from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.errors import PlanError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.structured.schema import plain_schema
from quaestor.llm.tracing import tool_span
from quaestor.ontology.ontology import Ontology
from quaestor.retrieval.document_parts import Reading, SentenceQuery
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
)
from quaestor.solvers.tools.page import GraphPage, nearest
from quaestor.solvers.tools.plan_builder import PlanBuilder
from quaestor.solvers.tools.query import introspect_ontology, list_entities, query_kg
from quaestor.solvers.tools.searching import (
    SEARCH,
    SEARCH_DESCRIPTION,
    PlacesFound,
    Searching,
    format_places,
    section_read,
)
from quaestor.solvers.tools.text import find_in_text

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
        """Validate the arguments, run the tool and return its reply.

        Args:
            draft: The plan of the turn; a refusal leaves it unchanged, except for steps of the refusal's candidates.
        """
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
    """The tools for one page and turn.

    Attributes:
        draft: The plan so far.
        calls: The calls so far, in order.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        ontology: Ontology,
        memory: Memory,
        on_call: Callable[[ToolCall], None] | None = None,
        search: Searching | None = None,
    ) -> None:
        """Create the tools for a page and the turns so far.

        Args:
            on_call: Called with each finished call, such as `TurnContext.note_call`.
            search: Searches the rest of a long document; None if the whole document is shown.
        """
        self._ontology, self._search = ontology, search
        self._page = GraphPage(graph, ontology)
        self.draft = PlanBuilder(graph, memory)
        self.calls: list[ToolCall] = []
        self._on_call = on_call or (lambda call: None)

    def call(self, tool: str, arguments: Arguments) -> dict[str, JsonValue]:
        """Call a tool and record the call; return its reply as JSON.

        Args:
            arguments: Arguments by name, or as JSON text; the reply describes anything wrong with them.
        """
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
    """Return whether a shown sentence contains all of some words."""
    wanted = {word for word in search_words(words) if word not in SMALL_WORDS}
    return any(wanted <= own for own in page.graph.sentence_words)


def _refuse_arguments(tool: Tool[R], error: ValidationError) -> Refusal:
    """Return the refusal of invalid arguments, with a message for each fault."""
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
