"""The event of an answer of which it was counted what speaks for it."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class AnswerMeasured:
    """What a confidence is learned from was counted of a model's answer. None of it is a probability that it is right.

    Attributes:
        agreement: What the embedded solver gives its result, as a probability; 0 if that does not think of it.
        rank: Which of the embedded solver's results it is, from 1; 0 if it is none of them.
        findings: What computed evidence has against the plan.
        facts: How many of these no reading can explain.
        ties: Look-ups whose runner-up fitted as well, or nearly.
        repairs: Replies and plans that were refused before.
        agreeing: How many of the samples came to this result.
    """

    agreement: float
    rank: int
    findings: int = 0
    facts: int = 0
    ties: int = 0
    repairs: int = 0
    agreeing: int = 1
    samples: int = 1
    kind: Literal["answer_measured"] = field(default="answer_measured", kw_only=True)
