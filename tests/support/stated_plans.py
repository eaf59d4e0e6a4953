"""Convert stated reference answers to plans on their page, as a solver that makes no mistake would.

A reference has spans, not places. If the page prints a span several times, the place whose labels are most like the
words of the question is used. If a question chooses (the highest, those above a number, all that a table has), the plan
chooses too: over the row, column or block of lines whose labels are most like the question's, among those that give the
reference. Answers that no choice gives are quoted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import permutations

from quaestor.conversation.answer import Answer
from quaestor.core.parsing import parse_cell
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Scale
from quaestor.core.words import words
from quaestor.documents.document import Document
from quaestor.errors import PlanError
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, PrintedNumber, extract_number
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.execute import execute
from quaestor.plan.scales import shift_decimal, write_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, Step
from quaestor.questions.conditions import Condition, read_condition
from quaestor.scoring.gold import StatedReference
from quaestor.scoring.stated import exact_match, stated_answer
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import TurnContext
from quaestor.solvers.groups import group_of
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote

Number = Observation | MentionFact | HeaderNumber
_SCALE_WORDS = re.compile(r"\b(?:thousand|million|billion|per ?cent)\b")
_CURRENCY = 3
"""Maximum letters of a number besides the name of its scale, such as `USD`."""


@dataclass(frozen=True)
class StatedPlan:
    """A plan for a stated answer.

    Attributes:
        way: How it gets the answer: `number`, `numbers`, `choice`, `count`, `labels`, `words`.
        in_table: Whether all its sources are in tables.
    """

    plan: Plan
    way: str
    in_table: bool


def stated_plan(question: str, context: TurnContext, reference: StatedReference) -> StatedPlan | None:
    """Return the plan of a stated answer; None if its spans are not on the page."""
    result = _PlanBuilder(question, context, reference).build()
    if result is None:
        return None
    way, steps = result
    sources: list[Source] = [step.source for step in steps if isinstance(step, Extract)]
    sources += [s for step in steps if isinstance(step, Compute) for o in step.operands for s in _places(o)]
    return StatedPlan(Plan(tuple(steps)), way, all(isinstance(source, CellRef) for source in sources))


def _places(operand: Operand) -> Sequence[Source]:
    return operand.sources if isinstance(operand, CellGroup) else ()


@dataclass
class _PlanBuilder:
    question: str
    context: TurnContext
    reference: StatedReference

    def build(self) -> tuple[str, list[Step]] | None:
        """Return the way and the steps."""
        if self.reference.kind == "count":
            return self._count_plan()
        ways = (self._number_plan, self._choice_plan, self._quote_plan)
        if self.reference.form not in ("number", "numbers"):
            ways = (self._choice_plan, self._quote_plan, self._number_plan)
        elif self._condition.asked or not self._is_amount:
            ways = (self._choice_plan, self._number_plan, self._quote_plan)
        return next((found for way in ways if (found := way()) is not None), None)

    @property
    def _document(self) -> Document:
        return self.context.document

    @property
    def _graph(self) -> KnowledgeGraph:
        return self.context.graph

    @cached_property
    def _condition(self) -> Condition:
        return read_condition(self.question.lower())

    @cached_property
    def _question_words(self) -> frozenset[str]:
        return frozenset(words(self.question))

    @property
    def _is_amount(self) -> bool:
        """Whether any span is not a year; years are labels among which a question chooses."""
        return any(not (span.strip().isdigit() and len(span.strip()) == 4) for span in self.reference.answer.spans)

    def _similarity(self, text: str) -> float:
        own = set(words(text))
        return len(own & self._question_words) / (1 + len(own - self._question_words)) if own else 0.0

    def _matches_reference(self, steps: Sequence[Step]) -> bool:
        """Return whether steps give the reference."""
        try:
            plan = with_label_scales(Plan(tuple(steps)), self._document)
            result = execute(plan).result
        except PlanError:
            return False
        return exact_match(stated_answer(Answer(result.value, result.scale, result.unit, plan=plan)), self.reference)

    def _number_plan(self) -> tuple[str, list[Step]] | None:
        """Return steps that extract each span as a number of the page."""
        taken: list[Number] = []
        for span in self.reference.answer.spans:
            found = [number for number in self._printing(span) if number not in taken]
            if not found:
                return None
            taken.append(max(found, key=self._fit))
        steps: list[Step] = [extract_number(place, number) for place, number in enumerate(taken, 1)]
        if len(steps) == 1:
            return "number", steps
        return "numbers", [*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))]

    def _printing(self, span: str) -> list[Number]:
        quantities = parse_cell(span)
        if len(quantities) != 1 or sum(map(str.isalpha, _SCALE_WORDS.sub("", span))) > _CURRENCY:
            return []
        wanted = quantities[0]
        numbers: list[Number] = [*self._graph.observations, *self._graph.mentions]
        return [
            n for n in numbers if n.quantity.value == wanted.value and _scales_match(n.quantity.scale, wanted.scale)
        ]

    def _fit(self, number: Number) -> tuple[bool, float, bool]:
        scale = number.scale if isinstance(number, Observation) else number.quantity.scale
        stated = self.reference.answer.scale
        same = (scale.value if scale is not Scale.ONE else "") == stated
        in_table = isinstance(number, Observation)
        if isinstance(number, Observation):
            text = " ".join((*number.row.levels, number.row.label, *number.column.levels, number.column.label))
        else:
            text = number.sentence if isinstance(number, MentionFact) else number.label
        return in_table == (self.reference.source != "text") and same, self._similarity(text), in_table

    def _choice_plan(self) -> tuple[str, list[Step]] | None:
        """Return a choice over the group whose labels are most like the words of the question."""
        best: tuple[float, list[Step]] | None = None
        for group, likeness in self._groups():
            if best is not None and likeness <= best[0]:
                continue
            for steps in self._choices(group):
                if self._matches_reference(steps):
                    best = likeness, steps
                    break
        if best is None:
            return None
        return ("labels" if best[1][-1] == Compute(1, "labels", best[1][-1].operands) else "choice"), best[1]  # type: ignore[union-attr]

    def _choices(self, group: CellGroup) -> Iterator[list[Step]]:
        """Yield the choices from a group that the words of the question may mean."""
        condition = self._condition
        if condition.extreme:
            if condition.many > 1:
                chosen = Compute(1, condition.extreme, (group, _literal(Decimal(condition.many))))
                yield [chosen, Compute(2, "labels", (Ref(1),))]
            elif condition.place > 1:
                place = Decimal(condition.place if condition.extreme == "largest" else -condition.place)
                yield [Compute(1, "rank", (group, _literal(place)))]
            else:
                yield [Compute(1, "argmax" if condition.extreme == "largest" else "argmin", (group,))]
                yield [Compute(1, "argmin" if condition.extreme == "largest" else "argmax", (group,))]
        elif condition.limit is not None:
            chosen = Compute(1, condition.limit.test, (group, self._limit(group)))
            yield [chosen, Compute(2, "labels", (Ref(1),))]
        if condition.limit is None and len(self.reference.answer.spans) > 1:
            yield [Compute(1, "labels", (group,))]

    def _limit(self, group: CellGroup) -> Constant:
        """Return the number that the question compares cells with, in the scale of the group."""
        limit = self._condition.limit
        assert limit is not None
        value, counted = limit.value, group.counts[0].scale
        if limit.scale not in (Scale.ONE, Scale.PERCENT) and counted not in (Scale.ONE, Scale.PERCENT):
            value = shift_decimal(value, _power(limit.scale) - _power(counted))
        return _literal(value)

    def _count_plan(self) -> tuple[str, list[Step]] | None:
        """Return steps that count the cells of a group, or those that meet the condition."""
        best: tuple[float, list[Step]] | None = None
        for group, likeness in self._groups():
            if best is not None and likeness <= best[0]:
                continue
            steps: list[Step] = [Compute(1, "count", (group,))]
            if self._condition.limit is not None:
                chosen = Compute(1, self._condition.limit.test, (group, self._limit(group)))
                steps = [chosen, Compute(2, "count", (Ref(1),))]
            if self._matches_reference(steps):
                best = likeness, steps
        for moved in () if best else self._changed_lines():
            if self._matches_reference(steps := [*moved, Compute(3, "count", (Ref(2),))]):
                return "count", steps
        return None if best is None else ("count", best[1])

    def _changed_lines(self) -> Iterator[list[Step]]:
        """Yield steps that select the lines that rose or fell between two columns, as the question says."""
        test = {"rose": "above", "fell": "below"}.get(self._condition.move or "")
        for table in self._document.tables if test else ():
            dated = [c for c, header in enumerate(table.columns) if header.period is not None]
            cells = {(o.source.row, o.source.column): o for o in self._cells(table.index)}
            for new, old in permutations(dated, 2):
                rows = [r for r in range(len(table.cells)) if (r, new) in cells and (r, old) in cells]
                if rows:
                    groups = tuple(group_of([cells[row, column] for row in rows]) for column in (new, old))
                    yield [Compute(1, "subtract", groups), Compute(2, str(test), (Ref(1), _literal(Decimal(0))))]

    def _quote_plan(self) -> tuple[str, list[Step]] | None:
        """Return steps that quote each span, as a list in the order of the reference."""
        steps: list[Step] = []
        for span in self.reference.answer.spans:
            try:
                found = quote(self._document, span, self.question)
            except QuoteFailure:
                return None
            if number_in_place(self._document, found):
                return None
            steps.append(found.step(len(steps) + 1))
        if len(steps) == 1:
            return "words", steps
        return "labels", [*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))]

    def _cells(self, table: int) -> list[Observation]:
        return [o for o in self._graph.observations if o.source.table == table and o.order == 0]

    def _groups(self) -> Iterator[tuple[CellGroup, float]]:
        """Yield rows, columns and blocks of lines, each with its similarity to the question."""
        for table in self._document.tables:
            groups: dict[object, tuple[list[PrintedNumber], float]] = {}
            start = 0
            for cell in self._cells(table.index):
                row, column = cell.source.row, cell.source.column
                total, above = "total" in cell.row.label.casefold(), cell.row.levels[:-1]
                start = row if total else start
                of_row, of_column = " ".join((*cell.row.levels, cell.row.label)), " ".join(cell.column.levels)
                found: list[tuple[object, float]] = [(("row", row), self._similarity(of_row))]
                found.append((("part", row, cell.column.levels[:-1]), self._similarity(of_row) - 0.01))
                if table.columns[column].period is not None:
                    found.append((("dated", row), self._similarity(of_row) - 0.01))
                if not total:
                    found.append((("column", column), self._similarity(of_column) / 2))
                    found.append((("run", start, column), self._similarity(cell.column.label) / 3))
                    found += [(("under", above, column), self._similarity(f"{' '.join(above)} {of_column}"))] * bool(
                        above
                    )
                for key, likeness in found:
                    groups.setdefault(key, ([], likeness))[0].append(cell)
            yield from ((group_of(numbers), likeness) for numbers, likeness in groups.values())


def _literal(value: Decimal) -> Constant:
    return Constant(value, write_literal(value))


def _power(scale: Scale) -> int:
    return {Scale.THOUSAND: 3, Scale.MILLION: 6, Scale.BILLION: 9}.get(scale, 0)


def _scales_match(one: Scale, other: Scale) -> bool:
    return one is other or Scale.PERCENT not in (one, other)
