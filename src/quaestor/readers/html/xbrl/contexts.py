"""What the tags of a filing refer to: contexts (when, and of which part of the company) and units.

A context or unit that says nothing that can be understood is left out, and named.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from quaestor.readers.html.xbrl.tree import DIMENSIONS, INSTANCE, Element, Names, attributes, text_of

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class TagContext:
    """When a fact is of, and of which part of the company.

    Attributes:
        start: The first day of a duration; None of an instant.
        end: The last day, or the day of an instant.
        dimensions: Axis and member of each, sorted; of a typed one what its element says.
    """

    start: date | None
    end: date
    dimensions: tuple[tuple[str, str], ...] = ()


def read_context(element: Element, names: Names) -> TagContext:
    """Return what an `xbrli:context` says.

    Raises:
        ValueError: It names no day, or the last one before the first; or it is of all time.
    """
    days: dict[str, date] = {}
    dimensions: list[tuple[str, str]] = []
    for part in element.iter():
        kind = names.kind(part)
        if kind[0] == INSTANCE and kind[1] in ("instant", "startdate", "enddate"):
            days[kind[1]] = _day(text_of(part), ends=kind[1] != "startdate")
        elif kind[0] == DIMENSIONS and kind[1] in ("explicitmember", "typedmember"):
            axis = names.qualified(attributes(part).get("dimension", ""))
            said = text_of(part).strip()
            dimensions.append((axis, names.qualified(said) if kind[1] == "explicitmember" else said))
    end = days.get("instant") or days.get("enddate")
    if end is None:
        raise ValueError("it has no date")
    start = None if "instant" in days else days.get("startdate")
    if start is not None and start > end:
        raise ValueError(f"it ends on {end}, before it begins")
    return TagContext(start, end, tuple(sorted(dimensions)))


def read_unit(element: Element, names: Names) -> str:
    """Return what an `xbrli:unit` says: `USD`, `shares`, `USD/shares`, `pure`.

    Raises:
        ValueError: It names no measure.
    """
    over: list[str] = []
    under: list[str] = []
    below: set[Element] = set()
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
    elements: Iterable[Element], read: Callable[[Element], _Read], what: str, warn: Callable[[str], None]
) -> dict[str, _Read]:
    """Return what elements say by their ids; one that cannot be read is named and left out.

    Args:
        elements: Of two with one id the first one counts.
        read: Reads one of them; ValueError where it cannot be read.
        warn: Takes one line for each that cannot be read.
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
    """Return a day. Midnight ends the day before, where a period ends with it."""
    day, _, time = text.strip().partition("T")
    found = date.fromisoformat(day[:10])
    return found - timedelta(days=1) if ends and time.startswith("00:00:00") else found
