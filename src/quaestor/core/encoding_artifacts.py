"""Characters that a faulty conversion replaced by their hexadecimal codes (`2014` for a dash).

Whether a cell that contains only `2014` is a year or a dash depends on its table, and is not decided here.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.patterns import lazy_regex

_DEBRIS = lazy_regex(
    r"""(?<![0-9A-Za-z.,])(?:
      (?P<quote>201[cd])
    | (?P<space>a0)(?=[0-9A-Za-z]|\b)
    | (?P<euro>20ac)(?=[0-9.\s]|$)
    | (?P<pound>a3)(?=[0-9])
    | (?P<minus>2212|201[34]|fffd)(?=[0-9]{1,3}(?:\.[0-9]+)?\s?%)
    | (?P<unknown>fffd)
    | (?P<apostrophe>201[89])(?=[a-z])
    | (?P<dash>201[34])(?=[A-Za-z$]|(?:19|20)[0-9]{2}(?![0-9]))
    | (?P<symbol>201[3489]|2022|2122)(?![0-9A-Za-z%$/-]|[.,][0-9])
    )""",
    re.VERBOSE,
)
_PLAIN = str.maketrans(
    {
        "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-",
        "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ",
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    }
)  # fmt: skip
_FOR_MACHINES: dict[int, int | str] = {
    **{place: place - 0xFEE0 for place in range(0xFF01, 0xFF5F)},  # the full-width forms of ASCII
    **dict.fromkeys((*range(0x2002, 0x200B), 0x205F, 0x3000), " "),
    **dict.fromkeys(map(ord, "\u02bc\u00b4`"), "'"),
    **dict.fromkeys(map(ord, "\u2015\ufe63\u207b"), "-"),
    **_PLAIN,
    ord("\uffe5"): "¥",
}
_SYMBOLS = {"2013": "-", "2014": "-", "2018": "'", "2019": "'", "2022": "*", "2122": ""}
_MASKS = {"quote": " ", "space": " ", "euro": "€", "pound": "£", "unknown": " ", "apostrophe": " ", "dash": " "}
_SHOWN = {"quote": '"', "space": " ", "euro": "€", "pound": "£", "unknown": " ", "apostrophe": "'", "dash": " - "}
_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")
_RANGE_BEFORE = lazy_regex(r"(?:[0-9%]|%\s*\))\s*$")

# Words after which a number from 2013 to 2022 is a year and not a dash, a quote or a bullet.
_YEAR_FOLLOWS = lazy_regex(
    r"in|of|for|since|during|fiscal|years?|calendar|through|until|by|from|to|and|or|before|after|the|our|its|their|this"
    r"|that|late|early|mid|end|ended|ending|than|vs|versus|both|between|at|as|with|total|estimated|quarter|half|due"
    r"|(?:19|20)[0-9]{2}/|maturing|throughout|into|fy|compared|on|an?|about|periods?|q[1-4]|,|.*'s|.*2019s|.*-end(ed)?"
    r"|jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?"
)
_AFTER_YEAR = lazy_regex(r"restated|actual|unaudited|audited|budget")
_MONTH = lazy_regex(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")
_NEVER_POSSESSIVE = lazy_regex(r"years|this|vs|versus|was|is|as|periods|quarters|months|thus|across|plus")


@dataclass(frozen=True, slots=True)
class EncodingArtifact:
    """Span of text that replaces another character.

    Attributes:
        mask: One character for parsing: a minus, a currency sign or a space.
        shown: The text to display instead.
    """

    start: int
    end: int
    mask: str
    shown: str


@lru_cache(maxsize=8192)
def find_artifacts(text: str) -> tuple[EncodingArtifact, ...]:
    """Return the debris in running text or in a label, left to right; none in a text with capitals or signs.

    The conversion that damaged the signs also lost the capitals, so that "2022 Actual" begins with a year.
    """
    if text != text.lower() or not text.isascii():
        return ()
    found = []
    for match in _DEBRIS.finditer(text):
        kind = match.lastgroup or ""
        start, end = match.span()
        if kind == "minus":  # U+2212 and the replacement character are signs; a dash after a number is a range
            ranged = match[0].startswith("201") and _RANGE_BEFORE.search(text, max(0, start - 8), start) is not None
            found.append(EncodingArtifact(start, end, " " if ranged else "-", " - " if ranged else "-"))
        elif kind == "symbol":
            if not text.startswith("年", end) and not _is_year(text, start, end):
                sign = _SYMBOLS[match[0]]
                found.append(EncodingArtifact(start, end, " ", f" {sign} " if sign in "-*" else sign))
        else:
            found.append(EncodingArtifact(start, end, _MASKS[kind], _SHOWN[kind]))
    return tuple(found)


def mask_artifacts(text: str) -> str:
    """Return `text` of the same length with artifacts blanked, so that positions stay valid.

    Minus signs and currency signs remain as the last character of their span.
    """
    masked = text.translate(_FOR_MACHINES)
    for debris in find_artifacts(text):
        filler = debris.mask.rjust(debris.end - debris.start)
        masked = masked[: debris.start] + filler + masked[debris.end :]
    return masked


def normalize_text(text: str) -> str:
    """Return `text` for display, with one space between words."""
    parts, position = [], 0
    for debris in find_artifacts(text):
        before = text[position : debris.start]
        if debris.shown == "'" and text[debris.end : debris.end + 1] in ("s", " "):
            before = before.rstrip()
        parts += [before, debris.shown]
        position = debris.end
    parts.append(text[position:])
    return re.sub(r"\s+", " ", "".join(parts).translate(_PLAIN)).strip()


def _is_year(text: str, start: int, end: int) -> bool:
    """Whether 2013, 2014, 2018, 2019, 2022 at this place is a year (or an amount) rather than a lost character."""
    value = text[start:end]
    words = text[max(0, start - 40) : start].translate(_PLAIN).casefold().split()[-2:]
    previous = "".join(words[-1:])
    if len(previous) > 1 and previous.endswith(","):
        # As printed, not cut into words: "December 31, 2019 and 2018", "in 2019, 2018 and 2017".
        previous = previous[:-1] if _YEAR.fullmatch(previous[:-1]) else ","
    following = "".join(text[end : end + 40].split()[:1]).casefold()
    if previous.startswith(value) or following.startswith(value) or value == "2122":
        return value == "2122" and not previous.isalpha()
    if _YEAR.fullmatch(previous) and _YEAR.fullmatch(following):
        return previous < value < following or previous > value > following
    if _YEAR.fullmatch(previous) or _YEAR.match(following):
        return _MONTH.match(following) is None
    if not previous:
        return value != "2022" or not following.isalpha() or _AFTER_YEAR.fullmatch(following) is not None
    if (
        previous[-1] in "$€£"
        or following in ("", "annual", "form")
        or not (following[0].isalnum() or following[0] in "($")
    ):
        return True
    after_year = previous in ("and", "or") and _YEAR.fullmatch(words[0].rstrip(",")) is not None
    return after_year or _year_may_follow(previous, value, following)


def _year_may_follow(previous: str, value: str, following: str) -> bool:
    """Whether the word before makes the number a year, if a word or a number comes after it."""
    if value == "2022" and previous in ("and", "or"):
        return False
    if (
        value == "2019"
        and previous.endswith("s")
        and following[0].isalpha()
        and not previous.endswith("'s")
        and not _NEVER_POSSESSIVE.fullmatch(previous)
    ):
        return False
    return _YEAR_FOLLOWS.fullmatch(previous) is not None
