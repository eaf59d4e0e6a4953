"""Which lines of a page a question lists: "the expected volatility and dividend yield in 2019".

Owns the reading of labels that stand side by side in a question. A label may hold an "and" itself ("research and
development"), so only the page tells whether one thing is named or two.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from quaestor.core.words import compound_spans
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.listing import Listing, asks_one
from quaestor.questions.question import Question
from quaestor.questions.stems import stems

_BESIDE = re.compile(
    r"[\s,]*(?:(?:and|&|as well as)\s+)?(?:(?:for|of|from|in)\s+)?(?:(?:the|its|their|a|an)\s+)?", re.I
)
_AND = re.compile(r"\band\b|&|\bas well as\b", re.I)
_MOST = 12
_LONGEST_LABEL = 12


@dataclass(frozen=True, slots=True)
class _Named:
    start: int
    end: int
    label: tuple[str, ...]


def lines_listed(question: Question, document: Document) -> Listing | None:
    """Returns a question for several lines of one table, or several columns, as a list; None for every other.

    Args:
        question: As asked.
        document: The page.
    """
    text = question.lowered
    if " and " not in text and "&" not in text:
        return None
    said = _said(text)
    for table in document.tables:
        for labels in (_labels(table, rows=True), _labels(table, rows=False)):
            chain = _chain(text, sorted(_found(said, labels), key=lambda each: each.start))
            if chain and not asks_one(text[: chain[0].start] + " " + text[chain[-1].end :]):
                return _listing(question.text, chain)
    return None


def _said(text: str) -> list[tuple[str, int, int]]:
    """Returns the stems of a text with their places, and its commas: "rent, selling" is no label "rent and selling"."""
    found: list[tuple[str, int, int]] = []
    last = 0
    for start, end in compound_spans(text):
        own = stems(text[start:end])
        if own and found and "," in text[last:start]:
            found.append((",", last, start))
        found += [(stem, start, end) for stem in own]
        last = end if own else last
    return found


def _labels(table: Table, *, rows: bool) -> set[tuple[str, ...]]:
    headers = table.rows[table.header_rows :] if rows else table.columns[1:]
    found = {tuple(stem for stem, _, _ in _said(header.label.lower())) for header in headers}
    return {label for label in found if 0 < len(label) <= _LONGEST_LABEL and not all(map(str.isdigit, label))}


def _found(said: list[tuple[str, int, int]], labels: set[tuple[str, ...]]) -> Iterator[_Named]:
    """Yields where a question says a label whole; of labels at one place the longest."""
    place = 0
    while place < len(said):
        here = [label for label in labels if tuple(stem for stem, _, _ in said[place : place + len(label)]) == label]
        longest = max(here, key=len, default=())
        if longest:
            yield _Named(said[place][1], said[place + len(longest) - 1][2], longest)
        place += len(longest) or 1


def _chain(text: str, found: list[_Named]) -> list[_Named]:
    """Returns the labels that stand side by side, with an "and" among them; none where there are not two."""
    chains: list[list[_Named]] = []
    for named in found:
        if chains and _BESIDE.fullmatch(text[chains[-1][-1].end : named.start]):
            chains[-1].append(named)
        else:
            chains.append([named])
    longest = max(chains, key=len, default=[])
    joined = any(_AND.search(text[a.end : b.start]) for a, b in pairwise(longest))
    different = len({named.label for named in longest}) == len(longest)
    return longest if 1 < len(longest) <= _MOST and joined and different else []


def _listing(text: str, chain: list[_Named]) -> Listing:
    items = tuple(text[named.start : named.end] for named in chain)
    before, after = text[: chain[0].start], text[chain[-1].end :]
    questions = tuple(" ".join(f"{before}{item}{after}".split()) for item in items)
    return Listing(questions, items, respective=False, total=False)
