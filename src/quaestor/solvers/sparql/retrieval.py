"""Values that a model names: numbers of the page with their source, earlier results or constants.

Parsing is lenient: values may be a list or an object by name, and a value may be just a query, `result_3` or a number.
If a question asks for a number, the model gets the smaller schema `NumberValues`; replies are always parsed as
`WantedValues`. Results of queries are cached, so that each query runs once.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from textwrap import shorten
from time import perf_counter
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from quaestor.conversation.answer import Variable as NamedNumber
from quaestor.conversation.display import show_source
from quaestor.conversation.events import NoAnswerReason
from quaestor.conversation.turn import ToolCall
from quaestor.core.answer_value import Number, print_amount
from quaestor.core.parsing import find_quantities
from quaestor.errors import PlanError, QueryError
from quaestor.graph.facts import Observation, PrintedNumber, extract_number
from quaestor.graph.knowledge_graph import empty_cells_named, show_empty
from quaestor.llm.structured.schema import Undescribed
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import FUNCTIONS, Variable, is_name
from quaestor.plan.operations import require_in_range
from quaestor.plan.scales import needs_no_source, write_literal
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.solvers import briefing
from quaestor.solvers.answering import NumberSilence
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import AnswerKinds, WrittenSentences, WrittenVerdict, named_passages
from quaestor.solvers.groups import group_of
from quaestor.solvers.quoting import Quotation, QuoteFailure, number_in_place, quote, quote_sentence
from quaestor.solvers.sparql.grounding import QueriedNumbers, find_nearest_nodes, nearby_lines, unknown_names

VALUES = "name_values"
"""Name of the output tool of the first phase."""

FORMULA = "write_formula"
"""Name of the output tool of the second phase."""

MOST_VALUES = 24


def _in_full(value: object) -> object:
    if isinstance(value, str):
        return {"result" if value.strip().startswith("result") else "sparql": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"constant": value}
    return value


def _as_list(values: object) -> object:
    """Convert an object of values by name to a list."""
    if not isinstance(values, Mapping):
        return values
    filled = ((name, _in_full(value)) for name, value in values.items())
    return [{"name": name, **value} if isinstance(value, Mapping) else value for name, value in filled]


@dataclass(frozen=True, slots=True)
class WantedNumber(Undescribed):
    """One value: a number of the page, the result of an earlier turn, or a constant."""

    name: str
    description: str = ""
    sparql: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True)
class WantedValue(Undescribed):
    """One value: a number, several numbers with labels, text from the page, an earlier result, or a constant."""

    name: str
    description: str = ""
    sparql: str | None = None
    cells: str | None = None
    words: str | None = None
    result: str | None = None
    constant: float | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedValues(Undescribed):
    """The values that the model needs for an answer; without values, the reason for no answer."""

    reasoning: str = ""
    values: Annotated[list[WantedValue], BeforeValidator(_as_list), Field(max_length=MOST_VALUES)]
    answer: str | None = None
    assumption: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberValues(Undescribed):
    """The values that the model needs for a number or yes or no."""

    reasoning: str = ""
    values: Annotated[list[WantedNumber], Field(max_length=MOST_VALUES)]
    answer: str | None = None
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaAlone(Undescribed):
    """The fields of `Formula` for questions that need no explanation."""

    reasoning: str = ""
    formula: str | None
    no_answer: NoAnswerReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula(FormulaAlone):
    """The calculation of the answer from the values."""

    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None


TOOL = "sparql"
"""Name under which queries are recorded as tool calls."""

_FORMS = {False: "sparql, result and constant", True: "sparql, cells, words, result and constant"}
"""The ways to give a value, for the model: for numbers only, and for every kind of answer."""

_MOST_LISTED = 8
_LONGEST_LIST = 1_500
_MARK = re.compile(r"\[\w+_[0-9]+_[0-9]+ ([^\]\[]*)\]")
"""A number in a sentence with its node, as the page is shown."""

_RESULT = re.compile(r"\s*result_?\s?([0-9]{1,3})\s*")


@dataclass(frozen=True, slots=True)
class RetrievedValue:
    """A retrieved value."""

    name: str
    description: str
    variable: Variable
    register: StepResult
    place: str
    shown: str


class _RetrievalError(Exception):
    """A value that could not be retrieved; the message says why."""


@dataclass
class Retrieval:
    """The values of one turn."""

    question: str
    context: TurnContext
    kinds: AnswerKinds = field(default_factory=AnswerKinds)
    values: dict[str, RetrievedValue] = field(default_factory=dict)
    assumes: bool = False
    _nodes: dict[str, Mapping[str, str | None] | QueryError] = field(default_factory=dict)

    def check(self, wanted: WantedValues) -> list[str]:
        """Retrieve the values of a list, and return a sentence for each that was not found.

        An empty list is not a fault if it gives a reason, such as that the page lacks the value.
        """
        self.values, self.assumes = {}, bool(wanted.assumption)
        faults = [*self.kinds.faults(wanted.no_answer), *_contradictions(wanted)]
        named = Counter(value.name for value in wanted.values)
        for value in wanted.values:
            try:
                if named[value.name] > 1:
                    raise _RetrievalError("several values have this name")
                self.values[value.name] = self._found(value)
            except _RetrievalError as refused:
                faults.append(f"{value.name[:80] or 'a value'}: {refused}")
        if wanted.answer is not None and wanted.answer not in named:
            faults.append(f"answer is {wanted.answer[:80]!r}, which is not one of the values")
        return list(dict.fromkeys(faults))

    def _found(self, value: WantedValue) -> RetrievedValue:
        if not is_name(value.name):
            raise _RetrievalError(
                "name it with a descriptive identifier such as net_sales_2008; names in use: " + ", ".join(FUNCTIONS)
            )
        forms = (value.sparql, value.cells, value.words, value.result, value.constant)
        given = [form for form in forms if form is not None]
        if len(given) != 1:
            raise _RetrievalError(f"give one of {_FORMS[self.kinds.all]}" + (", not several" if given else ""))
        if value.words is not None:
            return self._quote(value, value.words)
        if value.constant is not None:
            return self._constant(value, Decimal(str(value.constant)))
        return self._earlier(value, str(value.result)) if value.result is not None else self._on_page(value)

    def _quote(self, value: WantedValue, words: str) -> RetrievedValue:
        document = self.context.document
        whole = named_passages(document).get(words.strip(" []"))
        try:
            text = _MARK.sub(r"\1", words)
            quotation = quote(document, text, self.question) if whole is None else quote_sentence(document, whole)
        except QuoteFailure as failure:
            raise _RetrievalError(str(failure)) from failure
        if number_in_place(document, quotation):
            raise _RetrievalError(f"{quotation.text[:40]!r} is a number; name it by a query")
        return self._words(value, quotation)

    def _words(self, value: WantedValue, quotation: Quotation, query: str | None = None) -> RetrievedValue:
        extract = quotation.step(0, query)
        register = execute(Plan((replace(extract, id=1),))).result
        place = show_source(quotation.source, self.context.document).place
        return RetrievedValue(value.name, value.description, extract, register, place, f'"{quotation.text}"')

    def _earlier(self, value: WantedValue, name: str) -> RetrievedValue:
        answers = self.context.memory.answers
        match = _RESULT.fullmatch(name)
        if match is None or int(match[1]) >= len(answers):
            known = f"there are result_0 to result_{len(answers) - 1}" if answers else "this is the first question"
            raise _RetrievalError(f"{name[:40]!r} is not an earlier result; {known}")
        place = int(match[1])
        description, register = answers[place].description, self.context.memory.registers[place]
        if register is None:
            raise _RetrievalError(
                f"result_{place} has no value because its question was not answered; query what it needs"
            )
        shown_as = f"result_{place}, {description or 'an earlier answer'}"
        shown = briefing.format_answer(answers[place])
        return RetrievedValue(value.name, value.description, Ref(place - len(answers)), register, shown_as, shown)

    def _constant(self, value: WantedValue, number: Decimal) -> RetrievedValue:
        try:
            require_in_range(number)
        except PlanError as error:
            raise _RetrievalError(str(error)) from error
        if not self.is_given(number) and (nodes := self._printing(number)):
            raise _RetrievalError(
                f"the page prints {number:f}; query it so that its place is known: {self._list(nodes)}"
            )
        return RetrievedValue(
            value.name,
            value.description,
            Constant(number, write_literal(number)),
            StepResult(Number(number)),
            "constant",
            print_amount(Number(number)),
        )

    def is_given(self, number: Decimal) -> bool:
        """Return whether a number needs no source: a small count, a conversion factor, or a number in the question."""
        if needs_no_source(number):
            return True
        given = {Decimal(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", self.question)}
        given |= {span.quantity.number for span in find_quantities(self.question)}
        return abs(number) in given

    def _printing(self, number: Decimal) -> list[str]:
        return [n for n, known in self._numbers.by_node.items() if abs(known.quantity.value) == abs(number)]

    def _on_page(self, value: WantedValue) -> RetrievedValue:
        """Return the single number that a query selects; for `cells`, all of them."""
        query = str(value.sparql if value.cells is None else value.cells)
        started = perf_counter()
        known = query in self._nodes
        nodes = self._run(query)
        output: dict[str, JsonValue] = {}
        try:
            found = (self._single if value.cells is None else self._several_labelled)(value, query, nodes)
            output = {"success": True, "value": str(found.register.value), "place": found.place}
        except _RetrievalError as refused:
            output = {"success": False, "error": str(refused)}
            raise
        finally:
            if not known:
                arguments: dict[str, JsonValue] = {"name": value.name, "query": query}
                self.context.note_call(ToolCall.ended(TOOL, arguments, output, started))
        return found

    def _run(self, query: str) -> Mapping[str, str | None] | QueryError:
        if query not in self._nodes:
            try:
                self._nodes[query] = self._numbers.find(query)
            except QueryError as error:
                self._nodes[query] = error
        return self._nodes[query]

    def _found_nodes(
        self, value: WantedValue, query: str, nodes: Mapping[str, str | None] | QueryError
    ) -> Mapping[str, str | None]:
        if isinstance(nodes, QueryError):
            raise _RetrievalError("; ".join([str(nodes), *unknown_names(self._numbers, query)]))
        if not nodes:
            raise _RetrievalError(self._explain_nothing(value, query))
        return nodes

    def _several_labelled(
        self, value: WantedValue, query: str, nodes: Mapping[str, str | None] | QueryError
    ) -> RetrievedValue:
        by_node = self._numbers.by_node
        found = self._found_nodes(value, query, nodes)
        group = group_of([by_node[node] for node in found], labels=list(found.values()))
        register = execute(Plan((Compute(1, "items", (group,)),))).result
        shown = print_amount(register.value, register.scale, register.unit)
        return RetrievedValue(value.name, value.description, group, register, group.text, shorten(shown, _LONGEST_LIST))

    def _single(self, value: WantedValue, query: str, nodes: Mapping[str, str | None] | QueryError) -> RetrievedValue:
        if self.kinds.all and (not nodes or isinstance(nodes, QueryError)):
            cells = self._numbers.find_words(query)
            if len(cells) == 1:
                return self._words(value, Quotation(cells[0].text, cells[0].source, cells[0].label), query)
        (first, *others) = self._found_nodes(value, query, nodes)
        if others:
            raise _RetrievalError(self._several((first, *others)))
        number = self._numbers.by_node[first]
        extract = extract_number(0, number, query=query)
        register = execute(Plan((replace(extract, id=1),))).result
        shown = print_amount(register.value, register.scale, register.unit)
        return RetrievedValue(value.name, value.description, extract, register, self._place(number), shown)

    def _place(self, number: PrintedNumber) -> str:
        place = show_source(number.source, self.context.document).place
        return place if isinstance(number, Observation) else f"{place}: {number.label}"

    def _several(self, nodes: Sequence[str]) -> str:
        more = f", and {len(nodes) - _MOST_LISTED} more" if len(nodes) > _MOST_LISTED else ""
        return (
            f"the query returns {len(nodes)} numbers, but a value is one number: {self._list(nodes)}{more}. "
            "Say which, such as by its node: SELECT ?value WHERE { " + nodes[0] + " kg:value ?value }"
        )

    def _explain_nothing(self, value: WantedValue, query: str) -> str:
        unknown = unknown_names(self._numbers, query)
        nodes = find_nearest_nodes(self._numbers, query, value.description or value.name)
        similar = f"similar in the graph: {self._list(nodes)}" if nodes else "the graph has nothing similar"
        empty = [show_empty(cell) for cell in empty_cells_named(self.context.graph.with_zeros, query)[:_MOST_LISTED]]
        return "; ".join(["the query returns nothing", *unknown, *empty, similar])

    def _list(self, nodes: Sequence[str]) -> str:
        return nearby_lines(self._numbers, nodes[:_MOST_LISTED])

    @cached_property
    def _numbers(self) -> QueriedNumbers:
        return QueriedNumbers(self.context.graph.with_zeros)

    def named(self, variables: Sequence[NamedNumber]) -> tuple[NamedNumber, ...]:
        """Rename an answer's numbers from the page to the model's names."""
        found = [(v.variable, name) for name, v in self.values.items()]
        names = {variable.source: name for variable, name in found if isinstance(variable, Extract)}
        return tuple(replace(v, name=names.get(v.source, v.name)) if v.source else v for v in variables)

    def list_values(self) -> list[dict[str, str]]:
        """Return the values for the prompt of the second phase."""
        return [
            {"name": found.name, "value": found.shown, "description": found.description, "place": found.place}
            for found in self.values.values()
        ]


def _contradictions(wanted: WantedValues) -> Iterator[str]:
    if wanted.values and wanted.no_answer is not None:
        yield "it has both values and no_answer; leave one of them out"
    if not wanted.values and wanted.no_answer is None and not wanted.reasoning.strip():
        yield "it has no values; name them, or give the reason in no_answer"
