"""Results of plans."""

from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.solvers.embedded.filings.composing import Proposal

LOOKED_UP = ("value", "before")
"""Forms of plans that look up a single number."""
SAME = 0.005
"""Relative tolerance for equal numbers, because one of them may be rounded."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Result of one or several plans.

    Attributes:
        scale: The multiplier of its number.
        proposals: The plans, likeliest first.
        share: Their probability among all plans.
        right: The probability that it is right; 0 if it was not judged.
    """

    value: AnswerValue
    scale: Scale
    proposals: tuple[Proposal, ...]
    share: float
    right: float = 0.0

    @property
    def proposal(self) -> Proposal:
        """The likeliest plan."""
        return self.proposals[0]


def read_amount(result: PlanResult) -> float | None:
    """Return the amount of a result in ones, or None if it is not a number."""
    if not isinstance(result.value, Number):
        return None
    factor = 0.01 if result.scale is Scale.PERCENT else float(result.scale.factor)
    return float(result.value.value) * factor


def list_sentences(proposal: Proposal) -> Iterator[tuple[str, int]]:
    """Yield the sentences that a plan quotes or takes numbers from, by section and index."""
    refs = (step.source for step in proposal.plan.extracts)
    return ((ref.section, ref.sentence) for ref in refs if isinstance(ref, SentenceRef))
