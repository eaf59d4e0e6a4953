"""Scale and unit as captions and labels name them: "( in millions , except per share data )", "shares ( 000 )".

Owns the words. Whether a caption covers a table, a row or a column is `headers`' business.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.kinds import kind_of


@dataclass(frozen=True, slots=True)
class Caption:
    """What a caption or a label says about the numbers under it; None where it says nothing.

    Attributes:
        scale: `Scale.ONE` where the label itself rules out the table's scale (amounts per share, ratios, years).
        unit: A currency code or a counted noun.
    """

    scale: Scale | None = None
    unit: str | None = None


NOTHING = Caption()
_WRITTEN_OUT = 1_000_000
_SHARES_FIRST = re.compile(
    # The corners of workbooks that are made of tags: "NAME - USD ($) shares in Thousands, $ in Millions".
    r"(?<=\(\$\) )shares in (?:thousands|millions|billions)"
    r"(?:, (?P<sign>[$€£]) in (?P<word>thousands|millions|billions))?$",
    re.IGNORECASE,
)
_SCALES = {"t": Scale.THOUSAND, "0": Scale.THOUSAND, "m": Scale.MILLION, "b": Scale.BILLION}
_SCALE = re.compile(
    r"(?:\bin\s?(?:\$|u\.?s\.?\s?\$|dollars|us dollars)?\s?|^\W*|\(\s?(?:\$|dollars|amounts|us\$)?\s?(?:in\s)?)"
    r"(?P<word>thousands|thous\b|millions|billions|000(?:'?s)?\b)"
    # A label that ends in the word, also where the print has lost the space before it ("cash flowsmillions").
    r"|(?P<last>thousands|millions|billions)(?:\s(?:of|in)\s(?:u\.?s\.?\s)?dollars)?\W*$",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?:(?<![a-z0-9])(?P<code>usd|eur|gbp|cad|aud|chf|rmb|cny|sgd)|(?P<whose>[a-z]{0,2})(?P<sign>[$€£¥]))"
    r"(?:\s?['\u2018\u2019]?\s?(?P<word>thousand|million|billion|000)s?\b|(?P<letter>[km]|bn)\b)"
    r"|\bin\s(?P<plain>thousand|million|billion)\b",
    re.IGNORECASE,
)
"""The short forms: `€m`, `US$m`, `$'000`, `RMB'Million`, `$ million`, `USDm`, `(in million)`."""
_LETTERS = {"k": Scale.THOUSAND, "m": Scale.MILLION, "bn": Scale.BILLION}
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_PERCENT = re.compile(
    r"(?<![0-9])(?<![0-9]\s)%|\bin percentages?\b|\(\s?percent\s?\)|^\W*(?:as (?:an? )?)?percent(?:age)?\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\bper(?:[\s-]|\s\w+\s)?(?:share|unit|gallon|barrel|bbl|boe|mcf)|pershare|\bratios?\b|^ratio|\bbps\b"
    r"|\bbasis points\b|\bto average\s",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\(\s?in\s(?P<in>years|months|days|dollars)\s?\)|\(\s?(?P<bare>years|months)\s?\)", re.IGNORECASE)
_DOLLARS = re.compile(r"\$|\bdollars?\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:^\W*(?:total\s)?|\bnumber\s?of\s(?:[a-z]+\s)?|\(\s?(?:in\s)?)"
    r"(square feet|shares|options|rsus|units|gallons|barrels|acres|employees|staff|headcount|stores|customers"
    r"|securities)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:cost|price|value|amount|payments?|proceeds|expense|gains?|loss(?:es)?|compensation)\b", re.IGNORECASE
)
_BRACKETED = re.compile(
    r"\s?\((?:[^()]{0,80}?(?:\b|in)(?:thousands|thous|millions|billions|000s?|percentages)\b[^()]{0,80}"
    r"|\s?in dollars\s?)\)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\W*(?:(?:us\s|u\.?s\.?\s?)?(?:\$|dollars?|amounts?|dollar amounts|shares)\s)?(?:in\s?)?(?:\$\s?)?"
    r"(?:thousands|millions|billions|000s?|percentages|dollars|%)\b[^0-9]{0,80}|\W*(?:\$|%|\(\s*%\s*\)|\s)+\W*",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def read_caption(text: str) -> Caption:
    """Returns the scale and the unit that a caption or a label names.

    >>> read_caption("( dollars in millions , except per share data )")
    Caption(scale=<Scale.MILLION: 'million'>, unit='USD')
    """
    # Of counts of shares and of money, a table's scale is that of the money.
    label = _SHARES_FIRST.sub(
        lambda named: f"{named['sign']} in {named['word']}" if named["sign"] else "", text
    ).strip()
    if not label:
        return NOTHING
    if found := _SCALE.search(label):
        return Caption(_SCALES[(found["word"] or found["last"])[0].casefold()], _unit(label))
    return _short_caption(label) or _caption_of_single(label)


def _caption_of_single(label: str) -> Caption:
    """Returns what a label says that names no thousands, millions or billions."""
    if span := _SPAN.search(label):
        word = (span["in"] or span["bare"]).casefold()
        return Caption(Scale.ONE, "USD" if word == "dollars" else word)
    if _SINGLE.search(label):
        return Caption(Scale.ONE)
    if _PERCENT.search(label):
        return Caption(Scale.PERCENT)
    return Caption(None, _unit(label)) if not any(character.isdigit() for character in label) else NOTHING


def _short_caption(label: str) -> Caption | None:
    """Returns the scale that the short form at the end of a label names; None where there is none."""
    found = _SHORT.search(label)
    if found is None or any(map(str.isdigit, label[found.end() :])):
        return None
    word = found["word"] or found["plain"]
    scale = _SCALES[word[0].casefold()] if word else _LETTERS[found["letter"].casefold()]
    if found["code"]:
        return Caption(scale, found["code"].upper())
    # Dollars of another country ("S$") have no name here.
    named = found["sign"] and found["whose"].casefold() in ("", "us")
    return Caption(scale, _SIGNS[found["sign"]] if named else None)


def _unit(label: str) -> str | None:
    if _DOLLARS.search(label):
        return "USD"
    if _MONEY.search(label) or _SINGLE.search(label):
        return None
    counted = _COUNTED.search(label)
    return counted[1].casefold() if counted else None


def without_caption(text: str) -> str:
    """Returns a label without its bracketed scale caption, where something is left ("amount ( in millions )")."""
    rest = _BRACKETED.sub("", text).strip()
    return rest or text


def is_caption(text: str) -> bool:
    """Whether a cell is nothing but a caption ("( in thousands )", "millions of dollars", "$", "€m")."""
    plain = text.strip()
    if not plain or len(text) >= 200:
        return False
    return _WHOLE.fullmatch(plain) is not None or _SHORT.fullmatch(plain.strip("() ")) is not None


_IN_TEXT = re.compile(r"\(([^()]{0,120}\b(?:thousands|millions|billions)\b[^()]{0,120})\)", re.IGNORECASE)
_LEADS = re.compile(
    r"\b(?:(?P<unit>dollars|\$)\s)?in\s(?P<word>thousands|millions|billions)\b"
    r"(?:\sof\s(?P<of>(?:u\.?s\.?\s?)?dollars))?[^.:0-9]{0,60}:?[\s.:]*$",
    re.IGNORECASE,
)
"""The end of a sentence that says what the table after it counts in: `were as follows , in millions :`."""
_COUNTS = frozenset({"employees", "staff", "headcount", "stores", "square feet", "acres", "gallons", "barrels"})
_EXCEPTED = re.compile(r"\bexcept\b(?P<what>.*)", re.IGNORECASE | re.DOTALL)
_PER = re.compile(r"\bper[\s-]\w+", re.IGNORECASE)
_SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)


def covers(caption: str, unit: str | None, label: str, label_unit: str | None) -> bool:
    """Whether the scale of a table's caption holds for a line of it.

    It does not for what the caption excepts ("in thousands , except share data"), nor, of a caption that speaks of
    money ("$ in millions"), for what is counted by heads.

    Args:
        caption: The table's caption.
        unit: The unit that it names.
        label: The line's label.
        label_unit: The unit that the label names.
    """
    if unit == "USD" and label_unit in _COUNTS:
        return False
    found = _EXCEPTED.search(caption)
    return not (found and _SHARES.search(_PER.sub("", found["what"])) and _SHARES.search(_PER.sub("", label)))


_PAR = re.compile(r"\bpar(?: or stated)? value\b", re.IGNORECASE)


def is_price(label: str) -> bool:
    """Whether a label names an amount for one of something ("per share"), which has the unit of its table."""
    if _PER.search(label) is not None or "pershare" in label.casefold():
        return True
    return kind_of(label) == "price" or _PAR.search(label) is not None


def scale_in_text(quantity: Quantity) -> Scale | None:
    """Returns the scale that is known of a number in running text beside what it prints; None where nothing is.

    A number that is written out counts in ones: nobody prints `1,153,587` of what counts in thousands or millions.
    """
    return Scale.ONE if abs(quantity.value) >= _WRITTEN_OUT and quantity.scale is Scale.ONE else None


def caption_in_text(sentences: Sequence[str]) -> Caption:
    """Returns the caption that the sentences leading to a table name, the last one's first.

    It stands in brackets; or the sentence right before the table ends with it. Where that is all in brackets, what it
    says first holds: "(in millions, except number of shares, which are reflected in thousands)".
    """
    if sentences and _IN_TEXT.fullmatch(sentences[-1].strip()):
        caption = read_caption(sentences[-1])
        if caption.scale is not None:
            return caption
    if sentences and (found := _LEADS.search(sentences[-1])):
        unit = "USD" if found["unit"] or found["of"] else None
        return Caption(_SCALES[found["word"][0].casefold()], unit)
    for sentence in reversed(sentences):
        if found := _IN_TEXT.search(sentence):
            caption = read_caption(f"( {found[1].strip()} )")
            if caption.scale is not None:
                return caption
    return NOTHING
