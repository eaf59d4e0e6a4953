"""Parser of single printed numbers, in digits or in words."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from quaestor.core.currencies import AFTER_NUMBER, BEFORE_NUMBER, SMALL_CODE, scaled_currency
from quaestor.core.encoding_artifacts import find_artifacts
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import SCALE_SIGN, SINGLE_UNITS, Quantity, Scale, scale_called
from quaestor.core.words import words

# Whole numbers in English words: "twenty-five", "one hundred and five thousand".

_SMALL = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: number
    for number, word in zip(
        range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split(), strict=True
    )
}
_GROUPS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_NONE = frozenset({"no", "none", "nil"})
_FILLER = frozenset({"and", "a"})


def read_number_words(text: str) -> int | None:
    """Return the whole number that a text spells out, or None if it contains anything else.

    >>> read_number_words("One hundred and twenty-five thousand")
    125000
    """
    tokens = words(text)
    if len(tokens) == 1 and tokens[0] in _NONE:
        return 0
    counting = [word for word in tokens if word not in _FILLER]
    if not counting:
        return None
    total = group = 0
    for word in counting:
        if word in _SMALL:
            group += _SMALL[word]
        elif word in _TENS:
            group += _TENS[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in _GROUPS:
            total, group = total + (group or 1) * _GROUPS[word], 0
        else:
            return None
    return total + group


# One printed number with its sign, parentheses, currency, percent sign, scale word and unit.
#
# `parsing` decides where to look for numbers. Every pattern is bounded, so that no text makes it slow.

DIGITS_AT_MOST = 30  # longer numbers are serial numbers or noise, not amounts
NUMBER = (
    r"(?:(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,2}(?:,[0-9]{2}){1,9},[0-9]{3}(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
    r"|\.[0-9]+)"
)

_GLUED_TO = (
    r"(?:(?<=\b(?:by|of|to))|(?<=\bfor)|(?<=\bfrom))(?!(?:19|20)[0-9]{2}(?![0-9%]|[,.][0-9]))"
    r"(?![0-3]?[0-9](?:\.?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[/.-][0-9]{1,2}[/.-][0-9]))"
)
"""After a word whose following space was lost ("by140 million"), but not before a year or a date."""
_FOOTNOTE_AT_MOST = 99
_CURRENCY = BEFORE_NUMBER
START = lazy_regex(
    rf"""(?:(?<![A-Za-z0-9_.\#])|{_GLUED_TO})(?<![0-9]:)(?=[^0-9]{{0,32}}[0-9])(?P<outer>\(\s{{0,3}})?(?P<minus1>-\s{{0,3}}(?=[$€£¥₹₩(.0-9]))?
    (?:(?P<currency>{_CURRENCY})\s{{0,3}}(?P<minus2>-\s{{0,2}}(?=[(.0-9]))?(?P<inner>\(\s{{0,3}})?)?
    (?P<minus3>-)?(?P<number>(?>{NUMBER}))(?P<exponent>e[+-]?[0-9]{{1,2}}(?![0-9a-z]))?""",
    re.VERBOSE | re.IGNORECASE,
)
_PERCENT = lazy_regex(r"\s?(?:%|percent\b|per\scent\b)", re.IGNORECASE)
_SCALE = lazy_regex(
    r"\s{0,3}-?\s?(?:(thousands?|hundred\smillion|mil-?\s?lions?|bil-?\s?lions?|trillions?|crores?|lakhs?|lacs?"
    rf"|m(?:io|rd|ln)\b\.?|mn|bn|bln|trn|tn)(?![A-Za-z0-9_])|(?P<sign>{SCALE_SIGN}))",
    re.IGNORECASE,
)
_SHORT_SCALE = lazy_regex(r"\s?(m|mm|cr)\b\.?|([kmb])\b", re.IGNORECASE)
_CELL_SCALE = lazy_regex(r"([kKmMbBT]|[mM][mM])(?![A-Za-z0-9])|\s([KMBT])\s*$")
_CLOSE = lazy_regex(r"\s{0,3}\)")
_MINUS_AFTER = lazy_regex(rf"\s{{0,3}}-\s{{0,3}}(?P<named>{AFTER_NUMBER})?\s*$")
_EMPTY_ECHO = lazy_regex(r"\s{0,3}\(\s{0,3}%\s{0,3}\)")
_ANY_SIGN = rf"(?:(?:[a-z.]{{0,4}}[$€£¥₹₩]|{SMALL_CODE})\s?)?"
_ECHO = lazy_regex(
    rf"\s{{0,3}}\(\s{{0,6}}{_ANY_SIGN}-?(?:{NUMBER}\s?%?\s?[-/]\s?)?{_ANY_SIGN}-?({NUMBER})\s?%?\s{{0,3}}\)",
    re.IGNORECASE,
)
"""The number repeated in parentheses, with a common currency."""
_BAD_RIGHT = lazy_regex(r"[A-Za-z0-9_\u00bc-\u00be\u2150-\u215e]|[.:][0-9]|,[0-9]|-[A-Za-z]")
_BAD_LEFT = lazy_regex(r"[A-Za-z][A-Za-z0-9.]{0,15}-$")
_UNIT = lazy_regex(
    r"\s?-?\s?(basis[\s-]points?|bpt?s?|percentage\spoints?|ppts?|pp|square\s(?:feet|foot)|years?|months?|weeks?|days?|hours?|shares?"
    r"|employees|people|stores|units|options|barrels|gallons|acres|tons|customers|locations|miles|times|(?:(?-i:[A-Z]{2,3}\s)|(?:€|euro)\s?)?cents?|pence|cps|pts?)\b"
    r"|(x\b|(?-i:[cp])\b(?!\.[a-z])|\u00a2)",
    re.IGNORECASE,
)
_CURRENCY_AFTER = lazy_regex(rf"\s{{0,6}}(?P<named>{AFTER_NUMBER})")
UNIT_NAMES = {
    "square foot": "square feet",
    **dict.fromkeys(("bp", "bps", "bpt", "bpts"), "basis points"),
    **dict.fromkeys(("pp", "ppt", "ppts"), "percentage points"),
    **dict.fromkeys(("pt", "pts"), "points"),
    **dict.fromkeys(("c", "cps", "cent", "\u00a2"), "cents"),
    "p": "pence",
    "x": "times",
}
"""Names of units by their short and singular forms."""
_NAME_BEFORE = lazy_regex(
    r"(?:\b(?:notes?|items?|pages?|section|rules?|form|nos?\s?\.?|sfas|fas|fin|asc|asu|eitf|apb|sab|sop|ifrs|ias"
    r"|topic|subtopic|level|tier|class|series|exhibit|part|chapter|title|phase|step|stage|tranche|schedule|basel|footnote|tables?"
    r"|charts?|figures?|russell|nasdaq|ftse|nikkei|wilshire|fortune|composite|midcap|smallcap|dow jones"
    r"|codes?|sic|zip|cik|cusip|isin|docket"
    r"|pcn\s?:|job\s?:|cycle|article|act\sof|poor\s?'?\s{0,5}s(?:\sindex)?)|s\s?&\s?p(?:\s\))?"
    r"|\(\s?continued\s\)|\bnotes\s[0-9]{1,2}(?:\s?,\s[0-9]{1,2}){0,2}(?:\s?,|\s?,?\sand))\s{0,3}$",
    re.IGNORECASE,
)
_NAME_AFTER = lazy_regex(r"\s?\(\s?[a-z]\s?\)", re.IGNORECASE)
_PLANS = frozenset({"401", "403", "409", "457", "501"})
_NAMES = frozenset({"3M", *(f"{plan}{letter}" for plan in _PLANS for letter in "kKbB")})
_PAGE = lazy_regex(r"\s{1,8}(?:[a-z][^|]{0,50})?\|\s?(?:19|20)[0-9]{2}\s(?:annual|form)\b", re.IGNORECASE)
_MONTH_BEFORE = lazy_regex(
    r"(?:\b(?:jan- uary|feb- ruary|sep- tember|septem- ber|octo- ber|novem- ber|decem- ber"
    r"|january|february|march|april|may|june|july|august|september|october|november|december))\s{0,3}$",
    re.IGNORECASE,
)
_NUMBER_BEFORE = lazy_regex(r"[0-9]\s{0,3}$")
_LAST_DAY = 31
_FRACTION_BEFORE = lazy_regex(r"[0-9]\s?/\s?$")
_FRACTION_AFTER = lazy_regex(r"\s?/\s?[0-9]")
_LIST_NUMBER = lazy_regex(r"\s{0,3}[0-9]{1,3}\s{0,3}[.)]\s{0,3}")


@dataclass(frozen=True, slots=True)
class QuantitySpan:
    """Number in running text with its span, which includes its currency, percent sign and scale word."""

    quantity: Quantity
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Tail:
    """Text after the digits: a percent sign, the number repeated in parentheses, a scale word."""

    percent: bool
    scale: Scale
    end: int


def decimal(digits: str) -> Decimal:
    """Return the exact value of printed digits, without thousands separators, with trailing zeros."""
    return Decimal(digits.replace(",", ""))


def read_number(text: str, masked: str, match: re.Match[str], *, cell: bool) -> QuantitySpan | None:
    """Return the quantity at a match of `START`, or None if its digits belong to a name, a footnote or a word.

    Args:
        masked: `text` with encoding artifacts blanked, of the same length.
        cell: Whether parentheses are a minus, and small numbers in them footnotes.
    """
    digits = match["number"]
    if len(digits) > DIGITS_AT_MOST or _BAD_LEFT.search(masked, max(0, match.start() - 20), match.start("number")):
        return None
    exponent = match["exponent"]
    if exponent and not (cell and ("." in digits or exponent[1] in "+-")):  # 2E5 is a code
        return None
    letter, currency = scaled_currency(match["currency"]) if match["currency"] else ("", None)
    tail = _read_tail(masked, match.end(), digits, short=currency is not None, cell=cell)
    bracketed = bool(match["outer"] or match["inner"])
    leads = cell and not masked[: match.start()].strip()
    noun = _match_unit(masked, tail.end, digits, cell=cell) if leads else None
    closing, inside = _match_closing(masked, tail.end, noun) if bracketed else (None, None)
    letter, currency = inside or (letter, currency)
    follows = not cell or _NUMBER_BEFORE.search(masked, max(0, match.start() - 4), match.start())
    aside = closing is not None and follows and not match["inner"] and (tail.percent or tail.scale is not Scale.ONE)
    if closing and not aside:
        if _is_footnote(masked, match, tail, cell=cell):
            return None
        glued = masked[closing.end() : closing.end() + 1].isalpha()
        tail = _join(tail, _read_tail(masked, closing.end(), digits, short=glued and currency is not None, cell=False))
    start = match.end("outer") if match["outer"] and (aside or match["inner"] or not closing) else match.start()
    if match["minus1"] and match["minus1"] != "-" and not leads:
        start = match.end("minus1")  # a dash between words
    if letter and tail.scale is Scale.ONE:
        tail = replace(tail, scale=scale_called(letter) or tail.scale)
    before_unit = tail.end
    unit, tail = _unit(masked, tail, currency, digits, cell=cell)
    end = tail.end
    if (
        _is_stuck(masked, match, tail, cell=cell)
        or _is_part_of_fraction(masked, match, cell=cell)
        or _is_name(masked, match, tail, unit, cell=cell)
    ):
        return None
    lone = closing is not None and not aside
    negative = lone or _has_minus(masked, match, leads=leads)
    if leads:
        opened = bracketed and closing is None
        if opened and not masked[end:].strip():  # the bracket closes in the next cell
            start, negative = match.start(), True
        elif after := _MINUS_AFTER.match(masked, end) or _MINUS_AFTER.match(masked, before_unit):
            if negative or opened:
                return None
            named = scaled_currency(after["named"])[1] if after["named"] else None
            unit, end, negative = unit or named, after.end(), True
    value = Decimal(f"{decimal(digits + (exponent or '')):f}")
    # the sign may be an encoding artifact of several characters
    start = next((debris.start for debris in find_artifacts(text) if debris.start < start < debris.end), start)
    printed = Quantity(-value if negative else value, _scale_of(tail), unit, text[start:end])
    return QuantitySpan(printed, start, end)


def _match_closing(
    masked: str, position: int, noun: re.Match[str] | None
) -> tuple[re.Match[str] | None, tuple[str, str | None] | None]:
    """Return the closing parenthesis after a number, and the scale letter and unit before it: "(1,234 €)", "(3.3p)"."""
    if closing := _CLOSE.match(masked, position):
        return closing, None
    within = _CURRENCY_AFTER.match(masked, position)
    if within and (closing := _CLOSE.match(masked, within.end())):
        return closing, scaled_currency(within["named"])
    if noun and _unit_name(noun) in SINGLE_UNITS and (closing := _CLOSE.match(masked, noun.end())):
        return closing, ("", _unit_name(noun))
    return None, None


def _read_tail(masked: str, position: int, digits: str, *, short: bool, cell: bool) -> _Tail:
    percent = _PERCENT.match(masked, position)
    end = percent.end() if percent else position
    echo = _ECHO.match(masked, end)
    if echo and echo[1] == digits:
        end = echo.end()
    elif percent and (empty := _EMPTY_ECHO.match(masked, end)):
        end = empty.end()
    word = _SCALE.match(masked, end) or (_SHORT_SCALE.match(masked, end) if short else None)
    if word is None and cell and digits + masked[end : end + 1] not in _NAMES:
        word = _CELL_SCALE.match(masked, end)
    if word is None:
        return _Tail(percent is not None, Scale.ONE, end)
    if "T" in word.groups():
        return _Tail(percent is not None, Scale.TRILLION, word.end())
    plain = re.sub(r"[\s.-]", "", next(filter(None, word.groups()))).casefold()
    scale = scale_called(plain) or Scale.ONE
    return _Tail(percent is not None, scale, word.end())


def _join(inner: _Tail, outer: _Tail) -> _Tail:
    """Combine the text after the digits inside the parentheses with the text after the parentheses."""
    scaled = inner if inner.scale is not Scale.ONE else outer
    return _Tail(inner.percent or outer.percent, scaled.scale, outer.end)


def _scale_of(tail: _Tail) -> Scale:
    return Scale.PERCENT if tail.percent else tail.scale


def _unit(masked: str, tail: _Tail, currency: str | None, digits: str, *, cell: bool) -> tuple[str | None, _Tail]:
    """Return the unit, and the tail extended by a currency; a noun is not part of the number's span."""
    noun = _match_unit(masked, tail.end, digits, cell=cell)
    in_cents = noun is not None and _unit_name(noun) == "cents"
    if currency:
        return "cents" if in_cents and currency == "CNY" else currency, tail
    if (after := _CURRENCY_AFTER.match(masked, tail.end)) and not (tail.percent or in_cents):
        letter, code = scaled_currency(after["named"])
        scale = scale_called(letter) or tail.scale
        return code, _Tail(tail.percent, scale, after.end())
    return _unit_name(noun) if noun else None, tail


def _match_unit(masked: str, position: int, digits: str, *, cell: bool) -> re.Match[str] | None:
    """Match the unit after a number, unless its letter may be a footnote mark or the number that of a note ("12c")."""
    noun = _UNIT.match(masked, position)
    if noun is None or not noun[2]:
        return noun
    if not (masked[position - 1].isdigit() or masked[position - 1] == ")"):
        return None
    if "." in digits or noun[2] not in "cp":
        return noun
    return noun if cell and (noun[2] == "p" or (len(digits) > 2 and digits.isdigit())) else None


def _unit_name(noun: re.Match[str]) -> str:
    """Return the name of a matched unit in its usual form: "pence" for "p"."""
    word = re.sub(r"[\s-]", " ", (noun[1] or noun[2]).casefold())
    word = "cents" if word.endswith(("cent", "cents")) else word
    return UNIT_NAMES.get(word, word if word.endswith(("s", "feet", "people", "pence")) else word + "s")


def _is_footnote(masked: str, match: re.Match[str], tail: _Tail, *, cell: bool) -> bool:
    """Whether parentheses hold a footnote mark or an enumeration rather than a negative number."""
    digits = match["number"]
    if match["outer"] is None or match["currency"] or tail.percent or tail.scale is not Scale.ONE:
        return False
    if not digits.isdigit() or int(digits) > _FOOTNOTE_AT_MOST:
        return False
    return not cell or bool(masked[: match.start()].strip(" $€£-("))


def _is_stuck(masked: str, match: re.Match[str], tail: _Tail, *, cell: bool) -> bool:
    """Whether the digits are part of a longer word ("10b5", "1st", "17:10")."""
    if tail.end != match.end() or _CURRENCY_AFTER.match(masked, match.end()):
        return False
    if _match_unit(masked, match.end(), match["number"], cell=cell):
        return False
    return _BAD_RIGHT.match(masked, match.end()) is not None


def _is_part_of_fraction(masked: str, match: re.Match[str], *, cell: bool) -> bool:
    """Whether the number is a part of a fraction or date with a slash: "1/3", "24/7"."""
    if cell or match["currency"]:
        return False
    start, end = match.span("number")
    return bool(_FRACTION_BEFORE.search(masked, max(0, start - 3), start) or _FRACTION_AFTER.match(masked, end))


def _is_name(masked: str, match: re.Match[str], tail: _Tail, unit: str | None, *, cell: bool) -> bool:
    """Whether the number is part of a name: a note, a level, an index, a list item, the code of a form."""
    if cell or unit or tail.percent or tail.scale is not Scale.ONE or "." in match["number"]:
        return False
    if len(match["number"]) > 1 and match["number"].startswith("0"):
        return True
    before = max(0, match.start() - 24), match.start()
    if _NAME_BEFORE.search(masked, *before):
        return not match["currency"]
    if _is_plan_or_page(masked, match):
        return True
    if int(match["number"].replace(",", "")) <= _LAST_DAY and _MONTH_BEFORE.search(masked, *before):
        return not match["currency"]
    return _LIST_NUMBER.fullmatch(masked) is not None


def _is_plan_or_page(masked: str, match: re.Match[str]) -> bool:
    """Whether the number is part of a plan's name ("401 ( k )") or a page number ("64 | 2017 form 10-k")."""
    if match["number"] in _PLANS and _NAME_AFTER.match(masked, match.end()):
        return True
    return not masked[: match.start()].strip() and _PAGE.match(masked, match.end()) is not None


def _has_minus(masked: str, match: re.Match[str], *, leads: bool) -> bool:
    """Whether a minus precedes the number, rather than the dash of a range after a digit or a parenthesis.

    A minus followed by a space counts only at the beginning of a cell.
    """
    if match["minus2"] or match["minus3"]:
        return True
    place = match.start("minus1")
    if place >= 0 and match["minus1"] != "-":
        return leads
    return place >= 0 and (place == 0 or masked[place - 1] in " (/\t\n")
