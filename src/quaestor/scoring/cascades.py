"""What a cascade of two runs would come to: accuracy and cost by the confidence that is asked of the first.

Owns the arithmetic over judged turns. `cascade_curve` takes each turn as it was answered in its own run: in a real
cascade the conversation holds the other one's answers too, after which the first stage is right more often, and surer.
What was played so (`quaestor.evaluation.replaying`) is counted by `played_point`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.llm.usage import Usage
from quaestor.scoring.bootstrap import Proportion, proportion

THRESHOLDS = tuple(step / 20 for step in range(21))
"""Where nobody names others: 0 to 1 by twentieths."""


@dataclass(frozen=True, slots=True)
class StageTurn:
    """One turn of one run, as a stage of a cascade.

    Attributes:
        right: Whether the answer is right.
        answered: Whether there is a value.
        failed: Whether there is none because the solver failed.
        confidence: Of the answer, where there is one.
        usage: Of models.
    """

    right: bool
    answered: bool = True
    failed: bool = False
    confidence: float | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """A cascade at one threshold.

    Attributes:
        threshold: The confidence that an answer of the first run needs.
        passed: Turns that are given to the second run.
        right: The turns that come out right.
        usage: Of models: the first run's in all turns, the second's in those that are given to it.
    """

    threshold: float
    passed: int
    right: Proportion
    usage: Usage

    @property
    def share(self) -> float:
        """The turns that are given to the second run, as a share of all."""
        return self.passed / self.right.total if self.right.total else 0.0


def cascade_curve(
    first: Sequence[StageTurn],
    second: Sequence[StageTurn],
    pages: Sequence[str],
    thresholds: Sequence[float] = THRESHOLDS,
) -> tuple[CascadePoint, ...]:
    """Returns what cascades of two runs come to, by threshold.

    An answer of the first run stands where it has a value and its confidence is the threshold or more; else the second
    run's does. Where that one failed, the first one's stands after all. So the cascade solver does it.

    Args:
        first: The turns of the run whose confidence decides.
        second: The same turns in the run that answers the others.
        pages: The page of each, for the intervals.
        thresholds: From 0 to 1.
    """
    before = sum((turn.usage for turn in first), Usage())
    return tuple(_point(first, second, pages, threshold, before) for threshold in thresholds)


def played_point(
    threshold: float, turns: Sequence[StageTurn], passed: Sequence[bool], pages: Sequence[str]
) -> CascadePoint:
    """Returns a cascade that was played, at its threshold.

    Args:
        threshold: The confidence that the first stage needed.
        turns: As they came out.
        passed: Whether each was given to the second stage.
        pages: The page of each, for the intervals.
    """
    used = sum((turn.usage for turn in turns), Usage())
    return CascadePoint(threshold, sum(passed), proportion([turn.right for turn in turns], pages), used)


def _point(
    first: Sequence[StageTurn], second: Sequence[StageTurn], pages: Sequence[str], threshold: float, before: Usage
) -> CascadePoint:
    passed = [not (one.answered and (one.confidence or 0.0) >= threshold) for one in first]
    taken = [
        other if gone and not (other.failed and one.answered) else one
        for one, other, gone in zip(first, second, passed, strict=True)
    ]
    used = (other.usage for other, gone in zip(second, passed, strict=True) if gone)
    right = proportion([turn.right for turn in taken], pages)
    return CascadePoint(threshold, sum(passed), right, sum(used, before))
