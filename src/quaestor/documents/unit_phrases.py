"""Phrases for scales and currencies: `EUR m`, `TEUR`, `in thousands of euros`, `HK$'000`, `₹ crore`, `百万円`.

Used for captions, titles, headings, cells and sentences. Callers decide what a phrase applies to.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.currencies import CODE, NAME, SIGN, SIGN_NEAR_SCALE, SMALL_CODE, currency_called
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import SCALE_SIGN, Scale, scale_called

SCALE_WORD = (
    r"(?i:hundred\smillions?|ten\sthousands?|(?:thousand|million|billion|trillion|crore|lakh|lac)s?"
    r"|thous\b\.?|tsd\.?|tausend|mio\.?|mln\.?|mn\.?|bn\.?|bln\.?|mrd\.?|trn\.?|tn\.?"
    r"|millionen|milliarden?|milliards?|milliers|millones|milh(?:ões|ares)|milioni|miliardi|miles(?=\sde\b))"
)
_ZEROS = r"['\u2018\u2019`]?\s?000(?:['\u2018\u2019]?s)?"
_END = r"(?![A-Za-z])"
_BETWEEN = r"\s?(?:\((?:in\s)?|(?:(?:amounts?\s)?in|of|de|di|d['\u2019]|en)\s?)?\s?['\u2018\u2019]?"
_SHARED = (
    r"(?:(?i:\b(?:peso|rupee|shilling|franc|dinar|riyal)s?\b)"
    r"|(?<![A-Za-z])(?:[Kk]r\.?|Shs?\.?|Ps\.?|[Ll]ei)(?![A-Za-z]))"
)
"""Names and signs of several currencies, which give only a scale."""
_CURRENCY = rf"(?:{SIGN_NEAR_SCALE}|{NAME}|{_SHARED})"
_PHRASE = lazy_regex(
    rf"(?P<before>{_CURRENCY})(?:{_BETWEEN}(?P<word>(?:{SCALE_WORD}|(?i:mill)\b\.?){_END}|{_ZEROS}\b)"
    rf"|(?:\s?['\u2018\u2019]?(?P<letter>[kKmM]|mm|MM|[MB]n|MN|BN|(?:in\s)?[cC]rs?\.?|CR|[mM]il\.?)|(?P<letter2>[bB])){_END}"
    rf"|\s?(?P<sign>{SCALE_SIGN})[元円圓원]?)"
    rf"|(?<![A-Za-z])(?:(?P<code>{CODE}|RMB|R)(?P<letter3>[kKmM]|mm|MM|[bBmM]n)|(?P<letter4>[TtkKmM]|M[Nn])(?P<code2>{CODE}|kr\b\.?))"
    rf"{_END}|(?<![A-Za-z])(?P<letter5>[TkKmM]|M[Mn]|mm)\s?(?P<after>{SIGN})"
    rf"|(?<![A-Za-z])(?P<word2>{SCALE_WORD}|(?i:[mb]il\.)|(?<![0-9.,]){_ZEROS}){_BETWEEN}(?P<after2>{_CURRENCY})"
    rf"|(?P<sign2>{SCALE_SIGN})(?P<after3>{SIGN})"
)
"""A scale and a currency in combination."""
_IN_SCALE = lazy_regex(
    rf"(?:\bin\s|\bnearest\s|[(\[]\s?(?:in\s)?|(?:^|[:,]\s)(?!(?:m|b|tr)illion\b|thousand\b))"
    rf"(?P<word>{SCALE_WORD}{_END}|{_ZEROS}\b)|(?:^|[(\[:\uff1a])\s?(?P<sign>{SCALE_SIGN})(?=\s?(?:[)\]]|$))",
    re.IGNORECASE,
)
"""A scale alone, if unambiguous."""
_ROUND = r"1(?:[.,'\u2019\s]?000){1,2}|(?:1\s)?millions?"
_IN_ROUND = lazy_regex(
    rf"(?:^|[(\[:]|\b(?:19|20)[0-9]{{2}}\s)\s?(?:in\s)?"
    rf"(?:(?P<before>{CODE})\s(?P<word>1[.,'\u2019\s]?000)|(?:[x\u00d7]\s)(?P<before2>{CODE}|€)\s?(?P<word2>{_ROUND})"
    rf"|(?P<before3>{CODE}|€)\s[x\u00d7]\s?(?P<word3>{_ROUND})"
    rf"|(?P<before4>{_CURRENCY})\s?(?P<word4>100\smillions?)|(?P<word5>100\smillions?)\s(?:of\s)?(?P<after>{_CURRENCY}))"
    r"\s?(?=[)\]]|$)"
)
"""A scale as a number, as in a whole caption: "(NOK 1,000)", "EUR x 1,000", "100 million yen"."""
_IN_CURRENCY = lazy_regex(
    rf"(?:\bin\s|[(\[])(?:(?:whole|full|single|millions?\sof|thousands?\sof)\s)?(?P<named>{SIGN}|{NAME})(?=\s?(?:[)\].,;]|$|except\b|unless\b))"
)
"""A currency alone, if unambiguous: "(in euros)", "(US$)", "in CHF"."""
_POUNDS = lazy_regex(r"pounds?", re.IGNORECASE)
_WEIGHT = lazy_regex(r"\bweigh(?:t|s|ed)?\b", re.IGNORECASE)
_ALONE = lazy_regex(rf"\s?\(?\s?(?P<sign>{SIGN})\s?\)?\s?")
_LONGEST_SIGN = 12
_ANY_CURRENCY = lazy_regex(rf"{SIGN}|{NAME}")
_SYMBOL = lazy_regex(rf"(?![A-Za-z]{{1,6}}(?![A-Za-z$])){SIGN}|(?i:\b(?:[a-z]{{1,15}}\s){{0,2}}dollars?\b)")
_DOLLARS = {
    "canadian": "CAD", "cdn": "CAD", "australian": "AUD", "new zealand": "NZD", "hong kong": "HKD", "singapore": "SGD",
    "new taiwan": "TWD",
}  # fmt: skip
_US = lazy_regex(r"\bu\.?\s?s\b")
_ROUND_SCALES = (Scale.MILLION, Scale.THOUSAND, Scale.MILLION)
"""By how often the digits "000" are printed."""
_NEAR = 12
"""Number of characters around a scale with "$" in which its country is named."""
_EXCEPT = lazy_regex(r"\bexcept(?:ing)?\b|\bother than\b|\bexcluding\b", re.IGNORECASE)


_SCALE_ROOT = lazy_regex(
    r"thous|tsd|taus|illi|mi[olr]|000|[千万萬億亿兆천백만억십조]|crore|lakh|lac"
    rf"|(?<![a-z])(?:[kmbtg]|mm|[mbt]n|trn|[mb]ln|mrd|cr|mil)(?![a-z])|[kmt](?:{SMALL_CODE}|kr\b)|{SMALL_CODE}[kmb]"
)
"""Lower-case part of every separate scale; scales joined to a currency code are matched by capitals."""
_CAPITALS = lazy_regex(r"[A-Z]{3}|\bR[kKmMb]")


@dataclass(frozen=True, slots=True)
class UnitPhrase:
    """A phrase for a scale or currency, and its position.

    Attributes:
        scale: None if not given.
        currency: Code of the currency; None if not given or ambiguous.
    """

    scale: Scale | None
    currency: str | None
    start: int
    end: int


@lru_cache(maxsize=16384)
def find_unit_phrase(text: str) -> UnitPhrase | None:
    """Return the first phrase with a scale, and its currency; None if there is none.

    >>> phrase = find_unit_phrase("Net sales, EUR m")
    >>> phrase.scale.value, phrase.currency
    ('million', 'EUR')
    """
    if not _SCALE_ROOT.search(text.lower()) and not _CAPITALS.search(text):
        return None  # quick exit for most texts
    if any(sign in text for sign in ("000", "100", "x ", "\u00d7 ")) and (found := _IN_ROUND.search(text)):
        named = {name.rstrip("2345"): word for name, word in found.groupdict().items() if word}
        hundreds = named["word"].startswith("100 ")
        round_scale = Scale.HUNDRED_MILLION if hundreds else _ROUND_SCALES[named["word"].count("000")]
        return UnitPhrase(round_scale, currency_called(named.get("before") or named["after"]), *found.span())
    if found := _PHRASE.search(text):
        named = {name.rstrip("2345"): word for name, word in found.groupdict().items() if word}
        currency = currency_called(named.get("before") or named.get("after") or named["code"])
        letter = named.get("letter", "").rstrip(".").removeprefix("in ").removesuffix("s")
        scale = scale_called(letter or named.get("word") or named["sign"])
        if letter == "mil" and currency == "BRL":
            scale = Scale.THOUSAND  # in Portuguese; in English it is short for million
        return UnitPhrase(scale, _with_country(currency, text, *found.span()), *found.span())
    if found := _IN_SCALE.search(text):
        currency = _with_country(currency_named(text), text, *found.span())
        return UnitPhrase(scale_called(found["word"] or found["sign"]), currency, *found.span())
    return None


def _with_country(currency: str | None, text: str, start: int, end: int) -> str | None:
    """Return a currency, dollars as those that the words around name: "(in Canadian $)", "($ Cdn millions)"."""
    if currency != "USD":
        return currency
    around = text[max(0, start - _NEAR) : end + _NEAR].casefold()
    codes = {code for name, code in _DOLLARS.items() if name in around}
    return codes.pop() if len(codes) == 1 and not _US.search(around) else "USD"


def find_currency_phrase(text: str) -> UnitPhrase | None:
    """Return a phrase with a currency alone ("in euros", "(US$)"), or None."""
    found = _IN_CURRENCY.search(text)
    if found and _POUNDS.fullmatch(found["named"]) and _WEIGHT.search(text, 0, found.start()):
        return None
    return UnitPhrase(None, currency_called(found["named"]), *found.span()) if found else None


def currency_alone(heading: str) -> str | None:
    """Return the currency if a heading is only its sign or code ("RMB", "US$", "(€)"), else None."""
    found = _ALONE.fullmatch(heading) if len(heading) < _LONGEST_SIGN else None
    return currency_called(found["sign"]) if found else None


def currency_named(caption: str) -> str | None:
    """Return the currency in a caption; None if there is none or more than one."""
    main = _EXCEPT.split(caption, maxsplit=1)[0] or caption
    codes = {code for found in _ANY_CURRENCY.finditer(main) if (code := currency_called(found[0]))}
    return codes.pop() if len(codes) == 1 else None


@lru_cache(maxsize=8192)
def currency_of_label(label: str) -> str | None:
    """Return the currency of a sign or of "dollars" in a label; other names may be the topic of the line."""
    codes = set()
    for found in _SYMBOL.finditer(label):
        words = found[0].split()
        codes.add(next((c for n in range(len(words)) if (c := currency_called(" ".join(words[n:])))), None))
    codes.discard(None)
    return codes.pop() if len(codes) == 1 else None


_PREFIX = (
    r"(?:un-?audited|audited|all|tabular|financial|monetary|dollar|amounts?|figures|numbers|values?|data|information"
    r"|currency|currencies|dollars|thousands|millions|shares?|units?|expressed|stated|presented|shown|reported|given|are|is|in|of|and|the|these"
    r"|statements|tables?|unit|単位|单位|單位|단위|金额单位|unaudited,|otherwise|unless|indicated|noted|rounded|to|nearest"
    r"|consolidated|condensed|reporting|presentation|as|following|en|aus)"
)
_BEFORE = lazy_regex(
    rf"[\s(\[]*(?:{_PREFIX}(?![A-Za-z])[\s,;:\uff1a/\u2013\u2014-]*+){{0,14}}(?:(?<=and\s)[a-z ]{{3,40}}\s(?=in\s))?",
    re.IGNORECASE,
)
_AFTER = lazy_regex(
    r"\s*(?:$|[()\],;.:/'\u2019\u2013\u2014-]|(?:of|at|except|unless|other\sthan|excluding|and|or|per|as|where|with|which|if)\b"
    r"|(?:restated|unaudited|audited|revised|adjusted|reported)[0-9]?\s*$)"
    r"[^0-9]{0,220}[)\]\s.:;,]*",
    re.IGNORECASE,
)


def ends_with_phrase(text: str, phrase: UnitPhrase) -> bool:
    """Return whether only remarks follow a phrase ("EUR m, restated"), so that it is not part of a name."""
    return _AFTER.fullmatch(text, phrase.end) is not None


_LONGEST_PHRASE = 80
"""Limit in characters for a phrase, so that only the beginning of a text is searched."""


@lru_cache(maxsize=16384)
def is_unit_line(text: str) -> bool:
    """Return whether a text is only a phrase about units: "(EUR '000)", "All amounts in ₹ lakhs".

    >>> [is_unit_line(text) for text in ("(in euros)", "(Yen in millions, except shares)", "EUR m bonds", "yen")]
    [True, True, False, False]
    """
    plain = text.strip()
    if not plain or len(plain) >= 300:
        return False
    before = _BEFORE.match(plain)
    reach = before.end() if before else 0
    begins = plain[: reach + _LONGEST_PHRASE]
    for phrase in (find_unit_phrase(begins), find_currency_phrase(begins)):
        if phrase is not None:
            reached = before is not None and reach >= phrase.start
            # "Amount (in millions)" is a label with its unit.
            bracketed = plain[phrase.start] in "([" and any(map(str.isalpha, plain[: phrase.start]))
            if reached and not bracketed and ends_with_phrase(plain, phrase):
                return True
    return False
