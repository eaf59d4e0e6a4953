"""Lists during the execution of a plan: entries with their numbers, scales, units and sources."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, ListItem, ValueList, print_value
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.errors import MagnitudeError, OperandError
from quaestor.plan.operations import require_in_range
from quaestor.plan.scales import Dimension, shift_decimal
from quaestor.plan.steps import CellGroup

MOST_ENTRIES = 1_000
"""Maximum number of entries of a list."""

_PARTS = lazy_regex(r"(?<!\s)\s*+[,|;]\s+")


Amount = tuple[Decimal, Dimension, tuple[Source, ...]]
"""A number, its scale and unit, and its sources."""


_NOTHING = Dimension()


@dataclass(frozen=True, slots=True)
class ListEntry:
    """Entry of a list."""

    label: str | None
    number: Decimal | None
    counts: Dimension = _NOTHING
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Entries:
    """List of entries.

    Attributes:
        other_sources: Sources besides those of its entries: of entries that were not selected, or of a limit.
    """

    entries: tuple[ListEntry, ...]
    other_sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        if len(self.entries) > MOST_ENTRIES:
            raise MagnitudeError(f"a list of {len(self.entries)} entries is too long; the limit is {MOST_ENTRIES}")

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, each once, those of the entries first."""
        return tuple(dict.fromkeys((*(s for entry in self.entries for s in entry.sources), *self.other_sources)))

    @property
    def counts(self) -> Dimension:
        """The common scale and unit of all numbers; an empty `Dimension` if they differ."""
        return self._common or Dimension()

    @property
    def _common(self) -> Dimension | None:
        """Common scale and unit; numbers without a unit take that of the others, since "$" may be printed only once."""
        kinds = {entry.counts for entry in self.entries if entry.number is not None}
        units = {kind.unit for kind in kinds} - {None}
        if len(units) > 1 or len({(kind.scale, kind.in_ones) for kind in kinds}) != 1:
            return None
        kind = next(iter(kinds))
        return Dimension(kind.scale, next(iter(units), None), in_ones=kind.in_ones)

    @property
    def value(self) -> ValueList:
        """The list as an answer; if scales or units differ, each number has its own."""
        own = self._common is None
        return ValueList(tuple(_item(entry, own=own) for entry in self.entries))

    def select(self, places: Sequence[int], other_sources: Iterable[Source] = ()) -> "Entries":
        """Return the entries at some places, in that order; the sources of all entries are kept."""
        return Entries(tuple(self.entries[place] for place in places), (*self.sources, *other_sources))


def reckonable(entry: ListEntry) -> Amount:
    """Return the number of an entry."""
    if entry.number is None:
        raise OperandError(f"a list whose entry {(entry.label or '')[:40]!r} has no number")
    return require_in_range(entry.number), entry.counts, entry.sources


def of_group(group: CellGroup) -> Entries:
    """Return the cells of a group as a list."""
    cells = zip(group.labels, group.values, group.counts, group.sources, strict=True)
    entries = (ListEntry(label.strip() or None, require_in_range(q.value), kind, (at,)) for label, q, kind, at in cells)
    return Entries(tuple(entries))


def of_answer(value: ValueList, counts: Dimension, sources: tuple[Source, ...]) -> Entries:
    """Return an earlier answer as a list; the sources of its single entries are no longer known."""
    entries = (
        ListEntry(item.label, item.number, counts if item.scale is None else Dimension(item.scale, item.unit))
        for item in value.items
    )
    return Entries(tuple(entries), sources)


def single_entry(
    value: AnswerValue, number: Decimal | None, counts: Dimension, label: str | None, sources: tuple[Source, ...]
) -> Entries:
    """Return a number, words, or yes or no as a list of one entry."""
    if number is None:
        return Entries((ListEntry(print_value(value), None, sources=sources),))
    return Entries((ListEntry(label, require_in_range(number), counts, sources),))


def with_names(listed: Entries, names: Sequence[str | None]) -> Entries:
    """Use names as labels of the numbers that have none."""
    pairs = zip(listed.entries, names, strict=True)
    entries = (entry if entry.label or entry.number is None else replace(entry, label=name) for entry, name in pairs)
    return replace(listed, entries=tuple(entries))


def distinct_names(operations: Iterable[str | None], subjects: Iterable[str | None]) -> Sequence[str | None]:
    """Return names of computed numbers: the operation, or the subject if an operation occurs several times.

    >>> distinct_names(["sum", "percentage change", "percentage change"], [None, "Paper", "Wood"])
    ['sum', 'Paper', 'Wood']
    """
    pairs = list(zip(operations, subjects, strict=True))
    count = Counter(operation for operation, _ in pairs)
    names = [subject if operation and count[operation] > 1 else operation for operation, subject in pairs]
    own_names = [name for name, (operation, _) in zip(names, pairs, strict=True) if operation]
    return names if all(own_names) and len(set(own_names)) == len(own_names) else [operation for operation, _ in pairs]


def common_parts(labels: Sequence[str]) -> str:
    """Return the common parts of the labels of cells: "Paper" for "Paper, 2024" and "Paper, 2023"."""
    parts = [_PARTS.split(label) for label in labels]
    return ", ".join(part for part in parts[0] if all(part in own for own in parts)) if parts else ""


def name_pair(labels: Sequence[str], word: str) -> str | None:
    """Return the name of a number computed from cells of two lines; None if they are of the same line.

    >>> name_pair(["Sales, 2024", "Costs, 2024"], "less")
    'Sales less Costs'
    """
    parts = [_PARTS.split(label) for label in labels]
    if len(parts) != 2 or not all(labels) or parts[0][0] == parts[1][0]:
        return None
    shared = set(parts[0]).intersection(parts[1])
    return f" {word} ".join(", ".join(part for part in own if part not in shared) for own in parts)


def in_percent(listed: Entries) -> Entries:
    """Convert a list of fractions to percent."""
    percent = Dimension(Scale.PERCENT)
    return replace(
        listed,
        entries=tuple(
            entry if entry.number is None else replace(entry, number=shift_decimal(entry.number, 2), counts=percent)
            for entry in listed.entries
        ),
    )


def join(lists: Sequence[Entries]) -> Entries:
    """Concatenate lists, and shorten the labels to the parts that differ."""
    entries = tuple(entry for listed in lists for entry in listed.entries)
    labels = _distinct_labels([entry.label for entry in entries])
    other_sources = tuple(source for listed in lists for source in listed.other_sources)
    return Entries(
        tuple(replace(entry, label=label) for entry, label in zip(entries, labels, strict=True)), other_sources
    )


def pair(one: Entries, other: Entries) -> Iterator[tuple[ListEntry, ListEntry]]:
    """Yield pairs of entries of two lists with the same label, in the order of the first list."""
    labels, others = [entry.label for entry in one.entries], [entry.label for entry in other.entries]
    if labels == others:
        yield from zip(one.entries, other.entries, strict=True)
        return
    by_label = {entry.label: entry for entry in other.entries}
    if len(by_label) != len(others) or len(set(labels)) != len(labels) or set(labels) != set(others):
        odd = next((label for label in (*labels, *others) if (label in labels) != (label in others)), None)
        why = f"only one of them has {odd[:40]!r}" if odd else "some labels occur more than once"
        raise OperandError(f"two lists with different labels: {why}")
    for entry in one.entries:
        yield entry, by_label[entry.label]


def labels_of_entries(listed: Entries) -> tuple[str, ...]:
    """Return the labels of the entries."""
    named = tuple(entry.label for entry in listed.entries if entry.label is not None)
    if len(named) != len(listed.entries):
        raise OperandError("a list with an unlabelled entry; refer to its number by a group of cells")
    return named


def _item(entry: ListEntry, *, own: bool) -> ListItem:
    if entry.label is None and entry.number is None:
        raise OperandError("a list with an entry that has neither a label nor a number")
    if entry.number is None or not own:
        return ListItem(entry.label, entry.number)
    return ListItem(entry.label, entry.number, entry.counts.scale, entry.counts.unit)


def _distinct_labels(labels: Sequence[str | None]) -> list[str | None]:
    """Remove the parts common to all labels ("net sales, 2009"), if the other parts still distinguish them."""
    parts = [_PARTS.split(label) for label in labels if label is not None]
    if len(parts) < 2:
        return list(labels)
    common = set(parts[0]).intersection(*parts[1:])
    left = [", ".join(part for part in own if part not in common) for own in parts]
    if not all(left) or len(set(left)) < len(left):
        return list(labels)
    shorter = iter(left)
    return [label and next(shorter) for label in labels]
