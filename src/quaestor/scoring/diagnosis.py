"""Why the wrong turns of a conversation are wrong, computed from plan against plan.

The reference's plan stands nowhere but in memory here, and a cause names no answer.
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
from quaestor.scoring.cause import Cause
from quaestor.scoring.check import in_doubt, states_number
from quaestor.scoring.differences import ComparisonContext, Difference, differing_parts, period_of, words_of
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.scoring.pages import PageNumbers, number_places
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.terms import ConstantTerm, PrintedTerm, Term, leaves, term_of, written_out

_POWERS = range(-12, 13)
_PRECEDENCE = tuple(Cause)
"""The causes in the order in which one of several is named."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What was done in a turn: its term and its result, as far as there are any."""

    term: Term | None = None
    result: StepResult | None = None


@dataclass(frozen=True, slots=True)
class _Mistake:
    """One thing taken for another."""

    cause: Cause
    meant: object
    read: object


@dataclass(slots=True)
class _Diagnosis:
    """A conversation, turn by turn."""

    conversation: Conversation
    page: PageNumbers
    tables: Sequence[TableRows]
    places: Mapping[Decimal, tuple[Source, ...]]
    meant: list[_Done] = field(default_factory=list)
    found: list[_Done] = field(default_factory=list)
    wrong: set[int] = field(default_factory=set)
    mistakes: set[_Mistake] = field(default_factory=set)
    index: int = 0

    def add(self, gold: GoldTurn, prediction: Prediction | None, *, correct: bool) -> Cause | None:
        """Return why the next turn is wrong; None if it is right."""
        meant, found = self._reference(gold), self._solver_turn(prediction)
        cause = None if correct else self._cause(gold, prediction, meant, found)
        if self.conversation.chained:
            if not correct:
                self.wrong.add(self.index)
            self.meant.append(meant)
            self.found.append(found)
        self.index += 1
        return cause

    def _cause(self, gold: GoldTurn, prediction: Prediction | None, meant: _Done, found: _Done) -> Cause:
        if prediction is None or (prediction.number is None and not prediction.error):
            return Cause.NO_ANSWER
        if prediction.value is not None and in_doubt(gold, prediction.value, self.page, self.tables):
            return Cause.DOUBT
        if self._right_otherwise(prediction, gold):
            return Cause.INHERITED
        if prediction.value is None:
            return Cause.UNUSABLE
        if prediction.plan is None and prediction.program is None:
            return self._cause_without_plan(gold, prediction.value, meant)
        return self._own_cause(gold, prediction.value, meant, found)

    def _cause_without_plan(self, gold: GoldTurn, answer: AnswerValue, meant: _Done) -> Cause:
        """Return what the number alone tells of an answer that came without a plan."""
        if states_number(gold, answer):
            return Cause.SCALE
        reference = gold.executed if meant.result is None else meant.result.value
        return _compare_values(reference, answer) or _compare_rounded(reference, answer) or Cause.NO_PLAN

    def _own_cause(self, gold: GoldTurn, answer: AnswerValue, meant: _Done, found: _Done) -> Cause:
        """Return what is wrong with the plan of this turn."""
        if states_number(gold, answer):
            return Cause.SCALE
        reference = gold.executed if meant.result is None else meant.result.value
        if meant.term is None or found.term is None:
            lacking = Cause.UNUSABLE if found.term is None else Cause.UNKNOWN
            return _compare_values(reference, answer) or lacking
        parts = differing_parts(meant.term, found.term, self._scene())
        if not parts:
            return _compare_values(reference, answer) or _compare_leaves(meant.term, found.term)
        causes = {self._passed_on(part) for part in parts}
        own = causes - {Cause.INHERITED}
        return min(own or causes, key=_PRECEDENCE.index)

    def _scene(self) -> ComparisonContext:
        questions = self.conversation.questions[: self.index + 1]
        return ComparisonContext(
            self.conversation.document,
            questions if self.conversation.chained else questions[-1:],
            [done.term for done in self.meant],
            [done.term for done in self.found],
            frozenset(self.wrong),
            self.places,
        )

    def _reference(self, gold: GoldTurn) -> _Done:
        """Return what the reference does; without a program it is a number of the page, where it stands there."""
        if gold.program:
            return self._run_program(gold.program)
        number = number_of(gold.executed)
        places = () if number is None else self.places.get(abs(number), ())
        return _Done(PrintedTerm(number, places) if places else None)

    def _solver_turn(self, prediction: Prediction | None) -> _Done:
        """Return what the solver did; of an answer without a plan what its program says."""
        if prediction is None or prediction.value is None:
            return _Done()
        if prediction.plan is None:
            done = self._run_program(prediction.program) if prediction.program else _Done()
            return done if done.result else _Done(None, StepResult(prediction.value))
        try:
            results = execute(prediction.plan, [done.result for done in self.found]).registers
        except PlanError:
            return _Done(None, StepResult(prediction.value))
        earlier = [done.term for done in self.found]
        term = term_of(prediction.plan, results, earlier, lambda literal: ConstantTerm(literal.value))
        return _Done(term, results[-1])

    def _run_program(self, program: str) -> _Done:
        """Return what a program does, its numbers found on the page."""
        try:
            plan = bind_labels(parse_program(program), self.tables)
            results = execute(plan).registers
        except PlanError:
            return _Done()
        return _Done(term_of(plan, results, (), self._literal), results[-1])

    def _literal(self, literal: Constant) -> PrintedTerm | ConstantTerm:
        """Return a number of a program with every place that prints it."""
        printed = shift_decimal(literal.value, 2) if literal.text.strip().endswith("%") else literal.value
        places = self.places.get(abs(printed), ())
        if literal.text.startswith("const_") or not places:
            return ConstantTerm(literal.value)
        return PrintedTerm(printed, places)

    def _right_otherwise(self, prediction: Prediction, gold: GoldTurn) -> bool:
        """Whether a plan that uses the wrong answer of an earlier turn is right with that turn's reference."""
        plan = prediction.plan
        if plan is None or not {self.index + step for step in _turns_back(plan)} & self.wrong:
            return False
        for scales in (False, True):
            history = [_rescale(meant, found, scales) for meant, found in zip(self.meant, self.found, strict=True)]
            try:
                value = execute(plan, history).result.value
            except PlanError:
                continue
            if executed_equal(value, gold.executed):
                return True
        return False

    def _passed_on(self, part: Difference) -> Cause:
        """Return the cause of a part: an earlier one's, where a wrong turn took the same, and this question is silent.

        A question that names no period is about the one before, and so is one that does not name its line.
        """
        if part.meant is None or part.read is None or not self.conversation.chained:
            return part.cause
        document, question = self.conversation.document, read_question(self.conversation.questions[self.index])
        if part.cause is Cause.PERIOD:
            mistake = _Mistake(part.cause, period_of(part.meant, document), period_of(part.read, document))
            silent = not question.periods and not question.relative_periods
        else:
            mistake = _Mistake(part.cause, self._line(part.meant), self._line(part.read))
            silent = not set(stems(self._line_words(part.meant))) & set(question.stems)
        known = mistake in self.mistakes
        self.mistakes.add(mistake)
        return Cause.INHERITED if known and silent else part.cause

    def _line(self, place: Source) -> object:
        """Return what says which line a place is of."""
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
    """Return why each turn of a conversation is wrong; None if it is right."""
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


def _rescale(meant: _Done, found: _Done, scaled: bool) -> StepResult | None:
    """Return the reference's result of a turn, in the scale that the solver's has where that is asked."""
    if meant.result is None or found.result is None or not scaled:
        return meant.result
    return StepResult(meant.result.value, found.result.scale, found.result.unit)


def _compare_values(meant: AnswerValue, found: AnswerValue) -> Cause | None:
    """Return how two numbers differ, where it is by a sign or a power of ten alone."""
    if not isinstance(meant, Number) or not isinstance(found, Number) or not meant.value:
        return None
    one, other = abs(meant.value), abs(found.value)
    for power in _POWERS:
        if abs(shift_decimal(one, power) - other) <= other.scaleb(-9):
            return Cause.SCALE if power else Cause.SIGN
    return None


def _compare_rounded(meant: AnswerValue, found: AnswerValue) -> Cause | None:
    """Return how two numbers differ, where one is the other rounded, but for a sign or a power of ten."""
    if not isinstance(meant, Number) or not isinstance(found, Number) or not meant.value:
        return None
    for power in sorted(_POWERS, key=abs):
        shifted = shift_decimal(meant.value, power)
        if rounds_to(abs(shifted), abs(found.value)):
            same = shifted.is_signed() == found.value.is_signed()
            return Cause.SCALE if power else Cause.ROUNDED if same else Cause.SIGN
    return None


def _compare_leaves(meant: Term, found: Term) -> Cause:
    """Return how two terms differ that do the same with the same numbers."""
    signs = [
        sorted(
            leaf.number < 0
            for leaf in leaves(written_out(term))
            if isinstance(leaf, PrintedTerm | ConstantTerm) and leaf.number
        )
        for term in (meant, found)
    ]
    return Cause.SIGN if signs[0] != signs[1] else Cause.SCALE
