"""The event of solvers that are asked one after the other: what a stage came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class StageAnswered:
    """A stage of a cascade has said what it has to say.

    Attributes:
        stage: Which, from 1.
        taken: Whether its answer is the turn's.
        shown: The answer for people; None if it found none.
        confidence: How sure it is, where it says so.
        least: How sure it had to be; None of the last stage.
        error: Why it found no answer, where it failed.
        seconds: How long it took.
        usage: What it asked of models, as `Usage.counts` has it; nothing of nothing.
    """

    stage: int
    solver: str
    taken: bool
    shown: str | None = None
    confidence: float | None = None
    least: float | None = None
    error: str | None = None
    seconds: float = 0.0
    usage: Mapping[str, int] = field(default_factory=dict)
    kind: Literal["stage_answered"] = field(default="stage_answered", kw_only=True)
