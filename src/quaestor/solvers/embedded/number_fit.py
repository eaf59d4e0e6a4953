"""Checks whether a number has the line that a question asks for, and is per share if that is asked for."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef
from quaestor.core.words import search_words, words
from quaestor.documents.document import Document
from quaestor.documents.roles import look_alikes_named
from quaestor.documents.table import Header, Table, TableRole
from quaestor.ontology.line_matching import core_line_index, read_core_lines
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.retrieval.everyday import expand_abbreviations, in_words_of_reports
from quaestor.solvers.embedded.page import Floats
from quaestor.solvers.embedded.page_numbers import CandidateNumber

_PER_SHARE = lazy_regex(r"\bper (?:\w+ )?(?:share|unit|ads|stock)\b", re.IGNORECASE)
_SHARES = lazy_regex(r"\bshares\b")
_AMOUNT_IN_BRACKETS = lazy_regex(r"\([^()\d]*+\d[^()]*+\)")


def asks_per_share(question: Question) -> bool:
    """Return whether a question asks for an amount per share."""
    text = in_words_of_reports(question.lowered)
    return _PER_SHARE.search(text) is not None and not _SHARES.search(text)


def is_per_share(leaf: CandidateNumber, document: Document) -> bool:
    """Return whether a number is an amount per share."""
    if leaf.power > 0:
        # "Dividends ($ 0.40 per share)" beside the millions that were paid.
        return False
    if not isinstance(leaf.source, CellRef):
        text = document.sentence(leaf.source).text
        return _PER_SHARE.search(text) is not None
    table = document.table(leaf.source.table)
    row, column = table.rows[leaf.source.row], table.columns[leaf.source.column]
    heads = (*row.levels, row.label, *column.levels, column.label, table.title)
    return any(_PER_SHARE.search(_AMOUNT_IN_BRACKETS.sub(" ", expand_abbreviations(head))) for head in heads)


# The lines of a filing that a question names: by the words of the label, or by another name of the same line.
#
# "Total net sales" and "revenue" mean "net sales", and "R&D" means research and development; but the "net sales" below
# "Europe" are those of a part, which the question has to name.


_WITHOUT_ASIDE = 0.7
_WITHOUT_TOTAL = 0.9
_BY_ANOTHER_NAME = 0.9
_LONGEST_NAME = 7
_BEGINS_A_NAME = frozenset({"total", "net", "gross", "and", "other"})
_EXACT_NAME_RULE = "statement line"
"""Rule of the core index for a label that is exactly the name of a statement line."""
_OF_TIME = frozenset(stems("fiscal financial year"))
"""Words that do not describe a line: "revenue in fiscal 2023"."""
_LABELS_PER_SHARE = lazy_regex(r"\bper (?:\w+ )?(?:share|unit|stock)\b", re.IGNORECASE)
"""Headings for amounts per share: "net income" below one is not the net income of the company."""
_LABELS_SHARES = lazy_regex(r"\bshares?\b|\beps\b|\bunit\b", re.IGNORECASE)
_INCOMES = {"kg:net_loss": "kg:net_income", "kg:operating_loss": "kg:operating_income"}
"""Lines of losses with those of the corresponding incomes, which the same line is called in other years."""
_ASIDE = lazy_regex(r"\([^()]*\)")
_LOSS = lazy_regex(r"(?<=[_:])loss(?=_|$)")
_TOTAL = lazy_regex(r"total (?=[a-z])", re.IGNORECASE)


class LabelMentions:
    """Shares of a question that the labels of tables cover."""

    def __init__(self, question: str, tables: Iterable[Table]) -> None:
        """Prepare the question, without the place that it names, and the tables whose labels are compared."""
        self._words = _read_words(question)
        self._stems = tuple(stem for stem in stems(question) if stem not in _OF_TIME)
        self._lines = find_named_lines(question)
        self._per_share = _LABELS_SHARES.search(question) is not None
        self._of_parts = {table.index: _find_part_labels(table) for table in tables}

    def measure(self, table: Table, source: CellRef) -> float:
        """Return the share of the question that a cell's labels cover."""
        row = table.rows[source.row]
        below_zero = (number := table.cells[source.row][source.column].quantity) is not None and number.value < 0
        below = len(row.levels) > 1 and row.label in self._of_parts[table.index]
        part = below and not set(stems(row.levels[-2])) & set(self._stems)
        counts = [self._count_label_words(table.columns[source.column].label)]
        if not part and (self._per_share or not _is_line_per_share(row)):
            counts += [self._count_label_words(row.label), self._count_other_names(row, is_loss=below_zero)]
        return max(counts) / max(1, len(self._words))

    def _count_label_words(self, label: str) -> float:
        """Number of the question's words that a label covers, in its best variant."""
        best = 0.0
        for printed, counts in _spell_variants(expand_abbreviations(label), names_total="total" in self._words):
            printed_words = _read_words(printed)
            if any(word[0].isalpha() for word in printed_words) and _is_within(printed_words, self._words):
                best = max(best, counts * len(printed_words))
        return best

    def _count_other_names(self, row: Header, *, is_loss: bool) -> float:
        """The same by other names of the line; a loss below zero counts as an income."""
        line = find_line(f"{row.label} per share" if _is_line_per_share(row) else row.label)
        name = self._lines.get(line) or (self._lines.get(_INCOMES.get(line, "")) if is_loss else None)
        return _BY_ANOTHER_NAME * len(_read_words(name)) if name is not None else 0.0


def _is_line_per_share(row: Header) -> bool:
    return any(map(_LABELS_PER_SHARE.search, row.levels[:-1]))


@lru_cache(maxsize=1024)
def find_named_lines(text: str) -> Mapping[str, str]:
    """Return the statement lines that a text names, each with its words; longer names have priority.

    >>> find_named_lines("was R&D above SG&A?")
    {'kg:research_and_development': 'r&d', 'kg:selling_general_and_administrative_expenses': 'sg&a'}
    """
    tokens = search_words(text.lower())
    spans = ((start, start + size) for size in range(_LONGEST_NAME, 0, -1) for start in range(len(tokens) - size + 1))
    found: dict[str, str] = {}
    used_places: set[int] = set()
    for start, end in spans:
        name = " ".join(tokens[start:end])
        if tokens[end - 1] in _BEGINS_A_NAME or _OF_TIME.issuperset(stems(name)):
            # "Net income and total assets" are two lines.
            continue
        if used_places.isdisjoint(range(start, end)) and (line := find_line(name)):
            used_places |= set(range(start, end))
            # A margin is an amount on some statements but usually means a ratio: the label has to match.
            if "margin" not in name:
                found.setdefault(line, name)
    return found


@lru_cache(maxsize=8192)
def find_line(label: str) -> str:
    """Return the statement line whose name is exactly this label; "" if there is none."""
    found = core_line_index().find_named(expand_abbreviations(label))
    return normalize_loss(found.property) if found is not None and found.rule == _EXACT_NAME_RULE else ""


@lru_cache(maxsize=256)
def normalize_loss(line: str) -> str:
    """Return the income line for a loss line; statements print either for the same line.

    >>> normalize_loss("kg:net_loss")
    'kg:net_income'

    Args:
        line: Name of the line in the core.
    """
    income = _LOSS.sub("income", line)
    return income if income in read_core_lines().lines else line


def _find_part_labels(table: Table) -> frozenset[str]:
    """Labels that several lines of a table have, below different headings."""
    below = Counter(row.label for row in {row for row in table.rows if len(row.levels) > 1})
    return frozenset(label for label, lines in below.items() if lines > 1)


def _spell_variants(label: str, *, names_total: bool) -> Iterator[tuple[str, float]]:
    """Variants of a label in questions with their weights: in full, without parentheses, without "total"."""
    yield label, 1.0
    yield _ASIDE.sub(" ", label), _WITHOUT_ASIDE
    if not names_total and (total := _TOTAL.match(label)) is not None:
        yield label[total.end() :], _WITHOUT_TOTAL


def _read_words(text: str) -> tuple[str, ...]:
    return tuple(words(text.lower()))


def _is_within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


# Lines with the same name: the line of the primary statement, for the group and as reported, is preferred.
#
# A filing prints net income in its statements, in notes, for the parent alone, for guarantors, adjusted, and in
# percent of sales. Questions for other lines than the first name them.


_OTHER_ROLE = 2.0
"""Penalty for a number that is adjusted, of another company or in percent of sales, in log-odds."""
_UNLIKE_STATEMENT = 1.5
"""Penalty for a number of another table if a primary statement has a line with that name, in log-odds."""
_NEARLY = 0.9
_OTHERS = frozenset(
    {
        TableRole.COMMON_SIZE,
        TableRole.NON_GAAP,
        TableRole.PRO_FORMA,
        TableRole.PARENT_ONLY,
        TableRole.SUBSIDIARIES,
    }
)
_ADJUSTED = lazy_regex(r"\b(?:adjusted|non-?gaap|pro[ -]?forma|underlying)\b", re.IGNORECASE)
_SHARE = lazy_regex(r"percent|%|\bshare of\b|\bmargin\b|\bratio\b|\brate\b|\bportion\b", re.IGNORECASE)


def weigh_look_alikes(
    question: Question, leaves: Sequence[CandidateNumber], shares: Floats, document: Document
) -> NDArray[np.float32]:
    """Return the penalty for numbers whose line has the same name as a likelier one, in log-odds.

    Args:
        shares: The share of the question that each number's label covers.

    Shape: One entry per leaf.
    """
    named = {*look_alikes_named(question.text), *((TableRole.COMMON_SIZE,) if _SHARE.search(question.text) else ())}
    asks_adjusted = _ADJUSTED.search(question.text) is not None
    penalty = np.zeros(len(leaves), np.float32)
    reported = np.zeros(len(leaves), bool)
    labels = [""] * len(leaves)
    of_table: dict[int, TableRole] = {}
    for place, leaf in enumerate(leaves):
        if not isinstance(leaf.source, CellRef):
            continue
        table = document.table(leaf.source.table)
        role = of_table.setdefault(table.index, table.role)
        row = table.rows[leaf.source.row]
        labels[place] = " ".join(words(row.label))
        adjusted = not asks_adjusted and any(map(_ADJUSTED.search, (*row.levels, row.label)))
        penalty[place] = _OTHER_ROLE * (adjusted or (role in _OTHERS and role not in named))
        reported[place] = role.is_statement and not adjusted
    statement = shares[reported]
    if not named and len(statement) and statement.max() > 0 and statement.max() >= _NEARLY * shares.max():
        named_labels = {labels[place] for place in np.flatnonzero(reported & (shares >= _NEARLY * statement.max()))} - {
            ""
        }
        alike = np.array([label in named_labels for label in labels], bool) & ~reported
        penalty += (_UNLIKE_STATEMENT * alike).astype(np.float32)
    return penalty
