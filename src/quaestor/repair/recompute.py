"""Recomputes turns after corrections: their plans are validated and executed again, exactly and in order.

Unaffected turns are returned unchanged. A turn keeps its plan; the solver is not asked again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer, Corrected
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import (
    Choice,
    Correction,
    Memory,
    NumberCorrection,
    ReadingChoice,
    Turn,
    Undo,
    active_corrections,
    apply_corrections,
)
from quaestor.documents.document import Document
from quaestor.errors import InputError, PlanError, PlanValidationError
from quaestor.evaluation.recording import named_failure
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.repair.choosing import plan_of_reading, with_choice
from quaestor.repair.numbers import Numbers, changed_places, require_numbers, with_numbers
from quaestor.solvers.answering import build_answer, verify_answer


def recompute(turns: Sequence[Turn], corrections: Sequence[Correction], document: Document) -> tuple[Turn, ...]:
    """Return the turns of a conversation with its corrections applied; the document is the corrected one."""
    recomputation = _Recomputation(turns, corrections, document)
    for place in range(len(turns)):
        recomputation.add(place)
    return tuple(recomputation.turns)


class _Recomputation:
    def __init__(self, turns: Sequence[Turn], corrections: Sequence[Correction], document: Document) -> None:
        self._turns, self._corrections, self._document = turns, corrections, document
        self._active = active_corrections(corrections)
        self._now = Numbers.of(self._active)
        self.turns: list[Turn] = []
        self._causes: list[frozenset[int]] = []

    def add(self, place: int) -> None:
        turn, causes = self._recompute_turn(place)
        self.turns.append(turn)
        self._causes.append(causes)

    def _recompute_turn(self, place: int) -> tuple[Turn, frozenset[int]]:
        turn = self._turns[place]
        # The corrections at the time of the question, with which the solver answered it.
        known = [correction for correction in self._corrections if correction.turns <= place]
        before = Numbers.of(active_corrections(known)) if known else Numbers()
        choices = dict(_choices_for(self._active, place))
        if not choices and turn.answer.value is None and turn.error is None:
            # Withheld, or not about numbers, and therefore independent of them.
            return turn, frozenset()
        plan = self._plan(turn, before, tuple(choices.values()))
        if plan is None:
            return turn, frozenset()
        changed = {*self._numbers(turn.answer.plan, before)}
        earlier = set(_referred_turns(plan, place))
        turns = apply_corrections(self._turns[:place], known)
        earlier_changed = any(_register(turns[index]) != _register(self.turns[index]) for index in earlier)
        if not choices and not changed and not earlier_changed:
            return turn, frozenset()
        causes = frozenset(choices.keys() | changed).union(*(self._causes[i] for i in earlier))
        return self._corrected(turn, plan, before, causes, chosen=bool(choices)), causes

    def _plan(self, turn: Turn, before: Numbers, choices: Sequence[Choice]) -> Plan | None:
        plan = turn.answer.plan and with_numbers(turn.answer.plan, before, self._now)
        for choice in choices:
            if isinstance(choice, ReadingChoice):
                read = plan_of_reading(turn.answer, choice)
                plan = read and with_numbers(read, before, self._now)
            plan = with_choice(plan, choice, self._document)
        return plan

    def _numbers(self, plan: Plan | None, before: Numbers) -> Iterator[int]:
        """Yield the corrections, or the undos of corrections, that changed numbers of a plan."""
        if plan is None:
            return
        for place in changed_places(plan, before, self._now):
            correction_number = self._now.by.get(place)
            undone = before.by.get(place)
            for correction in reversed(self._corrections) if correction_number is None else ():
                if isinstance(correction.act, Undo) and correction.act.of == undone:
                    correction_number = correction.number
            if correction_number is not None:
                yield correction_number

    def _corrected(self, turn: Turn, plan: Plan, before: Numbers, causes: frozenset[int], *, chosen: bool) -> Turn:
        given, memory = turn.answer, Memory(tuple(self.turns))
        error = None
        try:
            require_numbers(plan, before, self._now)
            answer = build_answer(plan, memory, self._document, read_question(turn.question))
            verified, registers = verify_answer(answer, memory, self._document)
        except PlanError as failure:
            if chosen and isinstance(failure, PlanValidationError):
                raise InputError(f"answer {len(self.turns) + 1} cannot be recomputed: {failure}") from failure
            answer, verified, registers = Answer(value=None, plan=plan, reason=str(failure)), False, ()
            error = named_failure(failure)
        answer = replace(
            answer,
            # The confidence belongs to the solver's reading, not to the one that a person chose.
            confidence=None if chosen else given.confidence,
            grounds=None if chosen else given.grounds,
            answerable=given.answerable,
            other_readings=given.other_readings,
            corrected=self._correction_note(given, causes),
        )
        return replace(turn, answer=answer, verified=verified, registers=registers, error=error)

    def _correction_note(self, given: Answer, causes: frozenset[int]) -> Corrected:
        latest = max(causes, default=self._corrections[-1].number)
        correction = next(one for one in self._corrections if one.number == latest)
        return Corrected(show_number(given), correction.author, correction.time, correction.number, correction.reason)


def _choices_for(corrections: Iterable[Correction], place: int) -> Iterator[tuple[int, Choice]]:
    """Yield a person's choices for a turn, each with the number of its correction."""
    for correction in corrections:
        act = correction.act
        if not isinstance(act, NumberCorrection | Undo) and act.turn == place:
            yield correction.number, act


def _referred_turns(plan: Plan, place: int) -> Iterator[int]:
    for step in plan.steps:
        for operand in step.operands if isinstance(step, Compute) else ():
            if isinstance(operand, Ref) and -place <= operand.step < 0:
                yield place + operand.step


def _register(turn: Turn) -> object:
    """Return the result of a turn as later plans use it."""
    return Memory((turn,)).registers[0]
