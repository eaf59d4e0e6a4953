"""Scales and units in captions and labels: "( in millions , except per share data )", "shares ( 000 )".

Whether a caption applies to a table, a row or a column is decided in `headers`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.currencies import is_currency
from quaestor.core.number_forms import UNIT_NAMES
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Quantity, Scale, scale_called
from quaestor.documents.kinds import is_per_item, kind_of
from quaestor.documents.unit_phrases import (
    currency_named,
    currency_of_label,
    ends_with_phrase,
    find_currency_phrase,
    find_unit_phrase,
    is_unit_line,
)


@dataclass(frozen=True, slots=True)
class Caption:
    """Scale and unit that a caption or label gives; None for what it does not mention.

    Attributes:
        scale: `Scale.ONE` if the label excludes the table's scale (amounts per share, ratios, years).
        unit: A currency code or a counted noun.
    """

    scale: Scale | None = None
    unit: str | None = None


NOTHING = Caption()
_WRITTEN_OUT = 1_000_000
_SHARES_FIRST = lazy_regex(
    # The top left cell in workbooks generated from tags: "NAME - USD ($) shares in Thousands, $ in Millions".
    r"(?<=\(\$\) )shares in (?:thousands|millions|billions)"
    r"(?:, (?P<sign>[$€£]) in (?P<word>thousands|millions|billions))?$",
    re.IGNORECASE,
)
_SCALE = lazy_regex(
    r"(?:\bin\s?(?:\$|u\.?s\.?\s?\$|dollars|us dollars)?\s?|^\W*|\(\s?(?:\$|dollars|amounts|us\$)?\s?(?:in\s)?)"
    r"(?P<word>thousands|thous\b|millions|billions|000,000\b|000(?:'?s)?\b)"
    # The word may end a label, even if the space before it is lost ("cash flowsmillions").
    r"|(?P<last>thousands|millions|billions)(?:\s(?:of|in)\s(?:u\.?s\.?\s)?dollars)?\W*$"
    # "2025 Million" and "Number of shares '000" are headings of counts.
    r"|\b(?:(?:19|20)[0-9]{2}|(?:number|shares|units|securities|options|rights)(?:,|\s[-\u2013])?)"
    r"\s(?P<counted>(?:thousand|million|billion)\b|['\u2018\u2019]000s?)\W*$"
    # "Sold (thousand cases)", "Sales area ('000 sq ft)", "Area '000 sq. ft."
    r"|\((?:in\s)?(?P<of>thousand|million|billion|['\u2018\u2019]?000|1,000)\s(?:of\s)?(?P<noun>[a-z][a-z0-9\s.\u00b2\u00b3/-]{0,20})\)$"
    r"|\s(?P<quoted>['\u2018\u2019]000)\s(?P<noun2>[a-z][a-z0-9\s.\u00b2\u00b3]{0,14})$",
    re.IGNORECASE,
)
_SCALES_NAMED = ("word", "last", "counted", "of", "quoted")
_PERCENT = lazy_regex(
    # A number before the sign is a percentage in the label, except a year: "2025 %", "Dec 25 %".
    r"(?:(?<![0-9])(?<![0-9]\s)|(?<=\b(?:19|20)[0-9]{2}\s)|(?<=\b[a-z]{3}\s[0-9]{2}\s))%"
    r"|\bin percentages?\b|\(\s?percent\s?\)|^\W*(?:as (?:an? )?)?percent(?:age)?\b",
    re.IGNORECASE,
)
_SINGLE = lazy_regex(
    # The price in "Dividend of 12.5p per share" is not that of the numbers beside it.
    r"(?<![0-9][pc¢]\s)(?<![0-9]\scents\s)(?<![0-9]\spence\s)(?<![0-9]p\)\s)"
    r"\bper(?:[\s-]|\s\w+\s)?(?:share|unit|gallon|barrel|bbl|boe|mcf)|pershare|\bratios?\b|^ratio|\bto average\s"
    r"|\b(?:inventory|assets?|receivables?|payables?) turnover\b|\b(?:debt|book)[- ]to[- ][a-z]+|\binterest coverage\b"
    r"|\bdays (?:sales|inventory|payables?|receivables?)\b|^(?:(?!for\b|shares\b)[a-z-]+\s){0,4}eps\b",
    re.IGNORECASE,
)
"""Labels of amounts per share, ratios and numbers of days, which are never in millions."""
_IN_PERCENT = lazy_regex(r"(?:\(|\s)%\)?:?$")
"""A sign that makes a ratio a percentage: "Cost to income ratio (%)"."""
_CHANGE = lazy_regex(r"\b(?:change|variance|variation|difference|increase|decrease|growth)s?\b", re.IGNORECASE)
_HUNDREDTHS = lazy_regex(
    r"(?:\(\s?(?:in\s)?(?:[a-z]{1,12}\s)?|\bin\s|,\s)(?P<named>cents|pence|sen|øre|öre)\s?\)?:?$"
    r"|(?:^(?:(?:hk|us|au|nz|sa)\s)?|[(\s](?:(?:hk|us|au|nz|sa)\s|[sa](?=¢))|\b(?:19|20)[0-9]{2}\s|\s[-\u2013\u2014]\s|\b(?:eps|dps|shares?)\s|\(|\bin\s)(?P<noted>cents?|pence|¢|cps|fen)"
    r"(?:\sper\s(?:[a-z]{1,12}\s){0,2}(?:share|unit|security))?\)?:?$",
    re.IGNORECASE,
)
HUNDREDTHS = frozenset({"cents", "pence", "sen", "øre", "öre", "fen"})
"""Units of prices that are not in the currency of their table."""
_BASIS_POINTS = lazy_regex(r"(?<![0-9])(?<![0-9]\s)\b(?:bpt?s\b|basis points?\b)", re.IGNORECASE)
_SPAN = lazy_regex(r"\(\s?(?:in\s)?(?P<word>years|months)\s?\)|\(\s?in\s(?P<days>days)\s?\)", re.IGNORECASE)
_COUNTED = lazy_regex(
    r"(?:^\W*(?:total\s)?|\bnumber\s?of\s(?:[a-z]+\s)?|\(\s?(?:in\s)?)"
    r"(square feet|shares|options|rsus|units|gallons|barrels|acres|employees|staff|headcount|stores|customers"
    r"|securities)\b",
    re.IGNORECASE,
)
_MONEY = lazy_regex(
    r"\b(?:cost|price|value|amount|payments?|proceeds|expense|gains?|loss(?:es)?|compensation)\b", re.IGNORECASE
)
_BRACKETED = lazy_regex(r"\s?\(([^()]{1,170})\)")
_PERCENTAGES = lazy_regex(r"[^()]{0,80}?\bpercentages\b[^()]{0,80}", re.IGNORECASE)
_SIGNS_ALONE = lazy_regex(
    r"\W*(?:in\s)?(?:(?:percentages|dollars)\b[^0-9]{0,80}|(?:\$|%|\(\s*%\s*\)|\s)+\W*)", re.IGNORECASE
)


@lru_cache(maxsize=8192)
def read_caption(text: str) -> Caption:
    """Return the scale and unit in a caption or label.

    >>> read_caption("( dollars in millions , except per share data )")
    Caption(scale=<Scale.MILLION: 'million'>, unit='USD')
    """
    # If a table has separate scales for money and shares, its scale is that of the money.
    label = _SHARES_FIRST.sub(
        lambda named: f"{named['sign']} in {named['word']}" if named["sign"] else "", text
    ).strip()
    if not label:
        return NOTHING
    phrase = find_unit_phrase(label)
    if phrase is not None and ends_with_phrase(label, phrase):
        return Caption(phrase.scale, phrase.currency or _unit(label))
    if found := _SCALE.search(label):
        scale = scale_called(next(filter(None, map(found.group, _SCALES_NAMED))))
        return Caption(scale, currency_named(label) or _unit(label) or found["noun"] or found["noun2"])
    return _caption_of_single(label)


def _caption_of_single(label: str) -> Caption:
    """Parse a label without thousands, millions or billions."""
    if span := _SPAN.search(label) or _HUNDREDTHS.search(label) or _BASIS_POINTS.search(label):
        word = next(filter(None, span.groups()), "basis points").casefold()
        return Caption(Scale.ONE, UNIT_NAMES.get(word, word))
    phrase = find_currency_phrase(label)
    if phrase is not None and ends_with_phrase(label, phrase):
        # A sign in brackets gives only the currency; the table's scale may still apply ("Price (€)", "Revenue ($)").
        # "Variance in dollars" beside "Variance in percent" is in the scale of the table.
        single = _SINGLE.search(label) or is_per_item(label)
        named = "in " in label[phrase.start : phrase.end].casefold() and not _CHANGE.search(label, 0, phrase.start)
        return Caption(Scale.ONE if named or single else None, phrase.currency)
    if _SINGLE.search(label) and not _IN_PERCENT.search(label):
        return Caption(Scale.ONE)
    if _PERCENT.search(label):
        return Caption(Scale.PERCENT)
    return Caption(None, _unit(label)) if not any(character.isdigit() for character in label) else NOTHING


def _unit(label: str) -> str | None:
    if code := currency_of_label(label):
        return code
    if _MONEY.search(label) or _SINGLE.search(label):
        return None
    counted = _COUNTED.search(label)
    return counted[1].casefold() if counted else None


def without_caption(text: str) -> str:
    """Return a label without a scale in brackets ("amount ( in millions )"), unless nothing else is left."""
    rest = _BRACKETED.sub(lambda found: "" if _is_unit(found[1]) else found[0], text).strip()
    return rest or text


def _is_unit(text: str) -> bool:
    """Whether the text in brackets gives a scale; a currency alone is kept, because it distinguishes rows."""
    if _PERCENTAGES.fullmatch(text) or _SCALE.search(f"({text})"):
        return True
    return is_unit_line(f"({text})") and (find_unit_phrase(text) is not None or "in " in text.casefold())


def is_caption(text: str) -> bool:
    """Whether a cell is only a caption ("( in thousands )", "millions of dollars", "$", "€m")."""
    plain = text.strip()
    if not plain or len(text) >= 200:
        return False
    return is_unit_line(plain) or _SIGNS_ALONE.fullmatch(plain) is not None


_IN_TEXT = lazy_regex(r"\(([^()]{0,120}\b(?:thousands|millions|billions)\b[^()]{0,120})\)", re.IGNORECASE)
_LEADS = lazy_regex(
    r"\b(?:(?P<unit>dollars|\$)\s)?in\s(?P<word>thousands|millions|billions)\b"
    r"(?:\sof\s(?P<of>(?:u\.?s\.?\s?)?dollars))?[^.:0-9]{0,60}:?[\s.:]*$",
    re.IGNORECASE,
)
"""The end of a sentence with the scale of the table after it: `were as follows , in millions :`."""
_COUNTS = frozenset({"employees", "staff", "headcount", "stores", "square feet", "acres", "gallons", "barrels"})
_EXCEPTED = lazy_regex(r"\bexcept\b(?P<what>.*)", re.IGNORECASE | re.DOTALL)
_PER = lazy_regex(r"\bper[\s-]\w+", re.IGNORECASE)
_SHARES = lazy_regex(r"\bshares?\b", re.IGNORECASE)


def applies_to(caption: str, unit: str | None, label: str, label_unit: str | None) -> bool:
    """Whether the scale of a table's caption applies to a row or column.

    It does not apply to exceptions ("in thousands , except share data"), nor to counts if the caption is about money
    ("$ in millions").
    """
    if is_currency(unit) and label_unit in _COUNTS:
        return False
    found = _EXCEPTED.search(caption)
    return not (found and _SHARES.search(_PER.sub("", found["what"])) and _SHARES.search(_PER.sub("", label)))


_PAR = lazy_regex(r"\bpar(?: or stated)? value\b", re.IGNORECASE)


def is_price(label: str) -> bool:
    """Whether a label is of an amount per item ("per share"), which has the currency of its table."""
    kind = kind_of(label)
    if kind != "count" and (_PER.search(label) is not None or "pershare" in label.casefold()):
        return True
    return kind == "price" or _PAR.search(label) is not None


def scale_in_text(quantity: Quantity) -> Scale | None:
    """Return the scale that a number in running text implies, or None.

    A number written out in full counts ones: amounts in thousands or millions are not written as `1,153,587`.
    """
    return Scale.ONE if abs(quantity.value) >= _WRITTEN_OUT and quantity.scale is Scale.ONE else None


def caption_in_text(sentences: Sequence[str]) -> Caption:
    """Return the caption in the sentences before a table, preferring the last sentence.

    The caption is in brackets, or ends the sentence right before the table.
    """
    if sentences and (found := _LEADS.search(sentences[-1])):
        unit = "USD" if found["unit"] or found["of"] else None
        return Caption(scale_called(found["word"]), unit)
    for sentence in reversed(sentences):
        if found := _IN_TEXT.search(sentence):
            caption = read_caption(f"( {found[1].strip()} )")
            if caption.scale is not None:
                return caption
    return NOTHING
