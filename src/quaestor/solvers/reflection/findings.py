"""What computed evidence says of a draft.

Computes nothing and asks nobody.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "ungrounded", "arithmetic", "no result", "misplaced", "order", "base", "part", "operation", "period", "line",
    "scale", "sign",
]  # fmt: skip

HARD: frozenset[Kind] = frozenset({"ungrounded", "arithmetic", "no result"})
"""Facts: a number that the page does not print, a sum that does not come out. The rest are rules of reading, which
know exceptions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a draft, or looks so.

    Attributes:
        step: Which step of the draft, from 1.
        text: What is wrong and what would be right, in a sentence.
    """

    kind: Kind
    step: int
    text: str

    @property
    def hard(self) -> bool:
        """True if no draft that has it can be approved."""
        return self.kind in HARD

    @property
    def words(self) -> str:
        """For prompts and traces: `step 3 (arithmetic): ...`."""
        return f"step {self.step} ({self.kind}): {self.text}"


def hard(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those that no critic can overrule."""
    return tuple(finding for finding in findings if finding.hard)
