"""Questions that only convert the last answer: "in thousands?", "what is that in percent?".

The form has to match the whole text, which excludes "what was rent in thousands?".
"""

from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.currencies import NAME, currency_called
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.documents.unit_phrases import SCALE_WORD, scale_called

_LEAD = r"(?:(?:and|so|then|now|but|ok|okay|well|please|or)\b[\s,]*)*"
_MEANT = (
    r"(?:that|this|it|the (?:last |same |above )?(?:answer|result|number|amount|figure|value|change|difference|sum))"
)
_ASKED = (
    rf"(?:(?:what(?: is|'s| was| would be| about)?|how much (?:is|was|would)|how about) {_MEANT}(?: be)?"
    rf"|(?:(?:can|could|would) you )?(?:please )?(?:convert|express|give|show|state|put|say|write)(?: me)? {_MEANT}"
    r"|what about|how about|how much|what)?"
)
_FORM = lazy_regex(
    rf"{_LEAD}{_ASKED}\s*(?:(?:expressed|stated|measured|given)\s+)?"
    r"(?:in|to|into|as)\s+(?:a\s+)?(?:(?:full|whole|single|u\.?s\.?)\s+)*"
    rf"(?:(?P<to>{SCALE_WORD})(?:\s+(?:of\s+)?(?P<money>(?:u\.?s\.? )?{NAME}))?"
    r"|(?P<percent>per ?cent(?:age)?s?(?: terms)?|%)|(?P<ones>dollars)|ones|units)"
    r"(?:,?\s*(?:please|instead|then|now))*[\s?.!]*"
)


@dataclass(frozen=True, slots=True)
class QuestionConversion:
    """Requested form of the last answer.

    Attributes:
        to: The scale; `Scale.ONE` for dollars or single items.
        currency: The named currency, or None.
    """

    to: Scale
    currency: str | None = None


@lru_cache(maxsize=1024)
def read_conversion(text: str) -> QuestionConversion | None:
    """Read a lower-case question that only converts the last answer; return None for any other question.

    >>> read_conversion("and in billions of dollars?").to.value
    'billion'
    >>> read_conversion("what was rent in thousands?")
    """
    found = _FORM.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    if found["percent"]:
        return QuestionConversion(Scale.PERCENT)
    currency = currency_called(found["money"] or found["ones"] or "")
    return QuestionConversion(scale_called(found["to"] or "") or Scale.ONE, currency)
