"""What a question says of the names of a filing's lines: a label word by word, or another name of the same line.

"Net sales" are said by "total net sales" and by "revenue", "R&D" is research and development, and the "net sales" below
"Europe" are those of a part, which a question for it names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.words import search_words, words
from quaestor.documents.table import Header, Table
from quaestor.ontology.core_lines import read_core_lines
from quaestor.ontology.line_matching import core_line_index
from quaestor.questions.stems import stems
from quaestor.retrieval.everyday import spelled_out

_BUT_FOR_AN_ASIDE = 0.7
_BUT_FOR_TOTAL = 0.9
_BY_ANOTHER_NAME = 0.9
_OF_A_PART = 0.5
_SEVERAL = 2
_LONGEST_NAME = 7
_BEGINS_A_NAME = frozenset({"total", "net", "gross", "and", "other"})
_NAMED = "statement line"
"""A caption by which statements print a line, and nothing more."""
_OF_TIME = frozenset(stems("fiscal financial year"))
"""Words that say nothing of a line: "revenue in fiscal 2023"."""
_PER_SHARE = re.compile(r"\bper (?:\w+ )?(?:share|unit|stock)\b", re.IGNORECASE)
"""In a heading, of what the lines below it are: "net income" is a line of them, and no amount of the company."""
_SHARES = re.compile(r"\bshares?\b|\beps\b|\bunit\b", re.IGNORECASE)
_INCOMES = {"kg:net_loss": "kg:net_income", "kg:operating_loss": "kg:operating_income"}
"""Of the line of a loss that of the income, which the same line is called in other years."""
_ASIDE = re.compile(r"\([^()]*\)")
_WHOLE = re.compile(r"\b(?:total|consolidated|amount|change|company|as reported)\b", re.IGNORECASE)
_LOSS = re.compile(r"(?<=[_:])loss(?=_|$)")
_TOTAL = re.compile(r"total (?=[a-z])", re.IGNORECASE)


class LabelMentions:
    """How much a question says of the labels of tables."""

    def __init__(self, question: str, tables: Iterable[Table]) -> None:
        """Take what is asked, without the place that it names, and the tables whose labels are looked at."""
        self._words = _spoken(question)
        self._stems = tuple(stem for stem in stems(question) if stem not in _OF_TIME)
        self._lines = lines_named(question)
        self._per_share = _SHARES.search(question) is not None
        self._of_parts = {table.index: _of_parts(table) for table in tables}

    def of(self, table: Table, source: CellRef) -> tuple[float, bool]:
        """Return how much of the question the label of a cell's line is, which it says whole, else 0; whether all."""
        row = table.rows[source.row]
        below = len(row.levels) > 1 and row.label in self._of_parts[table.index]
        part = below and not set(stems(row.levels[-2])) & set(self._stems)
        part = part or (_is_per_share(row) and not self._per_share)
        column = table.columns[source.column]
        below_zero = (number := table.cells[source.row][source.column].quantity) is not None and number.value < 0
        own = [] if part else [self._said(row.label), self._called(row, is_loss=below_zero)]
        if self._is_part(column, table):
            own = [(_OF_A_PART * counts, False) for counts, _ in own]
        said = [*own, self._said(column.label)]
        best, whole = max(said)[0], any(all_said for _, all_said in said)
        return best / max(1, len(self._words)), whole

    def names_another(self, row: Header) -> bool:
        """Return whether a row is a line of statements and the question names others: "deferred revenue"."""
        return bool(self._lines) and line_called(row.label) not in ("", *self._lines)

    def _is_part(self, column: Header, table: Table) -> bool:
        """Whether a column is of one thing among several, and the question names no such thing."""
        if not (thing := _thing(column)) or thing & set(self._stems):
            return False
        return sum(bool(_thing(other)) for other in table.columns[1:]) >= _SEVERAL

    def _said(self, label: str) -> tuple[float, bool]:
        """How many words of the question a label is, by whichever way of saying it; whether nothing else is asked."""
        best, whole = 0.0, False
        # Who asks for "net income" means the line "Net income (loss)", where no other is called so.
        for printed, counts in _variants(spelled_out(label), total_said="total" in self._words):
            said = _spoken(printed)
            if any(word[0].isalpha() for word in said) and _within(said, self._words):
                best = max(best, counts * len(said))
                whole = whole or stems(printed) == self._stems
        return best, whole

    def _called(self, row: Header, *, is_loss: bool) -> tuple[float, bool]:
        """The same of a line that the question calls by another of its names; a loss below zero is an income."""
        if not self._lines:
            return 0.0, False
        line = line_called(f"{row.label} per share" if _is_per_share(row) else row.label)
        name = self._lines.get(line) or (self._lines.get(_INCOMES.get(line, "")) if is_loss else None)
        if name is None:
            return 0.0, False
        left = Counter(self._stems)
        left.subtract(stems(name))
        return _BY_ANOTHER_NAME * len(_spoken(name)), len(self._lines) == 1 and not any(left[s] > 0 for s in left)


def _is_per_share(row: Header) -> bool:
    return any(map(_PER_SHARE.search, row.levels[:-1]))


@lru_cache(maxsize=1024)
def lines_named(text: str) -> Mapping[str, str]:
    """Return the lines of statements that a text names, each with the words that do; the longest names first.

    >>> lines_named("was R&D above SG&A?")
    {'kg:research_and_development': 'r&d', 'kg:selling_general_and_administrative_expenses': 'sg&a'}
    """
    said = search_words(text.lower())
    spans = ((start, start + size) for size in range(_LONGEST_NAME, 0, -1) for start in range(len(said) - size + 1))
    found: dict[str, str] = {}
    taken: set[int] = set()
    for start, end in spans:
        name = " ".join(said[start:end])
        if said[end - 1] in _BEGINS_A_NAME or _OF_TIME.issuperset(stems(name)):
            # "Net income and total assets" are two lines.
            continue
        if taken.isdisjoint(range(start, end)) and (line := line_called(name)):
            taken |= set(range(start, end))
            # A margin is an amount on some statements and a ratio to most people: its label has to say it.
            if "margin" not in name:
                found.setdefault(line, name)
    return found


@lru_cache(maxsize=8192)
def line_called(label: str) -> str:
    """Return the line of statements whose name a label is, and no more; "" if it is none."""
    found = core_line_index().find_named(spelled_out(label))
    return income_or_loss(found.property) if found is not None and found.rule == _NAMED else ""


@lru_cache(maxsize=256)
def income_or_loss(line: str) -> str:
    """Return the line that an income and the loss in its place are: statements print either where they mean one.

    >>> income_or_loss("kg:net_loss")
    'kg:net_income'

    Args:
        line: Of the core, by its name.
    """
    income = _LOSS.sub("income", line)
    return income if income in read_core_lines().lines else line


@lru_cache(maxsize=4096)
def _thing(column: Header) -> frozenset[str]:
    """The stems of what a column is of, where that is not a period, no total and no change."""
    if find_periods(column.label) or _WHOLE.search(column.label):
        return frozenset()
    return frozenset(stems(column.label))


def _of_parts(table: Table) -> frozenset[str]:
    """The labels that several lines of a table have, each below a heading of its own."""
    below = Counter(row.label for row in {row for row in table.rows if len(row.levels) > 1})
    return frozenset(label for label, lines in below.items() if lines > 1)


def _variants(label: str, *, total_said: bool) -> Iterator[tuple[str, float]]:
    """A label as questions say it, with what each way counts: whole, without an aside, a total by what it is of."""
    yield label, 1.0
    yield _ASIDE.sub(" ", label), _BUT_FOR_AN_ASIDE
    if not total_said and (total := _TOTAL.match(label)) is not None:
        yield label[total.end() :], _BUT_FOR_TOTAL


def _spoken(text: str) -> tuple[str, ...]:
    return tuple(words(text.lower()))


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))
