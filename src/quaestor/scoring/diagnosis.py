"""Diagnosis of wrong turns, by comparing the solver's plan with the reference's.

The reference's plan stays in memory, and a cause reveals no answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, number_of
from quaestor.core.provenance import CellRef, Source
from quaestor.datasets.dataset import Conversation
from quaestor.errors import PlanError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import TableRows, bind_labels
from quaestor.plan.operations import rounds_to
from quaestor.plan.program import parse_program
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import Compute, Constant, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.questions.stems import stems
from quaestor.scoring.check import in_doubt, states_number
from quaestor.scoring.differences import (
    ComparisonContext,
    ConstantTerm,
    Difference,
    PrintedTerm,
    Term,
    differing_parts,
    expand_term,
    leaves,
    period_of,
    term_of,
    words_of,
)
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.scoring.pages import PageNumbers, number_places
from quaestor.scoring.scorers import Prediction
from quaestor.scoring.taxonomy import Cause

_POWERS = range(-12, 13)
_PRECEDENCE = tuple(Cause)
"""The causes by precedence, if several apply."""


@dataclass(frozen=True, slots=True)
class _Computation:
    term: Term | None = None
    result: StepResult | None = None


@dataclass(frozen=True, slots=True)
class _Mistake:
    """Item that was confused with another one."""

    cause: Cause
    expected: object
    read: object


@dataclass(slots=True)
class _Diagnosis:
    conversation: Conversation
    page: PageNumbers
    tables: Sequence[TableRows]
    places: Mapping[Decimal, tuple[Source, ...]]
    expected: list[_Computation] = field(default_factory=list)
    found: list[_Computation] = field(default_factory=list)
    wrong: set[int] = field(default_factory=set)
    mistakes: set[_Mistake] = field(default_factory=set)
    index: int = 0

    def add(self, gold: GoldTurn, prediction: Prediction | None, *, correct: bool) -> Cause | None:
        """Return the cause of the next turn's error, or None if the turn is right."""
        expected, found = self._reference(gold), self._solver(prediction)
        cause = None if correct else self._cause(gold, prediction, expected, found)
        if self.conversation.chained:
            if not correct:
                self.wrong.add(self.index)
            self.expected.append(expected)
            self.found.append(found)
        self.index += 1
        return cause

    def _cause(
        self, gold: GoldTurn, prediction: Prediction | None, expected: _Computation, found: _Computation
    ) -> Cause:
        if prediction is None or (prediction.number is None and not prediction.error):
            return Cause.NO_ANSWER
        if prediction.value is not None and in_doubt(gold, prediction.value, self.page, self.tables):
            return Cause.DOUBT
        if self._right_with_references(prediction, gold):
            return Cause.INHERITED
        if prediction.value is None:
            return Cause.UNUSABLE
        return self._own_cause(gold, prediction, prediction.value, expected, found)

    def _own_cause(
        self,
        gold: GoldTurn,
        prediction: Prediction,
        answer: AnswerValue,
        expected: _Computation,
        found: _Computation,
    ) -> Cause:
        """Return the cause of an error in this turn's plan, or else the cause that the number alone suggests."""
        if states_number(gold, answer):
            return Cause.SCALE
        reference = gold.executed if expected.result is None else expected.result.value
        if prediction.plan is None and prediction.program is None:
            return _compare_values(reference, answer, rounded=True) or Cause.NO_PLAN
        if expected.term is None or found.term is None:
            missing = Cause.UNUSABLE if found.term is None else Cause.UNKNOWN
            return _compare_values(reference, answer) or missing
        parts = differing_parts(expected.term, found.term, self._context())
        if not parts:
            return _compare_values(reference, answer) or _compare_leaves(expected.term, found.term)
        causes = {self._cause_of_part(part) for part in parts}
        own = causes - {Cause.INHERITED}
        return min(own or causes, key=_PRECEDENCE.index)

    def _context(self) -> ComparisonContext:
        questions = self.conversation.questions[: self.index + 1]
        return ComparisonContext(
            self.conversation.document,
            questions if self.conversation.chained else questions[-1:],
            [computation.term for computation in self.expected],
            [computation.term for computation in self.found],
            frozenset(self.wrong),
            self.places,
        )

    def _reference(self, gold: GoldTurn) -> _Computation:
        """Return the reference's term; without a program, the answer as a number of the page, if the page has it."""
        if gold.program:
            return self._run_program(gold.program)
        number = number_of(gold.executed)
        places = () if number is None else self.places.get(abs(number), ())
        return _Computation(PrintedTerm(number, places) if places else None)

    def _solver(self, prediction: Prediction | None) -> _Computation:
        """Return the solver's term, from the plan or else from the program."""
        if prediction is None or prediction.value is None:
            return _Computation()
        if prediction.plan is None:
            computation = self._run_program(prediction.program) if prediction.program else _Computation()
            return computation if computation.result else _Computation(None, StepResult(prediction.value))
        try:
            results = execute(prediction.plan, [computation.result for computation in self.found]).registers
        except PlanError:
            return _Computation(None, StepResult(prediction.value))
        earlier = [computation.term for computation in self.found]
        term = term_of(prediction.plan, results, earlier, lambda literal: ConstantTerm(literal.value))
        return _Computation(term, results[-1])

    def _run_program(self, program: str) -> _Computation:
        """Execute a program, with its numbers located on the page."""
        try:
            plan = bind_labels(parse_program(program), self.tables)
            results = execute(plan).registers
        except PlanError:
            return _Computation()
        return _Computation(term_of(plan, results, (), self._literal), results[-1])

    def _literal(self, literal: Constant) -> PrintedTerm | ConstantTerm:
        """Return a number of a program with every place that prints it."""
        printed = shift_decimal(literal.value, 2) if literal.text.strip().endswith("%") else literal.value
        places = self.places.get(abs(printed), ())
        if literal.text.startswith("const_") or not places:
            return ConstantTerm(literal.value)
        return PrintedTerm(printed, places)

    def _right_with_references(self, prediction: Prediction, gold: GoldTurn) -> bool:
        """Return whether the plan is right if the wrong earlier answers it uses are replaced by the references."""
        plan = prediction.plan
        if plan is None or not {self.index + step for step in _turns_back(plan)} & self.wrong:
            return False
        for scales in (False, True):
            history = [
                _rescale(expected, found, scales) for expected, found in zip(self.expected, self.found, strict=True)
            ]
            try:
                value = execute(plan, history).result.value
            except PlanError:
                continue
            if executed_equal(value, gold.executed):
                return True
        return False

    def _cause_of_part(self, part: Difference) -> Cause:
        """Return the cause, `INHERITED` if an earlier turn made the same mistake and the question names no item.

        A question that names no period takes the previous question's, and so does one that names no line.
        """
        if part.expected is None or part.read is None or not self.conversation.chained:
            return part.cause
        document, question = self.conversation.document, read_question(self.conversation.questions[self.index])
        if part.cause is Cause.PERIOD:
            mistake = _Mistake(part.cause, period_of(part.expected, document), period_of(part.read, document))
            silent = not question.periods and not question.relative_periods
        else:
            mistake = _Mistake(part.cause, self._line(part.expected), self._line(part.read))
            silent = not set(stems(self._line_words(part.expected))) & set(question.stems)
        known = mistake in self.mistakes
        self.mistakes.add(mistake)
        return Cause.INHERITED if known and silent else part.cause

    def _line(self, place: Source) -> object:
        """Return a key for the line of a place."""
        if not isinstance(place, CellRef):
            return place.section, place.sentence
        by_column = self.conversation.document.table(place.table).orientation == "rows"
        return place.table, by_column, place.column if by_column else place.row

    def _line_words(self, place: Source) -> str:
        if not isinstance(place, CellRef):
            return words_of(place, self.conversation.document)
        table = self.conversation.document.table(place.table)
        header = table.columns[place.column] if table.orientation == "rows" else table.rows[place.row]
        return header.label


def find_causes(
    conversation: Conversation,
    golds: Sequence[GoldTurn],
    predictions: Sequence[Prediction | None],
    correct: Sequence[bool],
    page: PageNumbers,
    tables: Sequence[TableRows],
) -> tuple[Cause | None, ...]:
    """Return the cause of each wrong turn of a conversation, and None for each right one."""
    if all(correct):
        return (None,) * len(golds)
    diagnosis = _Diagnosis(conversation, page, tables, number_places(conversation.document))
    return tuple(
        diagnosis.add(gold, prediction, correct=right)
        for gold, prediction, right in zip(golds, predictions, correct, strict=True)
    )


def _turns_back(plan: Plan) -> frozenset[int]:
    """Return the references of a plan to earlier turns: -1, -2, ..."""
    computed = (step for step in plan.steps if isinstance(step, Compute))
    return frozenset(o.step for step in computed for o in step.operands if isinstance(o, Ref) and o.step < 0)


def _rescale(expected: _Computation, found: _Computation, scaled: bool) -> StepResult | None:
    """Return the reference's result of a turn, in the scale and unit of the solver's result if `scaled`."""
    if expected.result is None or found.result is None or not scaled:
        return expected.result
    return StepResult(expected.result.value, found.result.scale, found.result.unit)


def _compare_values(expected: AnswerValue, found: AnswerValue, *, rounded: bool = False) -> Cause | None:
    """Return the cause if two numbers differ only by a sign or a power of ten, or if `rounded` by rounding too."""
    if not isinstance(expected, Number) or not isinstance(found, Number) or not expected.value:
        return None
    one, other = abs(expected.value), abs(found.value)
    for power in _POWERS:
        if abs(shift_decimal(one, power) - other) <= other.scaleb(-9):
            return Cause.SCALE if power else Cause.SIGN
    for power in sorted(_POWERS, key=abs) if rounded else ():
        shifted = shift_decimal(expected.value, power)
        if rounds_to(abs(shifted), abs(found.value)):
            same = shifted.is_signed() == found.value.is_signed()
            return Cause.SCALE if power else Cause.ROUNDED if same else Cause.SIGN
    return None


def _compare_leaves(expected: Term, found: Term) -> Cause:
    """Return the cause if two terms apply the same operations to the same numbers."""
    signs = [
        sorted(
            leaf.number < 0
            for leaf in leaves(expand_term(term))
            if isinstance(leaf, PrintedTerm | ConstantTerm) and leaf.number
        )
        for term in (expected, found)
    ]
    return Cause.SIGN if signs[0] != signs[1] else Cause.SCALE
