"""What kind of table one is: a primary statement, a note, a discussion's repetition, or a list of contents.

Owns the signs by which each is told: its title and the headings over it before its lines, for notes and discussions
print the lines of statements too.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.table import Table

_STATEMENTS = (
    (
        "balance sheet",
        re.compile(r"balance sheets?\b|statements? of (?:consolidated )?(?:financial (?:position|condition))", re.I),
        re.compile(
            r"total assets|total liabilities|total current (?:assets|liabilities)|total (?:stock|share)\w* equity", re.I
        ),
    ),
    (
        "cash flow statement",
        re.compile(r"statements? of (?:consolidated )?cash flows?|\bcash flows? statements?", re.I),
        re.compile(r"operating activities|investing activities|financing activities", re.I),
    ),
    (
        "statement of equity",
        re.compile(
            r"statements? of (?:consolidated )?(?:changes in )?"
            r"(?:(?:stock|share)(?:holder|owner)s?\W?s? (?:equity|deficit|investment)|[\w ,]{0,60}\bequity\b)",
            re.I,
        ),
        re.compile(r"balances?\b|net (?:income|earnings|loss)|dividends?|comprehensive", re.I),
    ),
    (
        "statement of comprehensive income",
        re.compile(r"statements? of (?:consolidated )?comprehensive (?:income|loss|earnings)", re.I),
        re.compile(r"comprehensive|net (?:income|earnings|loss)", re.I),
    ),
    (
        "income statement",
        re.compile(
            r"statements? of (?:consolidated )?(?:operations|income|earnings|net (?:income|earnings)|profit)"
            r"|income statements?",
            re.I,
        ),
        re.compile(r"per share|net (?:income|earnings|loss)|before (?:provision|income tax)|revenues?|net sales", re.I),
    ),
)
_NOTES = re.compile(r"\bnotes to\b|^notes?\b\s*\d*|^\d{1,2}\s*[-.)\u2013\u2014]", re.I)
_DISCUSSION = re.compile(r"management\W?s? discussion|\bMD&A\b|item 7\b|results of operations|liquidity", re.I)
_BACK = re.compile(
    r"exhibits?\b.{0,200}schedules?|^signatures?$|item 15\b|index to exhibits|exhibit index|^consent of", re.I
)
_CONTENTS = re.compile(r"table of contents|^index\b|index to (?:consolidated )?(?:financial )?|exhibit", re.I)
_ITEM = re.compile(r"item \d{1,2}[abc]?\b|\d{1,2}\.\d{1,3}\b|part i", re.I)
_LEAST_ROWS = 5
_LEAST_SIGNS = 2
_TITLE_LINES = 3
_LONGEST_TITLE = 100


class Standing(StrEnum):
    """What kind of table one is; the value says it for people."""

    STATEMENT = "primary statement"
    NOTE = "note"
    DISCUSSION = "discussion"
    OTHER = "other"
    CONTENTS = "list of contents"


def statements_named(text: str) -> tuple[str, ...]:
    """Returns the primary statements that a text names.

    >>> statements_named("what does the balance sheet say of inventories?")
    ('balance sheet',)
    """
    return tuple(name for name, title, _ in _STATEMENTS if title.search(text))


def is_back_matter(path: Iterable[str]) -> bool:
    """Returns whether the nearest of some headings is that of exhibits or signatures.

    They name everything and say nothing of it. The outer headings do not count: statements are filed under exhibits.
    """
    *_, nearest = ("", *path)
    return _BACK.search(nearest) is not None


def standings(document: Document) -> dict[int, tuple[Standing, str]]:
    """Returns what kind of table each of a document is, by its index, and the name of the statement if it is one.

    After the first primary statement stand notes, up to the exhibits; before it, discussions.
    """
    found: dict[int, tuple[Standing, str]] = {}
    statement = _first_pass(document)
    first = min(statement, default=None)
    for table in document.tables:
        path = document.section_of(table).path
        heads = (table.title, *path)
        if _lists_contents(table, heads):
            found[table.index] = Standing.CONTENTS, ""
        elif table.index in statement:
            found[table.index] = Standing.STATEMENT, statement[table.index]
        elif any(map(_NOTES.search, heads)):
            found[table.index] = Standing.NOTE, ""
        elif any(map(_DISCUSSION.search, heads)):
            found[table.index] = Standing.DISCUSSION, ""
        else:
            after = first is not None and table.index > first and not is_back_matter(path)
            found[table.index] = (Standing.NOTE if after else Standing.OTHER), ""
    return found


def _first_pass(document: Document) -> dict[int, str]:
    """Returns the primary statements by the index of their table."""
    found: dict[int, str] = {}
    for table in document.tables:
        path = document.section_of(table).path
        heads = (table.title, *path)
        if len(table.rows) - table.header_rows < _LEAST_ROWS or _lists_contents(table, heads):
            continue
        if any(_NOTES.search(head) or _DISCUSSION.search(head) for head in heads):
            continue
        labels = [row.label for row in table.rows[table.header_rows :]]
        near = _titles(document, table, path)
        for name, title, sign in _STATEMENTS:
            if any(map(title.search, near)) and sum(bool(sign.search(label)) for label in labels) >= _LEAST_SIGNS:
                found[table.index] = name
                break
    return found


def _titles(document: Document, table: Table, path: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what is printed over a table as its name: title, nearest headings, or a line that is no sentence."""
    lead = (sentence.text.strip() for sentence in document.lead_of(table)[-_TITLE_LINES:])
    lines = [text for text in lead if len(text) <= _LONGEST_TITLE and not text.endswith((".", ":", ";", ","))]
    heads = [head for head in (table.title, *reversed(path)) if head and not is_caption(head)]
    return (*heads[:3], *lines)


def _lists_contents(table: Table, heads: tuple[str, ...]) -> bool:
    labels = [row.label for row in table.rows[table.header_rows :] if row.label]
    items = sum(bool(_ITEM.match(label)) for label in labels)
    if labels and 2 * items > len(labels):
        return True
    heads = (*heads[:1], *(column.label for column in table.columns[:1]))
    paged = any(column.label.casefold().strip(" .") in ("page", "page no", "pages") for column in table.columns)
    return paged or (any(map(_CONTENTS.search, heads)) and not _amounts(table))


def _amounts(table: Table) -> bool:
    """Whether a table prints amounts: numbers that are not small whole ones, as pages are."""
    return any(abs(cell.quantity.value) >= 1_000 for cell in table.body() if cell.quantity is not None)
