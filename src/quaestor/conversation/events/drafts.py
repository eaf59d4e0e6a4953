"""The events of drafts that are judged: made, examined, criticised, and one of them the answer."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Drafted:
    """An expert made a draft.

    Attributes:
        draft: Which of the turn, from 1.
        steps: Its steps for people, in order.
        result: What they come to, recomputed, for people.
        says: What the expert says is the answer, where it says so.
        checked: What was computed about it, whatever was found.
    """

    draft: int
    steps: tuple[str, ...]
    result: str
    says: str | None = None
    checked: tuple[str, ...] = ()
    kind: Literal["drafted"] = field(default="drafted", kw_only=True)


@dataclass(frozen=True, slots=True)
class NotDrafted:
    """An expert made no other draft.

    Attributes:
        draft: Which of the turn it would have been.
    """

    draft: int
    error: str
    kind: Literal["not_drafted"] = field(default="not_drafted", kw_only=True)


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """Something was computed that speaks against a draft.

    Attributes:
        finding: What sort of thing: `arithmetic`, `period`, ...
        step: Which step of the draft, from 1.
        text: What is wrong and what would be right.
    """

    draft: int
    finding: str
    step: int
    text: str
    kind: Literal["evidence_found"] = field(default="evidence_found", kw_only=True)


@dataclass(frozen=True, slots=True)
class VerdictGiven:
    """A critic judged a draft.

    Attributes:
        critic: What it judges: `extraction`, `calculation`.
        approves: Whether the draft is right as far as that goes.
    """

    draft: int
    critic: str
    approves: bool
    issues: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    kind: Literal["verdict_given"] = field(default="verdict_given", kw_only=True)


@dataclass(frozen=True, slots=True)
class VerdictMissing:
    """A critic said nothing about a draft that can be used.

    Attributes:
        critic: What it judges: `extraction`, `calculation`.
        error: What was wrong with its last reply.
    """

    draft: int
    critic: str
    error: str
    kind: Literal["verdict_missing"] = field(default="verdict_missing", kw_only=True)


@dataclass(frozen=True, slots=True)
class DraftSettled:
    """One of the drafts became the answer.

    Attributes:
        accepted: Whether nothing stands against it; else it is the one with least.
    """

    draft: int
    drafts: int
    accepted: bool
    kind: Literal["draft_settled"] = field(default="draft_settled", kw_only=True)
