"""Predicted answers in the form that scoring compares with references, and the scorers: every figure by its name.

The rules for right answers are in `metrics`, `stated` and `filing_answers`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue
from quaestor.errors import PlanError
from quaestor.plan.expressions import TableRows
from quaestor.plan.steps import Plan
from quaestor.scoring.filing_answers import FilingReference, answer_is_right, compare_prose
from quaestor.scoring.gold import GoldTurn, StatedAnswer, StatedReference
from quaestor.scoring.metrics import (
    display_match,
    executed_equal,
    legacy_match,
    parse_answer,
    program_equal,
    run_program,
)
from quaestor.scoring.stated import exact_match, f1_score, same_scale, stated_answer, stated_value
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class Prediction:
    """A solver's answer to one turn.

    Attributes:
        number: The answer by the benchmark's convention, written as by `quaestor.core.answer_value.value_to_text`; None
            without an answer.
        plan: The steps, with the cells and spans that they read, if any.
        as_percentage: Whether the number is displayed times a hundred, with a percent sign.
        statement: The displayed answer, for benchmarks of stated answers; None if unknown.
        evidence_rank: Rank, from 1, of the first shown block with the question's evidence; 0 if none has it, None if
            unknown.
    """

    conversation: str
    turn: int
    number: str | None
    program: str | None = None
    error: str | None = None
    confidence: float | None = None
    plan: Plan | None = None
    as_percentage: bool = False
    statement: StatedAnswer | None = None
    answer: Answer | None = None
    evidence_rank: int | None = None

    @property
    def stated(self) -> StatedAnswer | None:
        """The stated answer; None if there is no answer or it failed."""
        value = self.value
        return None if value is None else self.statement or stated_value(value)

    @property
    def full_answer(self) -> Answer:
        """The complete answer; without a value if there is no answer or it failed."""
        if self.error or self.answer is None:
            return Answer(self.value)
        return self.answer

    @property
    def value(self) -> AnswerValue | None:
        """The value to compare; None if there is no answer, it failed, or it cannot be parsed."""
        return None if self.error else parse_answer(self.number)


def prediction_of(turn: TurnRecord) -> Prediction:
    """Return the prediction of a stored turn."""
    answer = serial.restore(Answer, turn.answer)
    return Prediction(
        turn.conversation,
        turn.index,
        turn.number,
        turn.program,
        turn.error,
        answer.confidence,
        answer.plan,
        is_shown_as_percentage(answer),
        stated_answer(answer, turn.question),
        answer,
    )


Verdict = bool | float | None
"""Right or wrong, or right by a share; None if the reference lacks what the scorer needs."""

Judge = Callable[[Prediction, GoldTurn, Sequence[TableRows]], Verdict]
"""Judges a prediction by its reference and the rows of the document's tables."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Figure of a score; one over conversations names the scorer that all turns must satisfy (`whole`)."""

    name: str
    title: str
    needs: Literal["answer", "program", "display", "stated", "filing"]
    judge: Judge | None = None
    whole: str | None = None


def _program(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    if not gold.program:
        return None
    program = None if found.error else found.program
    return program is not None and _runs(program, tables) and program_equal(program, gold.program)


def _runs(program: str, tables: Sequence[TableRows]) -> bool:
    """Return whether a program has a result; the benchmark compares only such programs."""
    try:
        run_program(program, tables)
    except PlanError:
        return False
    return True


def _display(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    return None if gold.display is None else display_match(found.value, gold.display)


def _legacy(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    if gold.display is None:
        return None
    return legacy_match(found.value, gold.display, as_percentage=found.as_percentage)


def _judge_stated(compare: Callable[[StatedAnswer | None, StatedReference], Verdict]) -> Judge:
    return lambda found, gold, _: None if gold.stated is None else compare(found.stated, gold.stated)


def _filing(compare: Callable[[Answer, FilingReference], Verdict]) -> Judge:
    return lambda found, gold, _: None if gold.filing is None else compare(found.full_answer, gold.filing)


def _shown_first(most: int) -> Judge:
    return lambda found, *_: None if found.evidence_rank is None else 0 < found.evidence_rank <= most


SCORERS: dict[str, Scorer] = {
    scorer.name: scorer
    for scorer in (
        Scorer(
            "execution",
            "execution accuracy",
            "answer",
            lambda found, gold, _: executed_equal(found.value, gold.executed),
        ),
        Scorer("program", "program accuracy", "program", _program),
        Scorer("conversations", "conversation accuracy", "answer", whole="execution"),
        Scorer("display", "display match", "display", _display),
        Scorer("legacy", "older rule", "display", _legacy),
        Scorer("exact_match", "exact match", "stated", _judge_stated(exact_match)),
        Scorer("f1", "F1", "stated", _judge_stated(f1_score)),
        Scorer("scale", "scale", "stated", _judge_stated(same_scale)),
        Scorer("right", "right", "filing", _filing(answer_is_right)),
        Scorer("words", "prose, by its words (rough)", "filing", _filing(compare_prose)),
        Scorer("answered", "answered", "filing", lambda found, *_: found.full_answer.value is not None),
        Scorer("evidence_1", "evidence shown first", "filing", _shown_first(1)),
        Scorer("evidence_5", "evidence among the first 5 shown", "filing", _shown_first(5)),
    )
}
"""Every scorer by its name, in display order."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The two main figures and all scorers for one kind of references."""

    right: str
    second: str
    scorers: tuple[str, ...]


def _needing(*needs: str) -> tuple[str, ...]:
    return tuple(name for name, scorer in SCORERS.items() if scorer.needs in needs)


PROGRAMS = Measures("execution", "program", _needing("answer", "program", "display"))
"""For references that are programs with results."""
STATED = Measures("exact_match", "f1", _needing("stated"))
"""For references that are stated answers."""
FILINGS = Measures("right", "answered", _needing("filing"))
"""For references about whole documents."""


def measures_of(names: Iterable[str]) -> Measures:
    """Return the measures that the given scorers belong to."""
    given = set(names)
    for measures in (PROGRAMS, STATED, FILINGS):
        if {measures.right, measures.second} <= given:
            return measures
    raise ValueError(f"not a score: expected {PROGRAMS.right} and {PROGRAMS.second}, {STATED.right} or {FILINGS.right}")


def measures_for(gold: GoldTurn) -> Measures:
    """Return the measures for a reference."""
    if gold.filing is not None:
        return FILINGS
    return PROGRAMS if gold.stated is None else STATED


def answers_right(found: Answer, gold: GoldTurn) -> bool:
    """Return whether an answer is right by the benchmark (`Measures.right`), before it is stored."""
    if gold.filing is not None:
        return answer_is_right(found, gold.filing)
    if gold.stated is None:
        return executed_equal(found.value, gold.executed)
    return exact_match(stated_answer(found), gold.stated)
