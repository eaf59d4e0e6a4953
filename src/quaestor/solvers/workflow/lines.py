"""Names of the rows and columns of a page's tables, and the fit between words and names.

Names are unique within an axis. `table_lookup` makes the choice.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from quaestor.core.periods import Period, find_periods, parse_period
from quaestor.core.words import DATE_WORDS, PERIOD_FILLERS, SMALL_WORDS, singular
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.ontology.labels import RUNGS, plain

_EMPTY = SMALL_WORDS | PERIOD_FILLERS
_TURNING = frozenset("after before except excluding no non not without".split())
"""Words that change the meaning of what follows them."""

_DAY = re.compile(r"[0-3]?[0-9]")
_ORDINAL = re.compile(r"(?<!\s)\s*+\[([0-9]{1,2})\]\s*+$")
_ISO = re.compile(r"((?:19|20)[0-9]{2})-(0[1-9]|1[0-2])-([0-3][0-9])")
_UNSAID = 0.9
"""Factor if only the query or only the line has a period."""

_COARSER = 0.97
"""Factor if one has a year and the other a day or a part of that year."""

_PERIOD_ONLY = 0.75
"""Factor if a query has only a period, and the line has words too."""

_REORDERED = 84.0
"""Score of the same words in another order or form."""

_PART = 80.0
"""Score of a query that omits some of a label's words; independent of their number, so two such labels tie."""

_MOST_LONGER = 3
"""Maximum length of a matching label, as a multiple of the query's words."""

_NEAR = 60.0
"""Maximum score of a label with a different meaning: it is suggested as similar, and never chosen."""

_SAME_WORD = 86.0
"""Minimum similarity of misspellings of the same word."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row or a column.

    Attributes:
        name: Its unique name among the lines of this axis in all tables.
        shown: The name shown to a model: without the table, unless another table has a row of the same name.
        levels: The headings above it, outermost first, followed by its label.
    """

    index: int
    name: str
    shown: str
    label: str
    levels: tuple[str, ...]
    period: Period | None


@dataclass(frozen=True, slots=True)
class Axes:
    """The rows and columns of a table that contain numbers."""

    rows: dict[int, Line]
    columns: dict[int, Line]


@lru_cache(maxsize=16)
def axes_of(document: Document) -> tuple[Axes, ...]:
    """Return the lines of all tables of a page, with their names."""
    found = tuple(_axes(document.table(table.index), _rows_printed(table)) for table in document.tables)
    if len(found) < 2:
        return found
    rows = Counter(line.name.casefold() for axes in found for line in axes.rows.values())
    return tuple(
        Axes(
            _with_table(axes.rows, f"table {table.index + 1}", rows),
            _with_table(axes.columns, f"table {table.index + 1}"),
        )
        for table, axes in zip(document.tables, found, strict=True)
    )


def _with_table(lines: dict[int, Line], table: str, names: Mapping[str, int] = MappingProxyType({})) -> dict[int, Line]:
    """Add the table to the names of lines; it is shown only if another table has a row of the same name."""
    return {
        index: replace(
            line,
            name=f"{table} > {line.name}",
            shown=f"{table} > {line.name}" if names.get(line.name.casefold(), 1) > 1 else line.name,
        )
        for index, line in lines.items()
    }


def _rows_printed(table: Table) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(table.cells) if any(cell.text for cell in row))


def _axes(table: Table, shown: Collection[int]) -> Axes:
    """Return the lines of a table, omitting rows that are not shown."""
    cells = [cell.ref for cell in table.body()]
    rows, columns = sorted({ref.row for ref in cells}), sorted({ref.column for ref in cells})
    named = _name(rows, table.rows, "row")
    return Axes({row: line for row, line in named.items() if row in shown}, _name(columns, table.columns, "column"))


def _name(indices: list[int], headers: tuple[Header, ...], axis: str) -> dict[int, Line]:
    """Name lines by their labels; add headings to labels that are not unique, then a number."""
    labels = Counter(headers[index].label.casefold() for index in indices)
    names = {
        index: headers[index].label
        if labels[headers[index].label.casefold()] == 1
        else " > ".join(level for level in headers[index].levels if level) or headers[index].label
        for index in indices
    }
    shared = Counter(name.casefold() for name in names.values())
    seen: Counter[str] = Counter()
    lines: dict[int, Line] = {}
    for index, name in names.items():
        key = name.casefold()
        seen[key] += 1
        marked = f"{name} [{seen[key]}]" if shared[key] > 1 else name
        own = marked if name else f"{axis} {index + 1}"
        header = headers[index]
        lines[index] = Line(index, own, own, header.label, header.levels, header.period)
    return lines


def fit(query: str, line: Line) -> float:
    """Score the fit of a query to a line: 100 for its name or label, 0 for words or a year that the line lacks."""
    ordinal, own = _ORDINAL.search(query), _ORDINAL.search(line.name)
    if ordinal and own and ordinal[1] != own[1]:
        return 0.0
    query = _ORDINAL.sub("", query)
    wanted = plain(query)
    if wanted in (plain(_ORDINAL.sub("", line.name)), plain(line.label), plain(" ".join(line.levels))):
        return 100.0
    return max((_fit(query, text, line.period) for text in _texts(line)), default=0.0)


def is_named(query: str, line: Line) -> bool:
    """Return whether a query is exactly the shown or full name of a line, except for case and white space."""
    wanted = " ".join(query.casefold().split())
    return any(wanted == " ".join(name.casefold().split()) for name in (line.name, line.shown))


def _texts(line: Line) -> Iterable[str]:
    yield line.label or line.name
    if len(line.levels) > 1:
        yield " ".join(line.levels)


def _fit(query: str, text: str, period: Period | None) -> float:
    (wanted, wanted_periods), (printed, printed_periods) = _read(query), _read(text)
    if period is None and printed_periods:  # a year that is part of a name: notes due 2014
        return _words_fit(plain(query), plain(text))
    both = _words_fit(wanted, printed) if wanted and printed else 0.0
    if not wanted and not printed:
        both = 100.0
    elif not wanted and wanted_periods:
        both = 100.0 * _PERIOD_ONLY
    return both * _periods_fit(wanted_periods, printed_periods or ((period,) if period else ()))


@lru_cache(maxsize=65536)
def _words_fit(query: str, label: str) -> float:
    """Score two texts: by the ontology's matching ladder if they meet on a rung, else by common words.

    A label may have more words than the query, or the query a few more than the label; if each has words that the other
    lacks, they have different meanings ("operating expenses" and "operating income").
    """
    for rung in RUNGS:
        if (key := rung.key(query)) and key == rung.key(label):
            return 100 * rung.score
    wanted, printed = _content(query), _content(label)
    extra, left_out = _missing_words(wanted, printed), _missing_words(printed, wanted)
    if not wanted or not printed or (extra and left_out) or not _TURNING.isdisjoint(extra):
        return _NEAR * (len(wanted) - len(extra)) / (len(wanted) + len(left_out) + 1)
    if extra:
        return 100 * (1 - len(extra) / len(wanted))
    if not left_out:
        return _REORDERED
    return _PART if _MOST_LONGER * len(wanted) >= len(printed) else 0.0


def _content(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(singular(word) for word in text.split() if word not in _EMPTY))


def _missing_words(words: tuple[str, ...], among: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without a similar one among others; one letter of a longer word may differ."""
    from rapidfuzz import fuzz, process

    return tuple(
        word
        for word in words
        if word not in among
        and (not word.isalpha() or process.extractOne(word, among, scorer=fuzz.ratio, score_cutoff=_SAME_WORD) is None)
    )


def _periods_fit(query: tuple[Period, ...], line: tuple[Period, ...]) -> float:
    if not query and not line:
        return 1.0
    if not query or not line:
        return _UNSAID
    if query == line:
        return 1.0
    return max(_period_fits(one, other) for one in query for other in line)


def _period_fits(query: Period, line: Period) -> float:
    """Return 1 for the same period, less for a coarser or finer one of the same year, 0 for another."""
    if query == line:
        return 1.0
    if query.kind == "range" or line.kind == "range" or query.year != line.year:
        return 0.0
    for part in ("quarter", "month", "day"):
        one, other = getattr(query, part), getattr(line, part)
        if one is not None and other is not None and one != other:
            return 0.0
    return _COARSER


@lru_cache(maxsize=65536)
def _read(text: str) -> tuple[str, tuple[Period, ...]]:
    """Return the words and the periods of a label or a query."""
    text = _ISO.sub(lambda found: f"{int(found[2])}/{int(found[3])}/{found[1]}", text)
    whole = parse_period(text)
    if whole is not None:
        return "", (whole,)
    mentions = find_periods(text)
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    words = plain(text)
    if all(word in DATE_WORDS or _DAY.fullmatch(word) for word in words.split()):
        words = ""
    return words, tuple(mention.period for mention in mentions)
