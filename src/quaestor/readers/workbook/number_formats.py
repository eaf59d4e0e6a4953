"""Formatting of numbers as in Excel (`#,##0_);(#,##0)`, `0.0%`, `#,##0,,"M"`, `mmm d, yyyy`).

Follows ECMA-376, part 1, 18.8.30 and 18.8.31. Colours and column widths are ignored; fractions are written as decimals.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from quaestor.core.patterns import lazy_regex

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);("$"#,##0)', 6: '"$"#,##0_);("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);("$"#,##0.00)', 9: "0%", 10: "0.00%", 11: "0.00E+00",
    12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm", 37: "#,##0_);(#,##0)",
    38: "#,##0_);(#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);(#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Number formats that workbooks refer to by id, as in the US edition of Excel."""

_TOKEN = lazy_regex(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<width>.)|\*(?P<fill>.)|\[(?P<bracket>[^\[\]]*)\]'
    r"|(?P<digits>[0#?]+(?:[,0#?]*[0#?])?(?P<point>\.[0#?]*)?|\.[0#?]+)(?P<commas>,*)|(?P<power>E[+-]0+)"
    r"|(?P<date>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+(?:\.0+)?|AM/PM|A/P)|(?P<general>General)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = lazy_regex(r"(<=|>=|<>|=|<|>)(-?[0-9.]+)")
_LONGEST_FORMAT = 500
_GENERAL_DIGITS = 10
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class ShownNumber:
    """A formatted number.

    Attributes:
        shift: Power of ten by which the displayed number is larger than the value in the cell: 2 for percentages, -3
            for thousands.
        is_number: Whether digits of the number are displayed; False for dates and for text that replaces the number.
    """

    text: str
    shift: int = 0
    is_number: bool = True


def print_number(value: Decimal, code: str, *, since_1904: bool = False) -> ShownNumber:
    """Format a number as Excel does.

    >>> print_number(Decimal("-1234567.8"), '"$"#,##0,_);("$"#,##0,)')
    ShownNumber(text='($1,235)', shift=-3, is_number=True)
    """
    sections = _sections(code)
    chosen, signed = _section(value, sections)
    tokens = _tokens(chosen)
    if any(kind in ("date", "elapsed") for kind, _ in tokens) and not any(kind == "digits" for kind, _ in tokens):
        return ShownNumber(_date(value, tokens, since_1904=since_1904), is_number=False)
    return _number(abs(value) if not signed else value, tokens, minus=signed and value < 0)


def _section(value: Decimal, sections: tuple[str, ...]) -> tuple[str, bool]:
    """Return the section of a format that applies to a number, and whether a minus sign is added."""
    for section in sections:
        found = next((_CONDITION.fullmatch(text) for kind, text in _tokens(section) if kind == "bracket"
                      and _CONDITION.fullmatch(text)), None)  # fmt: skip
        if found and _satisfies(value, found[1], Decimal(found[2])):
            return section, True
    plain = [section for section in sections if not _has_condition(section)]
    if not plain:
        return "General", True
    if len(plain) < len(sections):
        return plain[0], True
    if value < 0 and len(plain) > 1:
        return plain[1], False
    return (plain[2], False) if value == 0 and len(plain) > 2 else (plain[0], True)


def _has_condition(section: str) -> bool:
    return any(kind == "bracket" and _CONDITION.fullmatch(text) for kind, text in _tokens(section))


def _satisfies(value: Decimal, sign: str, bound: Decimal) -> bool:
    return {"<": value < bound, ">": value > bound, "<=": value <= bound, ">=": value >= bound, "=": value == bound,
            "<>": value != bound}[sign]  # fmt: skip


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[str, ...]:
    """Split a format at its semicolons."""
    parts, start = [], 0
    for match in _TOKEN.finditer(code[:_LONGEST_FORMAT]):
        if match["other"] == ";":
            parts.append(code[start : match.start()])
            start = match.end()
    return (*parts, code[start:_LONGEST_FORMAT])


@lru_cache(maxsize=512)
def _tokens(section: str) -> tuple[tuple[str, str], ...]:
    """Split a section of a format into tokens."""
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(section):
        kind, text = match.lastgroup or "other", match[0]
        if kind in ("quoted", "escaped"):
            found.append(("text", match[kind]))
        elif kind == "width":
            found.append(("text", " "))
        elif kind == "bracket":
            inner = match["bracket"]
            if inner.startswith("$"):
                found.append(("text", inner[1:].partition("-")[0]))
            else:
                found.append(("elapsed" if inner.casefold().strip("hms") == "" and inner else "bracket", inner))
        elif kind in ("point", "commas", "digits"):
            found.append(("digits", text))
        elif kind == "other":
            found.append(("percent" if text == "%" else "at" if text == "@" else "text", text))
        elif kind != "fill":
            found.append((kind, text))
    return tuple(found)


def _number(value: Decimal, tokens: tuple[tuple[str, str], ...], *, minus: bool) -> ShownNumber:
    percent = sum(kind == "percent" for kind, _ in tokens)
    places = [text for kind, text in tokens if kind == "digits"]
    commas = len(places[-1]) - len(places[-1].rstrip(",")) if places else 0
    shift = 2 * percent - 3 * commas
    shown = abs(value).scaleb(shift)
    if any(kind in ("general", "power") for kind, _ in tokens) or any(
        "/" in text for kind, text in tokens if kind == "text"
    ):
        body = _general(shown)
        printed = (
            "".join(_literal(kind, text) for kind, text in tokens if kind not in ("power",)) if not places else body
        )
        printed = printed.replace("\0", body)
        return ShownNumber((("-" if minus else "") + (printed or body)).strip(), shift)
    if not places:
        text = "".join(text for kind, text in tokens if kind in ("text", "percent")).strip()
        has_at = any(kind == "at" for kind, _ in tokens)
        return ShownNumber(("-" if minus else "") + _general(shown)) if has_at else ShownNumber(text, is_number=False)
    return ShownNumber(_fill_format(shown, tokens, places, minus=minus), shift)


def _literal(kind: str, text: str) -> str:
    return "\0" if kind == "general" else text if kind in ("text", "percent") else ""


def _fill_format(shown: Decimal, tokens: tuple[tuple[str, str], ...], places: list[str], *, minus: bool) -> str:
    """Format a number with a section whose digit placeholders are in one place."""
    pattern = "".join(places).rstrip(",")
    whole, _, fraction = pattern.partition(".")
    optional = len(fraction) - len(fraction.rstrip("#?"))
    rounded = shown.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
    digits, _, decimals = f"{rounded:f}".partition(".")
    decimals = decimals[: len(fraction) - optional] + decimals[len(fraction) - optional :].rstrip("0")
    least = whole.count("0")
    digits = digits.lstrip("0").rjust(least, "0") if least else digits.lstrip("0")
    if "," in whole:
        digits = f"{int(digits or 0):,}".rjust(least, "0") if digits else digits
    number = digits + (f".{decimals}" if decimals else "")
    written, done = [], False
    for kind, text in tokens:
        if kind == "digits":
            written.append("" if done else number or "0")
            done = True
        elif kind in ("text", "percent"):
            written.append(text)
    return ("-" if minus and rounded else "") + " ".join("".join(written).split())


def _general(value: Decimal) -> str:
    """Format a number without a format: ten digits, or scientific notation if it is very large or small."""
    if not value:
        return "0"
    size = value.adjusted()
    if size >= 20 or size < -9:
        return f"{value:.5E}"
    if value == value.to_integral_value():
        return f"{value:f}".partition(".")[0]
    rounded = value.quantize(Decimal(1).scaleb(-max(0, min(9, _GENERAL_DIGITS - 1 - max(size, 0)))), ROUND_HALF_UP)
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _date(value: Decimal, tokens: tuple[tuple[str, str], ...], *, since_1904: bool) -> str:
    """Format a serial number of days as date and time."""
    begin = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
    try:
        at = begin + timedelta(days=float(value)) + timedelta(microseconds=1)
    except (OverflowError, ValueError):
        return "#" * 8
    kinds = [(kind, text.casefold()) for kind, text in tokens]
    noon = any(kind == "date" and "/" in text for kind, text in kinds)
    written = []
    for place, (kind, text) in enumerate(kinds):
        if kind == "elapsed":
            hours = float(value) * 24
            written.append(str(int(hours if "h" in text else hours * 60 if "m" in text else hours * 3600)))
        elif kind != "date":
            written.append(tokens[place][1] if kind in ("text", "percent") else "")
        elif text.startswith("m") and _is_minutes(kinds, place):
            written.append(f"{at.minute:02d}" if len(text) > 1 else str(at.minute))
        else:
            written.append(_date_part(at, text, noon=noon))
    return " ".join("".join(written).split())


def _is_minutes(kinds: list[tuple[str, str]], place: int) -> bool:
    """Whether an `m` means minutes: after hours or before seconds."""
    times = [n for n, (kind, _) in enumerate(kinds) if kind in ("date", "elapsed")]
    at = times.index(place)
    before = kinds[times[at - 1]][1] if at else ""
    after = kinds[times[at + 1]][1] if at + 1 < len(times) else ""
    return before.startswith("h") or after.startswith("s")


def _date_part(at: datetime, text: str, *, noon: bool) -> str:
    length = min(len(text), 4)
    hour = (at.hour % 12 or 12) if noon else at.hour
    forms = {
        "y": (f"{at.year % 100:02d}", f"{at.year % 100:02d}", f"{at.year:04d}", f"{at.year:04d}"),
        "m": (str(at.month), f"{at.month:02d}", _MONTHS[at.month - 1][:3], _MONTHS[at.month - 1]),
        "d": (str(at.day), f"{at.day:02d}", _DAYS[at.weekday()][:3], _DAYS[at.weekday()]),
        "h": (str(hour), *[f"{hour:02d}"] * 3),
        "s": (str(at.second), *[f"{at.second:02d}"] * 3),
        "a": ("AM" if at.hour < 12 else "PM",) * 4,
    }
    return _MONTHS[at.month - 1][0] if text == "mmmmm" else forms[text[0]][length - 1]
