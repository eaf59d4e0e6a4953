"""Look up numbers in tables by words for rows and columns: one cell, or several, each with its label.

Lines have unique names within an axis. Rows and columns may be swapped. If no line fits, or several do, the error names
the nearest.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from quaestor.core.periods import Period, find_periods, parse_period
from quaestor.core.quantity import Quantity
from quaestor.core.words import DATE_WORDS, PERIOD_FILLERS, SMALL_WORDS, singular
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Header, Table
from quaestor.errors import SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.labels import RUNGS, plain
from quaestor.plan.steps import CellGroup
from quaestor.solvers.groups import group_of

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
    found = tuple(_axes(document.table(table.index), table) for table in document.tables)
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


def _axes(table: Table, shown: Table) -> Axes:
    """Return the lines of a table, omitting rows that are empty in the part that is shown."""
    cells = [cell.ref for cell in table.body()]
    rows, columns = sorted({ref.row for ref in cells}), sorted({ref.column for ref in cells})
    named = _name(rows, table.rows, "row")
    return Axes(
        {row: line for row, line in named.items() if any(c.text for c in shown.cells[row])},
        _name(columns, table.columns, "column"),
    )


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


THRESHOLD = 70.0
"""Minimum score of a row or a column."""

MARGIN = 4.0
"""Minimum lead of the best cell over the next one."""

_TURNED = 3.0
"""Penalty for a cell if rows and columns are swapped."""

_NUMBER = re.compile(r"(?<![,\s])[,\s]*+\(\s*number\s+([1-9])\s*+\)\s*+$", re.IGNORECASE)
_NEAREST = 3
ALL = "all"
"""The word for every row or every column."""

MOST_CELLS = 400
MOST_QUERIES = 100
_UNDER = ">"


class LookupFailure(SolverError):
    """Error for a number that is missing or ambiguous; the message names similar ones."""


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A number found in a table."""

    cell: Cell
    quantity: Quantity
    label: str
    score: float
    runner_up: str | None = None
    runner_up_score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    cell: Cell
    row: Line
    column: Line

    @property
    def name(self) -> str:
        return f"{self.row.name!r} | {self.column.name!r}"


def look_up(document: Document, row_query: str, col_query: str) -> TableMatch:
    """Look up the number at a row and a column.

    Args:
        row_query: Words for the row, or for the column if rows and columns are swapped.
        col_query: Words for the other axis. A suffix "(number 2)" selects the second number of the cell.
    """
    column_number = _NUMBER.search(col_query)
    place = int(column_number[1]) if column_number else None
    queries = (row_query, _NUMBER.sub("", col_query))
    candidates = list(_candidates(document, *queries)) or list(_candidates(document, *queries, dashes=True))
    found = sorted(candidates, key=lambda candidate: -candidate.score)
    found = [one for one in found if is_named(row_query, one.row) or is_named(row_query, one.column)] or found
    if not found:
        raise LookupFailure(_explain_nothing(document, *queries))
    best, others = found[0], [other for other in found[1:] if other.cell.ref != found[0].cell.ref]
    if others and best.score - others[0].score < MARGIN:
        close = [c.name for c in (best, *others) if best.score - c.score < MARGIN]
        raise LookupFailure(f"{_query(*queries)} fits {len(close)} cells, {_list_names(close)}; use one of these names")
    runner_up = others[0] if others else None
    return TableMatch(
        cell=best.cell,
        quantity=_number_of(best.cell, place),
        label=", ".join(label for label in (best.row.label, best.column.label) if label) or best.name,
        score=round(best.score, 1),
        runner_up=runner_up.name if runner_up else None,
        runner_up_score=round(runner_up.score, 1) if runner_up else 0.0,
    )


def _candidates(document: Document, row_query: str, col_query: str, *, dashes: bool = False) -> Iterator[_Candidate]:
    """Yield the cells with matching row and column, in both orientations; with `dashes`, those with a dash for zero."""
    for table, axes in zip(document.tables, axes_of(document), strict=True):
        if dashes and not all(number.value for cell in table.body() for number in cell.quantities):
            continue  # a table that prints zeros uses dashes for gaps
        for first, second, loss in ((row_query, col_query, 0.0), (col_query, row_query, _TURNED)):
            rows, columns = fitting_lines(first, axes.rows), fitting_lines(second, axes.columns)
            for row, row_score in rows.items():
                for column, column_score in columns.items():
                    cell = table.cells[row][column]
                    if (cell.is_dash if dashes else cell.quantities) and not cell.repair:
                        score = row_score + column_score - 100 - loss
                        yield _Candidate(score, cell, axes.rows[row], axes.columns[column])


def fitting_lines(query: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines that fit a query, with scores; only the line itself if the query is its exact name."""
    for index, line in lines.items():
        if is_named(query, line):
            return {index: 100.0}
    scores = {index: fit(query, line) for index, line in lines.items()}
    return {index: score for index, score in scores.items() if score >= THRESHOLD}


def _number_of(cell: Cell, place: int | None) -> Quantity:
    numbers = cell.quantities
    if cell.is_dash:
        return Quantity(Decimal(0), text=cell.text.strip())
    if place is None and len(numbers) == 1:
        return numbers[0]
    if place is not None and place <= len(numbers):
        return numbers[place - 1]
    listed = " and ".join(f"(number {i}) = {number.text}" for i, number in enumerate(numbers, 1))
    raise LookupFailure(
        f"the cell {cell.text!r} holds {len(numbers)} number{'s' * (len(numbers) != 1)}; add to col_query {listed}"
    )


def _explain_nothing(document: Document, row_query: str, col_query: str) -> str:
    """Explain why no cell fits: unknown row, unknown column, or no number where they meet."""
    if not document.tables:
        return "the page has no table; take the number from the text"
    axes = axes_of(document)
    ways = [(row_query, col_query), (col_query, row_query)]
    faults: list[list[str]] = sorted((_explain_misses(axes, *way) for way in ways), key=len)
    if not faults[0]:
        return f"{_query(row_query, col_query)} have no cell with a number"
    return "; ".join(faults[0])


def _explain_misses(axes: tuple[Axes, ...], row_query: str, col_query: str) -> list[str]:
    found = []
    for axis, query, sides in (
        ("row", row_query, [side.rows for side in axes]),
        ("column", col_query, [side.columns for side in axes]),
    ):
        if not any(fitting_lines(query, side) for side in sides):
            lines = [line for side in sides for line in side.values()]
            found.append(f"no {axis} is called {query[:80]!r}; the nearest are {nearest_names(query, lines)}")
    return found


def nearest_names(query: str, lines: Sequence[Line]) -> str:
    """Return the names of the lines most similar to a query, for messages."""
    near = sorted(lines, key=lambda line: -fit(query, line))[:_NEAREST]
    return _list_names([repr(line.name) for line in near])


def _query(row_query: str, col_query: str) -> str:
    return f"{row_query[:80]!r} | {col_query[:80]!r}"


def _list_names(names: list[str]) -> str:
    shown = names[:6]
    return ", ".join(shown) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


@dataclass(frozen=True, slots=True)
class SelectedCells:
    """The cells of a selection."""

    group: CellGroup
    score: float

    @property
    def label(self) -> str:
        """The cells for people: `net sales (2012, 2011, 2010)`."""
        return f"{self.group.text} ({', '.join(self.group.labels)})"


def select_cells(
    document: Document, graph: KnowledgeGraph, rows: Sequence[str], columns: Sequence[str]
) -> SelectedCells:
    """Select the cells with numbers where rows and columns meet, row by row.

    Args:
        rows: Names of rows, `all`, or `HEADING > all` for those under a heading; or names of columns, if rows and
            columns are swapped.
    """
    rows, columns = tuple(rows), tuple(columns)
    if max(len(rows), len(columns)) > MOST_QUERIES:
        raise LookupFailure(f"more than {MOST_QUERIES} rows or columns are named; write {ALL!r}, or name fewer")
    found = sorted(_find_matching_tables(document, rows, columns), key=lambda way: -way[0])
    if not found:
        raise LookupFailure(_why_nothing_selected(document, rows, columns))
    score, table, row_lines, column_lines = found[0]
    others = [way[1].index + 1 for way in found[1:] if way[1].index != table.index and score - way[0] < MARGIN]
    if others:
        named = ", ".join(f"table {index}" for index in sorted({table.index + 1, *others})[:6])
        raise LookupFailure(
            f"{_selection(rows, columns)} fit {named}; name the table, such as 'table {others[0]} > {ALL}'"
        )
    printed = {o.source: o for o in graph.observations if o.order == 0}
    places = (table.cells[row][column].ref for row in row_lines for column in column_lines)
    cells = [printed[place] for place in places if place in printed]
    if not cells:
        raise LookupFailure(f"{_selection(rows, columns)} have no cell with a number")
    if len(cells) > MOST_CELLS:
        raise LookupFailure(f"{_selection(rows, columns)} are {len(cells)} cells; take at most {MOST_CELLS}")
    return SelectedCells(group_of(cells), round(score, 1))


def _find_matching_tables(
    document: Document, rows: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[float, Table, tuple[int, ...], tuple[int, ...]]]:
    """Yield the tables in which all queries fit, in either orientation, with the lowest score."""
    for table, axes in zip(document.tables, axes_of(document), strict=True):
        straight = _match_queries(rows, axes.rows), _match_queries(columns, axes.columns)
        turned = _match_queries(columns, axes.rows), _match_queries(rows, axes.columns)
        for row_scores, column_scores in (straight, turned):
            if row_scores and column_scores:
                worst = min(*row_scores.values(), *column_scores.values())
                yield worst, table, tuple(row_scores), tuple(column_scores)
                break


def _match_queries(queries: Sequence[str], lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines of all queries, each with its lowest score; empty if a query fits no line."""
    found: dict[int, float] = {}
    for query in queries:
        matching = _match_lines(query, lines)
        if not matching:
            return {}
        found.update({index: min(score, found.get(index, score)) for index, score in matching.items()})
    return found


def _match_lines(query: str, lines: Mapping[int, Line]) -> dict[int, float]:
    text = " ".join(query.split())
    if text.casefold() in (ALL, f"{ALL} rows", f"{ALL} columns", "*"):
        return dict.fromkeys(lines, 100.0)
    heading, under, last = text.rpartition(_UNDER)
    if under and last.strip().casefold() in (ALL, "*"):
        return _find_lines_under(heading.strip(), lines)
    scores = fitting_lines(query, lines)
    best = max(scores.values(), default=0.0)
    close = {index: score for index, score in scores.items() if best - score < MARGIN}
    return close if len(close) == 1 else {}


def _find_lines_under(heading: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines under a heading; on a page with several tables, `table 2` counts as a heading."""
    wanted = " ".join(heading.casefold().split())
    by_name = {i: 100.0 for i, line in lines.items() if line.name.casefold().startswith(f"{wanted} {_UNDER}")}
    if by_name:
        return by_name
    scores = {
        index: max(fit(heading, Line(index, level, level, level, (level,), None)) for level in line.levels[:-1])
        for index, line in lines.items()
        if len(line.levels) > 1
    }
    best = max(scores.values(), default=0.0)
    return {index: score for index, score in scores.items() if score >= THRESHOLD and score == best}


def _selection(rows: Sequence[str], columns: Sequence[str]) -> str:
    def listed(queries: Sequence[str]) -> str:
        more = f" and {len(queries) - 4} more" if len(queries) > 4 else ""
        return ", ".join(repr(query[:60]) for query in queries[:4]) + more

    return f"rows {listed(rows)} and columns {listed(columns)}"


def _why_nothing_selected(document: Document, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Explain which query fits no line, or several, in every table; otherwise no table has all of them."""
    if not document.tables:
        return "the page has no table"
    axes: tuple[Axes, ...] = axes_of(document)
    for axis, queries, sides in (
        ("row", rows, [side.rows for side in axes]),
        ("column", columns, [side.columns for side in axes]),
    ):
        for query in queries:
            if not any(_match_lines(query, side) for side in sides):
                near = nearest_names(query, [line for side in sides for line in side.values()])
                if any(fitting_lines(query, side) for side in sides):
                    return f"several {axis}s fit {query[:80]!r}; use one of the names {near}"
                return f"no {axis} is called {query[:80]!r}; the nearest are {near}"
    return f"no table has all of {_selection(rows, columns)}"
