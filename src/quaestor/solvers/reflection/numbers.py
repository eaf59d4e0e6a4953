"""Numbers of a page by place and by value, and the meaning of a plan's operands.

A number is an observation in a table, a mention in the text, or a number in a heading.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from quaestor.conversation.turn import Memory
from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.graph.facts import Observation, PrintedNumber
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.questions.stems import stems

_SECTION_CODES = {"pre_text": "PRE", "post_text": "POST"}
"""Codes for the sections of a page around one table; other sections use their id and a point."""


@dataclass(frozen=True)
class NumberIndex:
    """Index of all numbers of a page."""

    graph: KnowledgeGraph

    @cached_property
    def all(self) -> tuple[PrintedNumber, ...]:
        """All numbers: tables first, then text, then headings."""
        graph = self.graph
        return (*graph.observations, *graph.zeros.values(), *graph.mentions, *graph.labels)

    @cached_property
    def _by_source(self) -> dict[Source, list[PrintedNumber]]:
        found: dict[Source, list[PrintedNumber]] = {}
        for number in self.all:
            found.setdefault(number.source, []).append(number)
        return found

    @cached_property
    def _code(self) -> re.Pattern[str]:
        others = sorted(
            {s.section for s in self.graph.sentences} - _SECTION_CODES.keys(), key=lambda id: (-len(id), id)
        )
        named = "".join(rf"|\b{re.escape(section)}\.\d+" for section in others)
        return re.compile(rf"T\d+R\d+C\d+|(?:PRE|POST)\d+{named}", re.IGNORECASE)

    def code_in(self, text: str) -> str:
        """Return the first place code in a text (see `place_code`), or ""."""
        found = self._code.search(text)
        return found[0].upper() if found else ""

    def at(self, source: Source) -> Sequence[PrintedNumber]:
        """Return the numbers in a cell or a span."""
        return self._by_source.get(source, ())

    def number_of(self, step: Extract) -> PrintedNumber | None:
        """Return the number that a step extracts; None if its place does not print that number."""
        if step.quantity is None:
            return None
        wanted = step.quantity.value, step.quantity.scale
        return next((n for n in self.at(step.source) if (n.quantity.value, n.quantity.scale) == wanted), None)

    def printing(self, quantity: Quantity, *, magnitude: bool = False) -> Sequence[PrintedNumber]:
        """Return the numbers that may be meant by a written quantity, in reading order.

        Args:
            magnitude: Match only numbers printed with a minus, which the quantity omits.
        """
        found = [n for n in self.all if may_be_written_as(n.quantity, quantity, magnitude=magnitude)]
        alike = [n for n in found if quantity.scale in (Scale.ONE, n.quantity.scale, find_scale(n))]
        return alike or found


def may_be_written_as(printed: Quantity, written: Quantity, *, magnitude: bool = False) -> bool:
    """Return whether a printed number may be written like this: as printed, in units, or a percentage as a fraction."""
    if magnitude:
        if printed.value >= 0:
            return False
        printed = Quantity(-printed.value, printed.scale)
    if (written.scale is Scale.PERCENT) and printed.scale not in (Scale.PERCENT, Scale.ONE):
        return False
    return written.value in (printed.value, printed.number) or (
        written.scale is not Scale.ONE and written.number == printed.number
    )


def find_scale(number: PrintedNumber) -> Scale:
    """Return the scale of a number, taking the labels of its table into account."""
    return number.scale if isinstance(number, Observation) else number.quantity.scale


@dataclass(frozen=True)
class Operands:
    """Resolves the operands of a plan through references and earlier turns."""

    plan: Plan
    memory: Memory
    numbers: NumberIndex

    def number(self, operand: Operand) -> PrintedNumber | None:
        """Return the page's number that an operand refers to; None if it is computed or a constant."""
        found = self.step(operand)
        return found[0].numbers.number_of(found[1]) if found and isinstance(found[1], Extract) else None

    def value(self, operand: Operand) -> Decimal | None:
        """Return the constant or printed number that an operand refers to; None if it is computed."""
        if isinstance(operand, Constant):
            return operand.value
        number = self.number(operand)
        return number.quantity.value if number else None

    def step(self, operand: Operand) -> "tuple[Operands, Extract | Compute] | None":
        """Return the step whose result an operand is, with the operands of its plan."""
        if not isinstance(operand, Ref):
            return None
        if operand.step > 0:
            steps = self.plan.steps
            step = steps[operand.step - 1] if operand.step <= len(steps) else None
            if isinstance(step, Compute) and step.operation == "identity":
                return self.step(step.operands[0])
            return None if step is None else (self, step)
        turns = self.memory.turns
        if not 1 <= -operand.step <= len(turns) or (plan := turns[operand.step].answer.plan) is None:
            return None
        return Operands(plan, Memory(turns[: operand.step]), self.numbers).step(Ref(len(plan.steps)))

    def extracted(self) -> Iterator[tuple[Extract, PrintedNumber]]:
        """Yield the steps that extract a number of the page, with the number."""
        for step in self.plan.extracts:
            if (number := self.numbers.number_of(step)) is not None:
                yield step, number


def same_axis(one: PrintedNumber | None, other: PrintedNumber | None) -> bool:
    """Return whether two numbers are in one line of one table, so that only their periods differ."""
    return (
        one is not None
        and other is not None
        and (line := table_line_of(one)) is not None
        and line == table_line_of(other)
    )


def table_line_of(number: PrintedNumber | None) -> tuple[int, str] | None:
    """Return the line of a table that a number is in, without its period; None for a number in the text."""
    return (number.source.table, number.predicate) if isinstance(number, Observation) else None


def place_words(number: PrintedNumber) -> str:
    """Format a number's label and place: `net revenue, 2008 (T0R1C2)`."""
    return f"{number.label[:80]} ({place_code(number.source)})"


def place_code(source: Source) -> str:
    """Return the unique code of a place in prompts: `T0R1C2`, `PRE4`, `POST1`, `SECTION_7.2`.

    Numbers in the same cell or sentence share a code.
    """
    if isinstance(source, CellRef):
        return f"T{source.table}R{source.row}C{source.column}"
    return sentence_code(source.section, source.sentence)


def sentence_code(section: str, index: int) -> str:
    """Return the unique code of a sentence, from its section's id and its index."""
    return f"{_SECTION_CODES.get(section, f'{section.upper()}.')}{index}"


def quantity_words(quantity: Quantity) -> str:
    """Format a quantity: `5.2 million`."""
    scale = quantity.scale
    return f"{quantity.value:f}{'' if scale is Scale.ONE else f' {scale.value}'}"


def years_named_in(text: str) -> frozenset[int]:
    """Return the years in a text; for ranges the first and the last."""
    periods = [mention.period for mention in find_periods(text.lower())]
    return frozenset(year for period in periods for year in (period.year, period.last) if year is not None)


def states_number(text: str, value: Decimal) -> bool:
    """Return whether a text contains a number, with any sign."""
    return any(abs(value) == Decimal(number) for number in re.findall(r"\d+(?:\.\d+)?", text.replace(",", "")))


def better_named(number: Observation, words: set[str], numbers: NumberIndex, least: int = 1) -> Observation | None:
    """Return a number of the same table whose line is fully named by some words, if this one's is not; else None."""
    own = _line_words(number)
    if own and own <= words:
        return None
    for other in numbers.graph.observations:
        named = _line_words(other)
        in_full = len(named) >= least and named <= words
        if in_full and len(named) > len(own & words) and other.source.table == number.source.table:
            return other
    return None


def _line_words(number: Observation) -> frozenset[str]:
    return frozenset(stems(" ".join((*number.row.levels, number.row.label))))
