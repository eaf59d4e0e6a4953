"""The tags of a filing: which number means what.

A tag that is broken gives no fact and a warning; the number that it encloses is read as any other.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.periods import FiscalCalendar
from quaestor.documents.facts import Fact
from quaestor.readers.html.xbrl.calendar import read_calendar
from quaestor.readers.html.xbrl.contexts import TagContext, read_all, read_context, read_unit
from quaestor.readers.html.xbrl.transformations import decimal_mark, printed_number
from quaestor.readers.html.xbrl.tree import INLINE, INSTANCE, SCHEMA_INSTANCE, Element, Names, attributes, text_of

_GREATEST_SCALE = 30
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class NumberTag:
    """A tagged number as it is in the file.

    Attributes:
        hidden: Whether it is in the header of the file, if nothing is printed.
    """

    element: Element
    fact: Fact
    text: str
    hidden: bool


@dataclass(frozen=True)
class Tags:
    """All tags of a file.

    Attributes:
        numbers: In the order of the file, those that could be read.
        warnings: What could not be read, one line each.
        decimal: The mark before decimals that most formats of the numbers ask for, or None.
    """

    numbers: tuple[NumberTag, ...] = ()
    warnings: tuple[str, ...] = ()
    decimal: str | None = None
    _facts: Mapping[Element, Fact] = field(default_factory=dict, repr=False)

    def fact(self, element: Element) -> Fact | None:
        """Return what the tag of a printed number says; None if it is broken, or no tag of a number."""
        return self._facts.get(element)


def read_tags(tree: Element) -> Tags:
    """Return the tags of a parsed file; none if it has none.

    Args:
        tree: The root element, as `xml.etree` or `lxml` made it, by an XML or an HTML parser.
    """
    names = Names(tree)
    reader = _Reader(names)
    for element in tree.iter():
        space, local = names.kind(element)
        if space in (INLINE, INSTANCE):
            reader.take(element, space, local)
    return reader.tags()


class _Reader:
    """Collects the elements first: a tag may be before the context that it refers to."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._contexts: list[Element] = []
        self._units: list[Element] = []
        self._numbers: list[Element] = []
        self._words: list[Element] = []
        self._hidden: set[Element] = set()
        self._excluded: set[Element] = set()
        self._faults: Counter[str] = Counter()
        self._decimals: Counter[str] = Counter()

    def take(self, element: Element, space: str, local: str) -> None:
        if space == INSTANCE:
            if local == "context":
                self._contexts.append(element)
            elif local == "unit":
                self._units.append(element)
        elif local == "nonfraction":
            self._numbers.append(element)
        elif local == "nonnumeric":
            self._words.append(element)
        elif local == "hidden":
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
        """Return what the first tag of each concept of the cover encloses; other words are whole notes."""
        words: dict[str, str] = {}
        for element in self._words:
            concept = self._names.qualified(attributes(element).get("name", ""))
            if concept.startswith("dei:") and concept not in words:
                words[concept] = text_of(element, self._excluded).strip()
        return words

    def _fact(
        self,
        element: Element,
        place: int,
        text: str,
        contexts: Mapping[str, TagContext],
        units: Mapping[str, str],
        calendar: FiscalCalendar,
    ) -> Fact:
        said = attributes(element)
        context = contexts.get(said.get("contextref", ""))
        if context is None:
            raise ValueError(f"unknown context {said.get('contextref', '')[:40]!r}")
        concept = self._names.qualified(said.get("name", ""))
        if not concept:
            raise ValueError("it has no concept")
        unit = units.get(said.get("unitref", ""))
        scale = _whole(said.get("scale", "0"), "scale")
        if abs(scale) > _GREATEST_SCALE:
            raise ValueError(f"its scale {scale} is out of range")
        value = None if self._is_nil(element) else self._value(text, said, scale)
        decimals = said.get("decimals", "INF").strip()
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
            negated=said.get("sign", "").strip() == "-",
            place=place,
            year=calendar.year_of(context.end),
            quarter=calendar.quarter_of(context.end),
        )

    def _value(self, text: str, said: Mapping[str, str], scale: int) -> Decimal:
        format = said.get("format")
        local = None if format is None else format.rpartition(":")[2]
        number = printed_number(text, local)
        if local and (mark := decimal_mark(local)) and any(one in text for one in ".,"):
            self._decimals[mark] += 1
        _, digits, exponent = number.as_tuple()
        negative = said.get("sign", "").strip() == "-" and number != 0
        return Decimal((int(negative), digits, int(exponent) + scale))

    def _is_nil(self, element: Element) -> bool:
        return any(
            self._names.kind_of(name) == (SCHEMA_INSTANCE, "nil") and value.strip() in ("true", "1")
            for name, value in element.attrib.items()
        )

    def _warn(self, line: str) -> None:
        self._faults[line] += 1

    def _warnings(self) -> tuple[str, ...]:
        """Return a few lines and how many more there are: a broken file has thousands of them."""
        lines = [line if count == 1 else f"{line} ({count} times)" for line, count in self._faults.items()]
        more = len(lines) - _SHOWN
        return (*lines[:_SHOWN], *([f"{more} more tags cannot be read"] if more > 0 else ()))


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"its {what} {text[:20]!r} is not a whole number") from None
