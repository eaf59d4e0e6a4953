"""What a critic says of a draft, as it is on the wire."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

Duty = Literal["extraction", "calculation"]
"""What a critic judges: the numbers that were taken, or what was done with them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a critic says of a draft."""

    reasoning: Annotated[str, Field(description="How you judge, in a few sentences.")]
    is_correct: Annotated[bool, Field(description="Whether the draft is correct as far as your duty goes.")]
    issues: Annotated[list[str], Field(description="What is wrong, one sentence each; empty if nothing is.")] = field(
        default_factory=list
    )
    changes: Annotated[list[str], Field(description="What to change, one sentence each.")] = field(default_factory=list)
