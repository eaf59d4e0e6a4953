"""Printed text to number, as the transformation registries of inline XBRL define it (`ixt`, `ixt-sec`).

What is not of the form that its format asks for is an error, never a guess.
"""

import re
from collections.abc import Callable
from decimal import Decimal

from quaestor.core.number_conventions import DECIMAL_COMMA, DECIMAL_POINT
from quaestor.core.number_forms import read_number_words
from quaestor.core.patterns import lazy_regex

_LONGEST = 100
"""Characters of a number, at most; what is longer is none."""
_SPACES = lazy_regex(r"[\s\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]+")
_PLAIN = lazy_regex(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOT = lazy_regex(r"[0-9][0-9, '`\u2019]*(?:\.[0-9 ]*)?|\.[0-9][0-9 ]*")
_COMMA = lazy_regex(r"[0-9][0-9. '`\u2019]*(?:,[0-9 ]*)?|,[0-9][0-9 ]*")
_UNITS = lazy_regex(r"([0-9][0-9., ]*)[^0-9]+([0-9]{1,2})[^0-9]*")
_NOT_DIGITS = lazy_regex(r"[^0-9]")


def printed_number(text: str, format: str | None) -> Decimal:
    """Return the number that a printed text stands for, without the scale and the sign of its tag.

    Args:
        format: The local name of the transformation (`num-dot-decimal`); None if the text is a plain decimal.

    Raises:
        ValueError: The text is not of that form; the message says what it is.

    >>> printed_number("9.447,5", "num-comma-decimal")
    Decimal('9447.5')
    """
    printed = _SPACES.sub(" ", text).strip()
    if len(printed) > _LONGEST:
        raise ValueError(f"{printed[:30]!r}... is too long for a number")
    read = _plain if format is None else _FORMATS.get(format.casefold(), _unknown)
    try:
        return read(printed)
    except ValueError:
        raise ValueError(f"{printed!r} is not a number" + (f" of format {format}" if format else "")) from None


def decimal_mark(format: str) -> str | None:
    """Return the mark before decimals that a format asks for, by its local name; None if it asks for neither."""
    read = _FORMATS.get(format.casefold())
    return DECIMAL_POINT if read is _dot else DECIMAL_COMMA if read is _comma else None


def _plain(text: str) -> Decimal:
    """A decimal as XML Schema writes it; thousands' commas, which it forbids and filers print, are dropped."""
    plain = text.replace(",", "").replace(" ", "")
    if not _PLAIN.fullmatch(plain):
        raise ValueError
    return Decimal(plain)


def _dot(text: str) -> Decimal:
    if not _DOT.fullmatch(text):
        raise ValueError
    return Decimal(re.sub(r"[^0-9.]", "", text))


def _comma(text: str) -> Decimal:
    if not _COMMA.fullmatch(text):
        raise ValueError
    return Decimal(re.sub(r"[^0-9,]", "", text).replace(",", "."))


def _units(text: str) -> Decimal:
    """Whole units and hundredths with their names: "1 EUR 50 CENT"."""
    found = _UNITS.fullmatch(text)
    if found is None:
        raise ValueError
    return Decimal(f"{_NOT_DIGITS.sub('', found[1])}.{found[2]:0>2}")


def _zero(text: str) -> Decimal:
    return Decimal(0)


def _words(text: str) -> Decimal:
    """English words; "no" and "none" are zero."""
    found = read_number_words(text)
    if found is None:
        raise ValueError
    return Decimal(found)


def _unknown(text: str) -> Decimal:
    """A format that is in no registry: what most numbers of filings are in."""
    return _zero(text) if re.fullmatch(r"\W*", text) else _dot(text)


_FORMATS: dict[str, Callable[[str], Decimal]] = {
    **dict.fromkeys(
        (
            "num-dot-decimal",
            "num-dot-decimal-apos",
            "numdotdecimal",
            "numdotdecimalin",
            "numcommadot",
            "numspacedot",
        ),
        _dot,
    ),
    **dict.fromkeys(
        (
            "num-comma-decimal",
            "num-comma-decimal-apos",
            "numcommadecimal",
            "numdotcomma",
            "numspacecomma",
            "numcomma",
        ),
        _comma,
    ),
    **dict.fromkeys(("num-unit-decimal", "numunitdecimal", "numunitdecimalin"), _units),
    **dict.fromkeys(("fixed-zero", "zerodash", "numdash"), _zero),
    "numwordsen": _words,
}
