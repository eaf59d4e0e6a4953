"""Inline XBRL tags of a filing: concept, period and unit of its numbers.

Implemented here because only contexts, units and transformations are needed, from the parsed tree alone. The usual
processor fetches the taxonomies that a filing refers to from the network (docs/decisions.md). A broken tag gives a
warning instead of a fact; its number is read like an untagged one.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.number_conventions import DECIMAL_COMMA, DECIMAL_POINT
from quaestor.core.number_forms import read_number_words
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.documents.facts import Fact

if TYPE_CHECKING:
    from lxml.etree import _Element

INLINE = "ix"
INSTANCE = "xbrli"
DIMENSIONS = "xbrldi"
SCHEMA_INSTANCE = "xsi"

_KINDS = {
    "inlinexbrl": INLINE,
    "instance": INSTANCE,
    "xbrldi": DIMENSIONS,
    "xmlschema-instance": SCHEMA_INSTANCE,
    "iso4217": "iso4217",
    "ifrs-full": "ifrs-full",
}
"""Prefixes by the last word of a namespace's path, which is the same in all versions."""


class Names:
    """Namespaces of a file by prefix."""

    def __init__(self, root: "_Element") -> None:
        """Read the declarations of the first element that has any."""
        self._spaces: dict[str, str] = {}
        self._kinds: dict[str, tuple[str, str]] = {}
        for element in root.iter():
            for name, space in _named_values(element):
                if name.startswith("xmlns:"):
                    self._spaces[name[6:].casefold()] = space
            if self._spaces:
                break

    def kind(self, element: "_Element") -> tuple[str, str]:
        """Return the usual prefix of an element's namespace, and its local name in lower case."""
        return self.kind_of(element.tag) if isinstance(element.tag, str) else ("", "")

    def kind_of(self, name: str) -> tuple[str, str]:
        """Return the usual prefix and the local name for the name of a tag or attribute."""
        found = self._kinds.get(name)
        if found is None:
            prefix, colon, local = name.casefold().rpartition(":")
            found = self._kinds[name] = usual_prefix(self._spaces.get(prefix, prefix)) if colon else "", local
        return found

    def qualified(self, name: str) -> str:
        """Return a qualified name with the usual prefix of its namespace (`us-gaap:Assets`)."""
        prefix, colon, local = name.strip().rpartition(":")
        if not colon:
            return local
        space = self._spaces.get(prefix.casefold())
        usual = usual_prefix(space) if space and _is_public(space) else prefix
        return f"{usual}:{local}"


@lru_cache(maxsize=256)
def usual_prefix(space: str) -> str:
    """Return the usual prefix of a namespace; a prefix is returned unchanged.

    >>> usual_prefix("http://fasb.org/us-gaap/2024")
    'us-gaap'
    """
    try:
        words = [word for word in urlsplit(space).path.casefold().split("/") if word]
    except ValueError:  # the host is not valid
        words = []
    if not words or "/" not in space:
        return space.casefold()
    named = words[-1] if not words[-1][0].isdigit() else words[-2] if len(words) > 1 else words[-1]
    return _KINDS.get(named, named)


@lru_cache(maxsize=256)
def _is_public(space: str) -> bool:
    """Whether a namespace belongs to a public taxonomy, so that its prefix is independent of the filer."""
    try:
        host = urlsplit(space).netloc.casefold()
    except ValueError:
        return False
    return host.endswith(("fasb.org", "xbrl.us", "xbrl.sec.gov", "xbrl.org", "xbrl.ifrs.org"))


def attributes(element: "_Element") -> dict[str, str]:
    """Return the attributes without a namespace, with names in lower case."""
    return {name.casefold(): value for name, value in _named_values(element) if ":" not in name}


def _named_values(element: "_Element") -> Iterable[tuple[str, str]]:
    return cast("Iterable[tuple[str, str]]", element.attrib.items())  # bytes only occur in Python 2


_LONGEST_TEXT = 10_000
"""Limit in characters for a tagged number or for words of the cover; reading stops after longer text."""


def text_of(element: "_Element", skipped: Collection["_Element"] = ()) -> str:
    """Return the text that an element encloses, without comments and without the elements in `skipped`."""
    if isinstance(element.tag, str) and element not in skipped and next(iter(element), None) is None:
        return element.text or ""
    found: list[str] = []
    room = _LONGEST_TEXT
    for text in _texts_in(element, skipped):
        found.append(text)
        room -= len(text)
        if room < 0:  # deeply nested tags would be read repeatedly
            break
    return "".join(found)


def _texts_in(element: "_Element", skipped: Collection["_Element"]) -> "Iterator[str]":
    from lxml import etree

    walker = etree.iterwalk(element, events=("start", "end", "comment"))
    event: str
    part: Any
    for event, part in walker:
        if event != "start":
            if part.tail and part is not element:
                yield part.tail
        elif part in skipped:
            walker.skip_subtree()
        elif part.text:
            yield part.text


# Conversion of printed text to numbers by the transformation registries of inline XBRL (`ixt`, `ixt-sec`).
#
# Text that does not match its format is an error.

_LONGEST = 100
"""Limit in characters for a number."""
_SPACES = lazy_regex(r"[\s\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]+")
_PLAIN = lazy_regex(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOT = lazy_regex(r"[0-9][0-9, '`\u2019]*(?:\.[0-9 ]*)?|\.[0-9][0-9 ]*")
_COMMA = lazy_regex(r"[0-9][0-9. '`\u2019]*(?:,[0-9 ]*)?|,[0-9][0-9 ]*")
_UNITS = lazy_regex(r"([0-9][0-9., ]*)[^0-9]+([0-9]{1,2})[^0-9]*")
_NOT_DIGITS = lazy_regex(r"[^0-9]")


def printed_number(text: str, format: str | None) -> Decimal:
    """Return the number that a text displays, without the scale and sign of its tag.

    Args:
        format: The local name of the transformation (`num-dot-decimal`); None if the text is a plain decimal.

    Raises:
        ValueError: The text does not match the format; the message quotes it.

    >>> printed_number("9.447,5", "num-comma-decimal")
    Decimal('9447.5')
    """
    printed = _SPACES.sub(" ", text).strip()
    if len(printed) > _LONGEST:
        raise ValueError(f"{printed[:30]!r}... is too long for a number")
    read = _plain if format is None else _FORMATS.get(format.casefold(), _guess_number)
    try:
        return read(printed)
    except ValueError:
        raise ValueError(f"{printed!r} is not a number" + (f" of format {format}" if format else "")) from None


def decimal_mark(format: str) -> str | None:
    """Return the decimal separator of a format, by its local name; None if the format determines none."""
    read = _FORMATS.get(format.casefold())
    return DECIMAL_POINT if read is _dot else DECIMAL_COMMA if read is _comma else None


def _plain(text: str) -> Decimal:
    """Parse a decimal of XML Schema; thousands separators, which filers add although it forbids them, are dropped."""
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
    """Parse whole units and hundredths with their names: "1 EUR 50 CENT"."""
    found = _UNITS.fullmatch(text)
    if found is None:
        raise ValueError
    return Decimal(f"{_NOT_DIGITS.sub('', found[1])}.{found[2]:0>2}")


def _zero(text: str) -> Decimal:
    return Decimal(0)


def _words(text: str) -> Decimal:
    """Parse English number words; "no" and "none" are zero."""
    found = read_number_words(text)
    if found is None:
        raise ValueError
    return Decimal(found)


def _guess_number(text: str) -> Decimal:
    """Parse text of an unknown format, with the conventions that most filings use."""
    return _zero(text) if re.fullmatch(r"\W*", text) else _dot(text)


_FORMATS: dict[str, Callable[[str], Decimal]] = {
    **dict.fromkeys(
        "num-dot-decimal num-dot-decimal-apos numdotdecimal numdotdecimalin numcommadot numspacedot".split(), _dot
    ),
    **dict.fromkeys(
        "num-comma-decimal num-comma-decimal-apos numcommadecimal numdotcomma numspacecomma numcomma".split(), _comma
    ),
    **dict.fromkeys(("num-unit-decimal", "numunitdecimal", "numunitdecimalin"), _units),
    **dict.fromkeys(("fixed-zero", "zerodash", "numdash"), _zero),
    "numwordsen": _words,
}


# Contexts (period and part of the company) and units, to which tags refer.

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class TagContext:
    """Period of a fact and the part of the company it is about.

    Attributes:
        start: The first day of a duration; None for an instant.
        end: The last day, or the day of an instant.
        dimensions: Sorted pairs of axis and member; for a typed dimension, the text of its element.
    """

    start: date | None
    end: date
    dimensions: tuple[tuple[str, str], ...] = ()


def read_context(element: "_Element", names: Names) -> TagContext:
    """Parse an `xbrli:context`.

    Raises:
        ValueError: It has no date or an invalid one (also for periods without end), or ends before it begins.
    """
    days: dict[str, date] = {}
    dimensions: list[tuple[str, str]] = []
    for part in element.iter():
        kind = names.kind(part)
        if kind[0] == INSTANCE and kind[1] in ("instant", "startdate", "enddate"):
            days[kind[1]] = _day(text_of(part), ends=kind[1] != "startdate")
        elif kind[0] == DIMENSIONS and kind[1] in ("explicitmember", "typedmember"):
            axis = names.qualified(attributes(part).get("dimension", ""))
            member = text_of(part).strip()
            dimensions.append((axis, names.qualified(member) if kind[1] == "explicitmember" else member))
    end = days.get("instant") or days.get("enddate")
    if end is None:
        raise ValueError("it has no date")
    start = None if "instant" in days else days.get("startdate")
    if start is not None and start > end:
        raise ValueError(f"it ends on {end}, before it begins")
    return TagContext(start, end, tuple(sorted(dimensions)))


def read_unit(element: "_Element", names: Names) -> str:
    """Parse an `xbrli:unit`: `USD`, `shares`, `USD/shares`, `pure`.

    Raises:
        ValueError: It has no measure.
    """
    over: list[str] = []
    under: list[str] = []
    below: set[_Element] = set()
    for part in element.iter():
        kind = names.kind(part)
        if kind == (INSTANCE, "unitdenominator"):
            below.update(part.iter())
        elif kind == (INSTANCE, "measure"):
            measure = names.qualified(text_of(part)).rpartition(":")[2]
            (under if part in below else over).append(measure)
    if not over or not all(over + under):
        raise ValueError("it has no measure")
    return "*".join(over) + ("/" + "*".join(under) if under else "")


def read_all(
    elements: Iterable["_Element"], read: Callable[["_Element"], _Read], what: str, warn: Callable[[str], None]
) -> dict[str, _Read]:
    """Parse elements and return the results by id; elements that cannot be parsed are left out with a warning.

    Args:
        elements: The first of several elements with the same id counts.
        warn: Called with one line for each element that cannot be parsed.
    """
    found: dict[str, _Read] = {}
    for element in elements:
        id = attributes(element).get("id", "")
        try:
            found.setdefault(id, read(element))
        except ValueError as error:
            warn(f"{what} {id[:40]!r} of the tags cannot be read: {error}; its numbers are treated as untagged")
    return found


def _day(text: str, *, ends: bool) -> date:
    """Parse a day. At the end of a period, midnight belongs to the day before."""
    day, _, time = text.strip().partition("T")
    found = date.fromisoformat(day[:10])
    if not (ends and time.startswith("00:00:00")):
        return found
    if found == date.min:
        raise ValueError(f"no day is before {found}")
    return found - timedelta(days=1)


# Fiscal calendar of a filing, from the tags on its cover (`dei`).

_DRIFT = timedelta(days=15)
_DAY = lazy_regex(
    r"^--(?P<month>[01][0-9])-?(?P<day>[0-3][0-9])$|^(?P<name>[A-Za-z]{3,9})\.?\s+(?P<named>[0-3]?[0-9])$"
)


def read_calendar(words: Mapping[str, str]) -> FiscalCalendar:
    """Return the fiscal calendar of a filing; calendar years if its tags do not determine another one.

    The period of an annual report ends with its fiscal year. A quarterly report names its fiscal year and the day on
    which fiscal years end.

    Args:
        words: The text of tags by concept.
    """
    last = _date(words.get("dei:DocumentPeriodEndDate", ""))
    if last is None:
        return CALENDAR_YEARS
    end = last
    if words.get("dei:DocumentFiscalPeriodFocus", "FY").strip().upper() != "FY":
        day = _day_of_year(words.get("dei:CurrentFiscalYearEndDate", ""), last.year)
        if day is None:
            return CALENDAR_YEARS
        end = day if day >= last - _DRIFT else day.replace(year=last.year + 1)
    named = re.fullmatch(r"\s*((?:19|20)[0-9]{2})\s*", words.get("dei:DocumentFiscalYearFocus", ""))
    return FiscalCalendar(int(named[1]) if named else end.year, end)


def _date(text: str) -> date | None:
    text = " ".join(text.split())
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    found = next((m.period for m in find_periods(text) if m.period.kind == "date"), None)
    return date(found.year, found.month or 1, found.day or 1) if found else None


def _day_of_year(text: str, year: int) -> date | None:
    """Parse a day of a year: `--12-31`, "December 31"."""
    match = _DAY.match(" ".join(text.split()))
    if match is None:
        return None
    month, day = match["month"] or match["name"], match["day"] or match["named"]
    name = f"{month}/{int(day)}/{year}" if month.isdigit() else f"{month} {int(day)}, {year}"
    if int(day) == 29:  # 29 February, which other years do not have
        name = name.replace("29", "28")
    return _date(name)


_GREATEST_SCALE = 30
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class NumberTag:
    """A tagged number in the file.

    Attributes:
        hidden: Whether it is in the hidden header of the file.
    """

    element: "_Element"
    fact: Fact
    text: str
    hidden: bool


@dataclass(frozen=True)
class Tags:
    """All tags of a file.

    Attributes:
        warnings: One line for each kind of tag that cannot be read.
        decimal: The decimal separator in most formats of the numbers, or None.
    """

    numbers: tuple[NumberTag, ...] = ()
    warnings: tuple[str, ...] = ()
    decimal: str | None = None
    _facts: Mapping["_Element", Fact] = field(default_factory=dict, repr=False)

    def fact(self, element: "_Element") -> Fact | None:
        """Return the fact of a tag; None if the tag is broken or not of a number."""
        return self._facts.get(element)


def read_tags(tree: "_Element") -> Tags:
    """Return the tags of a tree parsed by lxml's HTML parser; empty if it has no tags."""
    names = Names(tree)
    reader = _Reader(names)
    for element in tree.iter():
        space, local = names.kind(element)
        if space in (INLINE, INSTANCE):
            reader.take(element, space, local)
    return reader.tags()


class _Reader:
    """Collects the elements before parsing them, because a tag may precede its context."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._contexts: list[_Element] = []
        self._units: list[_Element] = []
        self._numbers: list[_Element] = []
        self._words: list[_Element] = []
        self._hidden: set[_Element] = set()
        self._excluded: set[_Element] = set()
        self._faults: Counter[str] = Counter()
        self._decimals: Counter[str] = Counter()

    def take(self, element: "_Element", space: str, local: str) -> None:
        if space == INSTANCE:
            if local == "context":
                self._contexts.append(element)
            elif local == "unit":
                self._units.append(element)
        elif local == "nonfraction":
            self._numbers.append(element)
        elif local == "nonnumeric":
            self._words.append(element)
        elif local == "hidden" and element not in self._hidden:
            self._hidden.update(element.iter())
        elif local == "exclude":
            self._excluded.add(element)

    def tags(self) -> Tags:
        contexts = read_all(self._contexts, lambda e: read_context(e, self._names), "context", self._warn)
        units = read_all(self._units, lambda e: read_unit(e, self._names), "unit", self._warn)
        calendar = read_calendar(self._cover_words())
        numbers = []
        for place, element in enumerate(self._numbers):
            text = text_of(element, self._excluded)
            try:
                fact = self._fact(element, place, text, contexts, units, calendar)
            except ValueError as error:
                self._warn(f"a tag of {attributes(element).get('name', 'no name')[:60]} cannot be read: {error}")
                continue
            numbers.append(NumberTag(element, fact, text, element in self._hidden))
        decimal = max(self._decimals, key=self._decimals.__getitem__, default=None)
        return Tags(tuple(numbers), self._warnings(), decimal, {tag.element: tag.fact for tag in numbers})

    def _cover_words(self) -> dict[str, str]:
        """Return the text of the first tag of each concept on the cover; other text tags enclose whole notes."""
        words: dict[str, str] = {}
        for element in self._words:
            concept = self._names.qualified(attributes(element).get("name", ""))
            if concept.startswith("dei:") and concept not in words:
                words[concept] = text_of(element, self._excluded).strip()
        return words

    def _fact(
        self,
        element: "_Element",
        place: int,
        text: str,
        contexts: Mapping[str, TagContext],
        units: Mapping[str, str],
        calendar: FiscalCalendar,
    ) -> Fact:
        given = attributes(element)
        context = contexts.get(given.get("contextref", ""))
        if context is None:
            raise ValueError(f"unknown context {given.get('contextref', '')[:40]!r}")
        concept = self._names.qualified(given.get("name", ""))
        if not concept:
            raise ValueError("it has no concept")
        unit = units.get(given.get("unitref", ""))
        scale = _whole(given.get("scale", "0"), "scale")
        if abs(scale) > _GREATEST_SCALE:
            raise ValueError(f"its scale {scale} is out of range")
        value = None if self._is_nil(element) else self._value(text, given, scale)
        decimals = given.get("decimals", "INF").strip()
        exact = decimals.upper() == "INF"
        return Fact(
            concept=concept,
            value=value,
            unit=unit,
            start=context.start,
            end=context.end,
            dimensions=context.dimensions,
            scale=scale,
            decimals=None if exact else _whole(decimals, "decimals"),
            negated=given.get("sign", "").strip() == "-",
            place=place,
            year=calendar.year_of(context.end),
            quarter=calendar.quarter_of(context.end),
        )

    def _value(self, text: str, given: Mapping[str, str], scale: int) -> Decimal:
        format = given.get("format")
        local = None if format is None else format.rpartition(":")[2]
        number = printed_number(text, local)
        if local and (mark := decimal_mark(local)) and any(one in text for one in ".,"):
            self._decimals[mark] += 1
        _, digits, exponent = number.as_tuple()
        negative = given.get("sign", "").strip() == "-" and number != 0
        return Decimal((int(negative), digits, int(exponent) + scale))

    def _is_nil(self, element: "_Element") -> bool:
        return any(
            self._names.kind_of(name) == (SCHEMA_INSTANCE, "nil") and value.strip() in ("true", "1")
            for name, value in _named_values(element)
        )

    def _warn(self, line: str) -> None:
        self._faults[line] += 1

    def _warnings(self) -> tuple[str, ...]:
        """Return a few warnings and the number of the others, because a broken file has thousands."""
        lines = [line if count == 1 else f"{line} ({count} times)" for line, count in self._faults.items()]
        more = len(lines) - _SHOWN
        return (*lines[:_SHOWN], *([f"{more} more tags cannot be read"] if more > 0 else ()))


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"its {what} {text[:20]!r} is not a whole number") from None
