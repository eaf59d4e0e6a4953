"""Questions that want the last answer in another form, and nothing else: "in thousands?", "what is that in percent?".

Owns the wordings. Each takes the whole text, so that "what was rent in thousands?" is none of them.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.quantity import Scale

_LEAD = r"(?:(?:and|so|then|now|but|ok|okay|well|please|or)\b[\s,]*)*"
_MEANT = (
    r"(?:that|this|it|the (?:last |same |above )?(?:answer|result|number|amount|figure|value|change|difference|sum))"
)
_ASKED = (
    rf"(?:(?:what(?: is|'s| was| would be| about)?|how much (?:is|was|would)|how about) {_MEANT}(?: be)?"
    rf"|(?:(?:can|could|would) you )?(?:please )?(?:convert|express|give|show|state|put|say|write)(?: me)? {_MEANT}"
    r"|what about|how about|how much|what)?"
)
_SCALES = {
    "thousand": Scale.THOUSAND, "million": Scale.MILLION, "billion": Scale.BILLION, "percent": Scale.PERCENT,
    "dollar": Scale.ONE, "one": Scale.ONE, "unit": Scale.ONE,
}  # fmt: skip
_FORM = re.compile(
    rf"{_LEAD}{_ASKED}\s*(?:(?:expressed|stated|measured|given)\s+)?"
    r"(?:in|to|into|as)\s+(?:a\s+)?(?:(?:full|whole|single|u\.?s\.?)\s+)*"
    r"(?P<to>thousands?|millions?|billions?|per ?cent(?:age)?s?(?: terms)?|%|dollars|ones|units)"
    r"(?P<money>\s+(?:of\s+)?(?:u\.?s\.? )?dollars)?(?:,?\s*(?:please|instead|then|now))*[\s?.!]*"
)


@dataclass(frozen=True, slots=True)
class AskedConversion:
    """In what the last answer is wanted.

    Attributes:
        to: The scale; `Scale.ONE` where single dollars or things are wanted.
        money: Whether an amount of money is spoken of.
    """

    to: Scale
    money: bool = False


@lru_cache(maxsize=1024)
def read_conversion(text: str) -> AskedConversion | None:
    """Returns in what a question in lower case wants the last answer; None where it asks for anything else.

    >>> read_conversion("and in billions of dollars?").to.value
    'billion'
    >>> read_conversion("what was rent in thousands?")

    Args:
        text: In lower case.
    """
    found = _FORM.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    said = found["to"].replace("per cent", "percent").replace("%", "percent")
    to = next(scale for name, scale in _SCALES.items() if said.startswith(name))
    return AskedConversion(to, bool(found["money"]) or said == "dollars")
