"""Which lines of a page a question lists: "the expected volatility and dividend yield in 2019".

A label may hold an "and" itself ("research and development"), so only the page tells whether one thing is named or two.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from quaestor.core.words import compound_spans
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.listing import Listing, asks_one
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.decode.labels import line_called, lines_named

_BESIDE = re.compile(
    r"[\s,]*(?:(?:and|&|as well as)\s+)?(?:(?:for|of|from|in)\s+)?(?:(?:the|its|their|a|an)\s+)?", re.I
)
_AND = re.compile(r"\band\b|&|\bas well as\b", re.I)
_BEGINS = r"(?:^|,|&|\b(?:and|was|were|is|are|the|its|of|in))\s*"
_MOST = 12
_LONGEST_LABEL = 12


_Labels = dict[tuple[str, ...], bool]
"""Labels as stems, and whether each joins words by "and" itself."""


@dataclass(frozen=True, slots=True)
class _Named:
    start: int
    end: int
    label: tuple[str, ...]


def lines_listed(question: Question, document: Document) -> Listing | None:
    """Return a question for several lines of one table, or several columns, as a list; None for every other."""
    text = question.lowered
    if " and " not in text and "&" not in text:
        return None
    for labels in _label_sets(text, document):
        chain = _chain(text, sorted(_found(text, labels), key=lambda each: each.start))
        if chain and not asks_one(text[: chain[0].start] + " " + text[chain[-1].end :]):
            return _listing(question.text, chain)
    return None


def _label_sets(text: str, document: Document) -> Iterator[_Labels]:
    """Yield the labels that may be listed together: the rows of a table, its columns, of a filing all rows."""
    called = {} if document.is_page else _other_names(text)
    rows: _Labels = {}
    for table in document.tables:
        own = _labels(table, rows=True)
        own |= {called[line]: True for row in table.rows if called and (line := line_called(row.label)) in called}
        yield own
        yield _labels(table, rows=False)
        rows |= own
    if not document.is_page:
        # "Net income and total assets" are in two statements.
        yield rows


def _other_names(text: str) -> Mapping[str, tuple[str, ...]]:
    """The lines that a question calls by another name, which begins a thing: "Mac sales" are no sales of all."""
    named = lines_named(text).items()
    begun = ((line, _stems_of(name)) for line, name in named if re.search(rf"{_BEGINS}{re.escape(name)}\b", text))
    return {line: label for line, label in begun if label}  # "year" has no stem of its own


def _said(text: str) -> list[tuple[str, int, int]]:
    """Return the stems of a text with their places, and its commas: "rent, selling" is no label "rent and selling"."""
    found: list[tuple[str, int, int]] = []
    last = 0
    for start, end in compound_spans(text):
        own = stems(text[start:end])
        if own and found and "," in text[last:start]:
            found.append((",", last, start))
        found += [(stem, start, end) for stem in own]
        last = end if own else last
    return found


def _labels(table: Table, *, rows: bool) -> _Labels:
    headers = table.rows[table.header_rows :] if rows else table.columns[1:]
    found = {_stems_of(header.label): _AND.search(header.label) is not None for header in headers}
    fitting = (label for label in found if 0 < len(label) <= _LONGEST_LABEL and not all(map(str.isdigit, label)))
    return {label: found[label] for label in fitting}


def _stems_of(label: str) -> tuple[str, ...]:
    return tuple(stem for stem, _, _ in _said(label.lower()))


def _found(text: str, labels: _Labels) -> Iterator[_Named]:
    """Yield where a question says a label whole; of labels at one place the longest."""
    said = _said(text)
    sizes = sorted({len(label) for label in labels if label}, reverse=True)
    free = 0
    for place, (_, start, _) in enumerate(said):
        for size in sizes if place >= free else ():
            label = tuple(stem for stem, _, _ in said[place : place + size])
            # "Net income and total assets" does not say a label "Net income, total".
            if label in labels and (labels[label] or not _AND.search(text[start : said[place + len(label) - 1][2]])):
                yield _Named(start, said[place + len(label) - 1][2], label)
                free = place + len(label)
                break


def _chain(text: str, found: list[_Named]) -> list[_Named]:
    """Return the labels that stand side by side, with an "and" among them; none if there are not two."""
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
