"""Roles of tables: primary statements of a group, notes, discussions, and tables that only look like statements."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.core.quantity import Scale
from quaestor.documents.captions import is_caption
from quaestor.documents.document import Document
from quaestor.documents.table import Table, TableRole


@dataclass(frozen=True, slots=True)
class _Statement:
    """Criteria for a primary statement.

    Attributes:
        lines: Row labels of which a table with the title has some.
        typical: Row labels of which a table without a title has each; column labels for a statement of equity.
    """

    title: re.Pattern[str]
    lines: re.Pattern[str]
    typical: tuple[re.Pattern[str], ...]


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_OF = r"statements? of (?:the )?(?:consolidated )?"
_NO_DATA = r"(?! (?:data|items?|information|accounts?|amounts?|line|location|classification|hedg))"
"""Text after the name of a statement that excludes it: "balance sheet data" is a selection of its lines."""
_OWNERS = r"(?:stock|share)(?:holder|owner)s?\W{0,2}s?"
_PROFIT = r"net (?:income|earnings|loss|\(loss\)|profit)|profit (?:\(loss\) )?for the"
_STATEMENTS = {
    TableRole.BALANCE_SHEET: _Statement(
        _words(rf"(?<!off-)(?<!off )balance sheets?\b{_NO_DATA}|{_OF}financial (?:position|condition)\b{_NO_DATA}"),
        _words(rf"total (?:assets|liabilities|equity|current (?:assets|liabilities))|total {_OWNERS} equity"
               r"|^(?:current )?(?:assets|liabilities)\b"),
        (_words(r"^total assets"), _words(rf"^total (?:liabilities|equity|{_OWNERS})")),
    ),
    TableRole.CASH_FLOWS: _Statement(
        _words(rf"{_OF}cash flows?\b{_NO_DATA}|\bcash flows? statements?\b{_NO_DATA}"),
        _words(r"(?:operating|investing|financing) activities|operations|capital expenditures?|dividends|depreciation"
               r"|(?:increase|decrease|change) in cash"),
        (_words(r"\bcash\b.{0,40}\boperat"), _words(r"\bcash\b.{0,40}\binvesting"), _words(r"\bcash\b.{0,40}\bfinanc")),
    ),
    TableRole.EQUITY: _Statement(
        _words(rf"{_OF}(?:changes in )?(?:common )?(?:{_OWNERS} ?(?:equity|deficit|deficiency|investment)"
               rf"|partners\W{{0,2}}s? capital|[\w ,]{{0,60}}\bequity\b)"),
        _words(rf"balances?\b|{_PROFIT}|dividends?|comprehensive"),
        (_words(r"^common stock|^share capital|^ordinary shares"), _words(r"retained|reinvested|accumulated deficit"),
         _words(r"accumulated other|total equity|^total$")),
    ),
    TableRole.COMPREHENSIVE_INCOME: _Statement(
        _words(rf"{_OF}(?:other )?comprehensive (?:income|loss|\(loss\)|earnings)"),
        _words(rf"comprehensive|{_PROFIT}"),
        (_words(rf"^(?:consolidated )?(?:{_PROFIT})"), _words(r"^other comprehensive"),
         _words(r"^(?:total )?comprehensive (?:income|loss|\(loss\)|earnings)")),
    ),
    TableRole.INCOME_STATEMENT: _Statement(
        _words(rf"{_OF}(?:operations|income|earnings|net (?:income|earnings)|profit|loss)\b{_NO_DATA}"
               rf"|\b(?:income|profit and loss|operations) statements?\b{_NO_DATA}"),
        _words(rf"per share|{_PROFIT}|before (?:provision|income tax|tax)|revenues?|net sales"),
        (_words(r"^(?:total )?(?:net )?(?:sales|revenues?|operating revenues?)\b"),
         _words(r"^(?:costs? of|operating (?:income|expenses|profit|loss)|(?:income|loss) from operations)"),
         _words(rf"^(?:consolidated )?(?:{_PROFIT})")),
    ),
}  # fmt: skip
"""Primary statements in the order in which titles are tried; "statements of income" must come last."""

ADJUSTED_WORDS = r"adjust\w*|(?:non-?)?gaap|core|underlying|headline"
"""Pattern of words for adjusted figures in labels."""

_LOOK_ALIKES = {
    TableRole.COMMON_SIZE: _words(
        r"\b(?:as )?(?:an? )?percent(?:age)?s? of (?:\w+ ){0,2}?(?:sales|revenues?)\b|\bcommon[ -]size"
    ),
    TableRole.PARENT_ONLY: _words(
        r"parent[ -](?:company|only)|condensed financial (?:information|statements) of (?:the )?(?:registrant|parent)"
        r"|\bregistrant only|\bschedule i\b"
    ),
    TableRole.SUBSIDIARIES: _words(
        r"\bguarantors?\b|\bguarantee[ds]? subsidiar|\bobligor group|\bconsolidating\b"
        r"|\bsummari[sz]ed (?:combined )?(?:financial|balance|income)"  # whole statements may be summarized too
    ),
    TableRole.PRO_FORMA: _words(r"\bpro[ -]?forma\b"),
    TableRole.NON_GAAP: _words(
        r"\bnon-?gaap\b|\breconciliations? of\b.{0,80}\b(?:adjusted|gaap|ebitda)\b"
        r"|\badjusted (?:ebitda|earnings|net income)\b"
    ),
    TableRole.FAIR_VALUES: _words(r"\bfair[ -]values?\b(?! (?:assumptions?|of (?:options?|awards?|each)))"),
    TableRole.QUARTERLY: _words(r"\bquarterly (?:\w+ ){0,2}?(?:data|results|information|summary)\b|\bby quarter\b"),
    TableRole.SEGMENTS: _words(r"\bsegments?\b|\bgeographic|\bby (?:region|country|geography)"),
}
"""Tables with lines of statements that are not primary statements, by title, in the order in which they are tried."""

_NOTES = _words(r"(?<!accompanying )\bnotes to\b|^notes?\b\s*\d*|^\d{1,2}\s*[-.)\u2013\u2014]")
_DISCUSSION = _words(
    r"management\W?s? discussion|\bMD&A\b|item 7\b|results of operations|liquidity"
    r"|\bselected (?:\w+ ){0,2}?data\b|(?:financial|year) (?:highlights|summary)\b|\bkey (?:\w+ )?metrics"
)
_BACK = _words(r"exhibits?\b.{0,200}schedules?|^signatures?$|item 15\b|index to exhibits|exhibit index|^consent of")
_CONTENTS = _words(r"table of contents|^index\b|index to (?:consolidated )?(?:financial )?|exhibit")
_ITEM = _words(r"item \d{1,2}[abc]?\b|\d{1,2}\.\d{1,3}\b(?!\s?%)|part i")
_PART = _words(
    r"(?:(?:report of )?independent (?:registered |public ){0,4}(?:auditors?|account\w+)\W{0,3} report"
    r"|report of independent|(?:the |consolidated |condensed |combined ){0,4}(?:balance sheets?|statements? of)\b"
    r"|notes to (?:the |consolidated |condensed |combined ){0,4}financial statements"
    r"|(?:selected |unaudited ){0,4}quarterly (?:consolidated )?(?:financial|results))"
)
"""Titles of statements and reports, which are the row labels of a list of them."""
_FORM = _words(r"(?:form )?(?:8-k|10-[kq]|20-f|6-k|s-\d{1,2}|def 14a)(?:/a)?")
"""Filings that an exhibit index refers to."""
_PAGE = ("page", "page no", "pages")
_ADJUSTED = _words(
    r"\bnon-?gaap\b|^gaap\b"
    r"|^adjusted (?:operating|net|earnings|income|ebit|gross|diluted|basic|free|eps|pre-?tax|profit|revenue|sales)"
)
_ASKS_ADJUSTED = _words(r"\badjusted\b|\bnon-?gaap\b|\bunderlying\b|\bcore\b|\bexcluding\b|\bbefore special\b")
_LEVEL = _words(r"\blevel [123]\b")
_LEAST_TITLED, _LEAST_LINES = 3, 5
"""Minimal number of rows for a statement with a title, and without one."""
_LEAST_SIGNS = 2
_TITLE_LINES = 3
_GRID_LINES = 4
"""Number of rows at the top of a grid that may contain the title of the table."""
_LONGEST_TITLE = 100
_WHOLE = 100
_MOSTLY = 0.8
_NEAR = 2
"""Maximal number of tables between the parts of a statement."""


def statements_named(text: str) -> tuple[TableRole, ...]:
    """Return the primary statements that a text mentions.

    >>> statements_named("what does the balance sheet say of inventories?")
    (<TableRole.BALANCE_SHEET: 'balance sheet'>,)
    """
    return tuple(role for role, statement in _STATEMENTS.items() if statement.title.search(text))


def look_alikes_named(text: str) -> tuple[TableRole, ...]:
    """Return the roles other than primary statements that a text mentions: "adjusted EBITDA", "pro forma"."""
    adjusted = (TableRole.NON_GAAP,) if _ASKS_ADJUSTED.search(text) else ()
    named = (role for role, title in _LOOK_ALIKES.items() if title.search(text))
    return tuple(dict.fromkeys((*adjusted, *named)))


def is_back_matter(path: Iterable[str]) -> bool:
    """Return whether the innermost heading is that of exhibits or signatures.

    Such sections name everything without any content. Outer headings are ignored, because statements may be filed under
    exhibits.
    """
    *_, nearest = ("", *path)
    return _BACK.search(nearest) is not None


def with_roles(document: Document) -> Document:
    """Return the document with roles for its tables.

    Other tables after the first primary statement are notes, up to the exhibits.
    """
    if not document.tables:
        return document
    faces = [_TableText(document, table) for table in document.tables]
    statements = _find_statements(faces)
    first = min(statements, default=None)
    roles = [statements.get(face.table.index) or _other_role(face, first) for face in faces]
    blocks = tuple(
        replace(block, content=replace(block.content, role=roles[block.content.index]))
        if isinstance(block.content, Table) and roles[block.content.index] is not block.content.role
        else block
        for block in document.blocks
    )
    return replace(document, blocks=blocks)


class _TableText:
    """Texts that determine the role of a table.

    Attributes:
        titles: Possible titles: the table's title, lines of the grid, the nearest headings, and lines before it.
    """

    def __init__(self, document: Document, table: Table) -> None:
        self.table = table
        self.path = document.section_of(table).path
        self.heads = (table.title, *self.path)
        self.lead = tuple(sentence.text.strip() for sentence in document.lead_of(table)[-_TITLE_LINES:])
        self.labels = tuple(row.label for row in table.rows[table.header_rows :] if row.label)
        lines = (text for text in self.lead if len(text) <= _LONGEST_TITLE and not text.endswith((".", ":", ";", ",")))
        own = [
            text for text in (table.title, *_grid_lines(table), *reversed(self.path)) if text and not is_caption(text)
        ]
        self.titles = (*own[:4], *lines)

    @property
    def lists_contents(self) -> bool:
        """Whether it is a list of the parts of the document or of its exhibits."""
        items = sum(bool(_ITEM.match(label) or _PART.match(label)) for label in self.labels)
        if self.labels and 2 * items > len(self.labels):
            return True
        forms = sum(_FORM.fullmatch(cell.text.strip()) is not None for cell in self.table.body())
        paged = forms >= _LEAST_SIGNS or any(
            column.label.casefold().strip(" .") in _PAGE for column in self.table.columns
        )
        heads = (self.table.title, *(column.label for column in self.table.columns[:1]))
        return paged or (any(map(_CONTENTS.search, heads)) and not _prints_amounts(self.table))

    @property
    def look_alike(self) -> TableRole | None:
        """The role of a table that only looks like a statement, by its title, rows and units; or None."""
        if sum(bool(_ADJUSTED.search(label)) for label in self.labels) >= _LEAST_SIGNS:
            return TableRole.NON_GAAP
        if sum(bool(_LEVEL.search(column.label)) for column in self.table.columns) >= _LEAST_SIGNS:
            return TableRole.FAIR_VALUES
        if _has_all_quarters(self.table):
            return TableRole.QUARTERLY
        texts = (*self.titles, *self.lead[-1:])
        for role, title in _LOOK_ALIKES.items():
            # A sentence may mention fair values for a table that has them in only one column.
            titled = any(map(title.search, self.titles if role is TableRole.FAIR_VALUES else texts))
            if self._is_common_size(titled) if role is TableRole.COMMON_SIZE else titled:
                return role
        return None

    def _is_common_size(self, titled: bool) -> bool:
        """Whether it has the lines of a statement as percentages of sales, judging by the title or a line with 100 %.

        A percent sign may be printed in the first line only.
        """
        table = self.table
        numbers = [cell.quantity for cell in table.body() if cell.quantity is not None]
        small = sum(abs(number.value) <= _WHOLE for number in numbers)
        if len(numbers) < _LEAST_LINES or small < _MOSTLY * len(numbers):
            return False
        whole = any(number.value == _WHOLE and number.scale is Scale.PERCENT for number in numbers)
        return titled or (whole and self.counts(_STATEMENTS[TableRole.INCOME_STATEMENT].lines) >= _LEAST_SIGNS)

    def counts(self, sign: re.Pattern[str]) -> int:
        """Return the number of row labels that match."""
        return sum(bool(sign.search(label)) for label in self.labels)


def _grid_lines(table: Table) -> Iterator[str]:
    """Yield lines at the top of a grid that may be the title: the only text of a row, or the corner cell."""
    for number, row in enumerate(table.cells[:_GRID_LINES]):
        texts = {" ".join(cell.text.split()) for cell in row} - {""}
        corner = " ".join(row[0].text.split()) if number < table.header_rows else ""
        if len(texts) == 1 and not any(cell.quantities for cell in row[1:]):
            corner = texts.pop()
        if corner and len(corner) <= _LONGEST_TITLE:
            yield corner


def _find_statements(faces: Sequence[_TableText]) -> dict[int, TableRole]:
    """Return primary statements by table index: those with a title, else those with characteristic rows.

    A second statement of the same kind far from the first is that of a parent or subsidiary.
    """
    found: dict[int, TableRole] = {}
    latest: dict[TableRole, int] = {}
    rest: list[_TableText] = []
    for face in faces:
        if len(face.table.rows) - face.table.header_rows < _LEAST_TITLED or face.lists_contents:
            continue
        if any(_NOTES.search(head) or _DISCUSSION.search(head) for head in face.heads):
            continue
        alike = face.look_alike
        if alike not in (None, TableRole.QUARTERLY):
            continue
        role = next((role for role, statement in _STATEMENTS.items() if _is_titled(face, statement)), None)
        index = face.table.index
        if role is None:
            rest.append(face)
        elif role not in latest or index - latest[role] <= _NEAR:
            found[index] = role
            latest[role] = index
        else:
            found[index] = TableRole.SUBSIDIARIES
    last = max(latest.values(), default=None)
    for face in rest:
        if last is not None and face.table.index > last + _NEAR:
            break
        role = next(
            (role for role, statement in _STATEMENTS.items() if _has_typical_lines(face, role, statement)), None
        )
        if role is not None and role not in latest:
            found[face.table.index] = role
            last = face.table.index if last is not None else None
    return found


def _is_titled(face: _TableText, statement: _Statement) -> bool:
    own = statement.title.search(face.table.title) is not None
    least = 1 if own else _LEAST_SIGNS
    return (own or any(map(statement.title.search, face.titles))) and face.counts(statement.lines) >= least


def _has_typical_lines(face: _TableText, role: TableRole, statement: _Statement) -> bool:
    if len(face.table.rows) - face.table.header_rows < _LEAST_LINES:
        return False
    labels = [column.label for column in face.table.columns] if role is TableRole.EQUITY else face.labels
    return all(any(map(sign.search, labels)) for sign in statement.typical)


def _other_role(face: _TableText, first: int | None) -> TableRole:
    if face.lists_contents:
        return TableRole.CONTENTS
    if (alike := face.look_alike) is not None:
        return alike
    if is_back_matter(face.path):
        return TableRole.OTHER
    if any(map(_NOTES.search, face.heads)):
        return TableRole.NOTE
    if any(map(_DISCUSSION.search, face.heads)):
        return TableRole.DISCUSSION
    return TableRole.NOTE if first is not None and face.table.index > first else TableRole.OTHER


def _prints_amounts(table: Table) -> bool:
    """Whether a table has numbers of at least 1,000, unlike a list with page numbers."""
    return any(abs(cell.quantity.value) >= 1_000 for cell in table.body() if cell.quantity is not None)


def _has_all_quarters(table: Table) -> bool:
    """Whether the columns include all quarters of one year."""
    quarters = {(c.period.year, c.period.quarter) for c in table.columns if c.period is not None and c.period.quarter}
    return 4 in Counter(year for year, _ in quarters).values()
