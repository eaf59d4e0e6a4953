"""Turns of a scored run whose references are worth reading again: wrong by the benchmark, and not yet settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quaestor.scoring.audits.audit import Audit
from quaestor.scoring.sameness import says_the_same
from quaestor.scoring.verdicts import TurnScore


@dataclass(frozen=True, slots=True)
class AuditCandidate:
    """A turn that a run answers otherwise than its reference.

    Attributes:
        conversation: The conversation's id.
        turn: The turn's place in it, from 0.
        answer: What the run answered, by the benchmark's convention.
        program: Its program, or None.
        reference: The reference program.
        confidence: How sure the solver was, or None.
        beside: How many other runs that were given answer the same.
    """

    conversation: str
    turn: int
    answer: str
    program: str | None
    reference: str
    confidence: float | None
    beside: int = 0


def audit_candidates(
    turns: Sequence[TurnScore], audit: Audit | None, others: Sequence[Mapping[tuple[str, int], str | None]] = ()
) -> tuple[AuditCandidate, ...]:
    """Returns the turns of a run that were answered, are wrong, and are not in an audit; the most telling first.

    Those come first that most other runs answer the same, and of these the surest.

    Args:
        turns: Of the run, scored.
        audit: What is settled; None where nothing is.
        others: What other runs answered, by conversation and turn.
    """
    settled = audit.by_turn if audit else {}
    found = [
        AuditCandidate(
            score.conversation,
            score.turn,
            score.predicted,
            score.program,
            score.gold_program,
            score.confidence,
            sum(says_the_same(answers.get((score.conversation, score.turn)), score.predicted) for answers in others),
        )
        for score in turns
        if score.predicted is not None and not score.correct and (score.conversation, score.turn) not in settled
    ]
    return tuple(sorted(found, key=lambda one: (-one.beside, -(one.confidence or 0))))
