"""What a critic says of a draft, as it is on the wire, and what can be read of it where it is muddled.

A verdict is read where it is stated in so many words; none is guessed from the tone of a text, and one that says both
is none.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Literal

Duty = Literal["extraction", "calculation"]
"""What a critic judges: the numbers that were taken, or what was done with them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a critic says of a draft."""

    reasoning: str
    is_correct: bool
    issues: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """A critic said nothing that can be used, however often it was asked.

    Attributes:
        error: What was wrong with its last reply.
    """

    error: str


_LONGEST = 300
_READ = 20_000
"""Characters of a reply that are read, at most."""

_MARKUP = r"[\s\"'`*_#>.:-]{0,40}"
_STATED = re.compile(
    rf"\bis[ _-]?correct{_MARKUP}(?:[:=]|\bis\b|\bto\b){_MARKUP}(true|yes|1|false|no|0)\b", re.IGNORECASE
)
"""`"is_correct": true`, `is_correct = False`, `**is correct:** yes`."""

_WORD = r"(correct|approved|accepted|not correct|incorrect|wrong|not approved|rejected)"
_WHAT = r"(?:the |this |my )?(?:(?:draft|answer|extraction|calculation|verdict) (?:is |seems )?)?"
_SENTENCE = re.compile(
    rf"^{_MARKUP}(?:verdict{_MARKUP})?{_WHAT}{_WORD}[\s*_`\"']*(?=$|[.,;:!(-]|because\b|as\b|since\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that begins with the verdict: `The draft is correct.`, `Verdict: rejected, because ...`."""

_APPROVING = frozenset({"true", "yes", "1", "correct", "approved", "accepted"})
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)("|$)', re.DOTALL)


def salvage_verdict(text: str) -> Verdict | None:
    """Return the verdict in a reply that is prose, or JSON that is broken or cut off; None if it states none.

    >>> salvage_verdict("is_correct = true, as far as I can see").is_correct
    True
    >>> salvage_verdict('{"reasoning": "the wrong year", "is_correct": false, "issues": ["2008 is as').issues
    ['2008 is as']
    >>> salvage_verdict("If the draft is correct, fine.") is None
    True
    """
    text = text[:_READ]
    stated = [found[1] for found in _STATED.finditer(text)] or [found[1] for found in _SENTENCE.finditer(text)]
    approves = {word.lower() in _APPROVING for word in stated}
    if len(approves) != 1:
        return None
    reasoning = next(iter(_texts(text, "reasoning")), "")
    if approves == {True}:
        return Verdict(reasoning or _shortened(text), is_correct=True)
    issues = _texts(text, "issues") or [_shortened(reasoning or text)]
    return Verdict(reasoning, is_correct=False, issues=issues, changes=_texts(text, "changes"))


def _texts(text: str, key: str) -> list[str]:
    """Return the texts that are under a key of JSON, which may be broken or cut off behind it."""
    found = re.search(rf'"{key}"\s*:\s*+(\[?)\s*+(?=")', text)
    if found is None:
        return []
    said, place = list[str](), found.end()
    while (one := _TEXT.match(text, place)) is not None:
        said.append(_shortened(_unescaped(one[1])))
        between = re.compile(r"\s*+,\s*+(?=\")").match(text, one.end())
        if not found[1] or between is None:
            break
        place = between.end()
    return [one for one in said if one]


def _unescaped(written: str) -> str:
    try:
        read = json.loads(f'"{written}"', strict=False)
    except ValueError:
        return written
    return str(read)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
