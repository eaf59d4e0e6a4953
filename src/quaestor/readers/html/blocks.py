"""Lines of text and tables of a page in document order, with page and anchor.

Hidden elements, the header of inline XBRL and scripts are left out. Headings and titles of tables are determined later.
"""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from quaestor.readers.html.styles import (
    PLAIN,
    InlineTag,
    Run,
    Style,
    as_mark,
    find_hidden_selectors,
    inherit_style,
    style_rules,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figure figcaption footer"
    " form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th"
    " thead tr ul page".split()
)
_UNSEEN = frozenset(
    "script style head title noscript template object iframe svg math select textarea button ix:header"
    " ix:hidden".split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_PAGE_BREAK = re.compile(r"\s*(?:page\s?-?break|new\s?page|pagebreak)", re.IGNORECASE)
_SPAN_AT_MOST = 200
_CLASSES_AT_MOST = 50
_DEEPEST_PATH = 48


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """Text between two block boundaries.

    Attributes:
        text: Words separated by one space; a line feed for `<br>`.
        page: From 1; None if the file has no pages.
        targets: The ids between the previous block and this one.
        linked: Whether all of the text links within the file.
    """

    text: str
    marks: tuple[InlineTag, ...]
    look: Style
    tag: str
    page: int | None
    anchor: str | None
    targets: tuple[str, ...] = ()
    linked: bool = False


@dataclass(frozen=True, slots=True)
class RawCell:
    """A cell of the source table.

    Attributes:
        heading: Whether it is a header cell (`th`).
        linked: Whether all of the text links within the file.
        is_mark: Whether the text is only a raised footnote mark.
    """

    text: str
    marks: tuple[InlineTag, ...]
    look: Style
    columns: int = 1
    rows: int = 1
    heading: bool = False
    linked: bool = False
    is_mark: bool = False


@dataclass(frozen=True, slots=True)
class RawTable:
    """A source table that contains no other table."""

    rows: tuple[tuple[RawCell, ...], ...]
    page: int | None
    anchor: str | None
    targets: tuple[str, ...] = ()


Piece = HtmlLine | RawTable


@dataclass(slots=True)
class _Frame:
    """An open element."""

    tag: str
    style: Style
    block: bool
    children: int = 0
    place: int = 0
    run: Run | None = None
    start: int = 0
    outer: Run | None = None
    link: bool = False
    breaks: bool = False


@dataclass(slots=True)
class _OpenTable:
    """An open table, whose rows are being collected."""

    outer: Run
    page: int
    rows: list[list[RawCell]] = field(default_factory=list)


@dataclass(slots=True)
class TreeWalk:
    """Collects the lines and tables of a tree.

    Attributes:
        links: The ids that links within the file point to.
        hidden: The number of elements that the style sheet of the page hides.
    """

    pieces: list[Piece] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    pages: int = 1
    hidden: int = 0
    _hidden_by: frozenset[str] = frozenset()
    _frames: list[_Frame] = field(default_factory=list)
    _run: Run = field(default_factory=Run)
    _table: _OpenTable | None = None
    _ids: list[str] = field(default_factory=list)
    _last_id: str | None = None
    _linked: int = 0
    _fresh_page: bool = True

    def over(self, root: "_Element") -> "TreeWalk":
        """Walk over a tree; return this object."""
        from lxml import etree

        layout = _tables_around_tables(root)
        self._hidden_by = frozenset().union(*(find_hidden_selectors(sheet.text or "") for sheet in root.iter("style")))
        walker = etree.iterwalk(root, events=("start", "end", "comment"))
        event: str
        element: Any
        for event, element in walker:
            if event == "start":
                if not self._start(element, layout):
                    walker.skip_subtree()
                continue
            if event == "end":
                self._end(element)
            elif _PAGE_BREAK.match(element.text or ""):
                self._break_page()
            if element.tail and self._frames:
                self._run.add(element.tail, self._frames[-1].style, self._linked > 0)
        self._flush("body")
        if self.pages == 1:
            self.pieces = [replace(piece, page=None) for piece in self.pieces]
        return self

    def _start(self, element: "_Element", layout: "set[_Element]") -> bool:
        """Process the start of an element; return whether its content is visible."""
        tag = str(element.tag)
        get = element.get
        written = get("style", "")
        found = style_rules(written) if written else None
        parent = self._frames[-1] if self._frames else None
        if parent:
            parent.children += 1
        style = parent.style if parent else PLAIN
        frame = _Frame(tag, style, False, place=parent.children if parent else 1)
        self._frames.append(frame)
        if tag in _UNSEEN or (found and found.hidden) or get("hidden") is not None:
            return False
        if self._hidden_by and self._is_hidden(tag, get("class", ""), get("id", "")):
            self.hidden += 1
            return False
        if written or tag not in ("span", "tr", "a"):
            size = get("size", "") if tag == "font" else ""
            frame.style = inherit_style(style, tag, written, get("align", ""), size)
        if named := get("id") or (get("name") if tag == "a" else None):
            self._note_id(named)
        if tag == "br":
            self._run.break_line()
        elif tag in _BLOCKS:
            frame.block = True
            self._start_block(element, frame, bool(found and found.break_before), layout)
        elif tag == "a" and (target := get("href", "")).startswith("#"):
            self.links.add(target[1:])
            frame.link = True
            self._linked += 1
        elif tag == "ix:nonfraction":
            frame.run, frame.start = self._run, self._run.length
        frame.breaks = bool(found and found.break_after)
        if element.text:
            self._run.add(element.text, frame.style, self._linked > 0)
        return True

    def _is_hidden(self, tag: str, classes: str, id: str) -> bool:
        """Whether the style sheet of the page hides an element."""
        names = [f".{name}" for name in classes.split()[:_CLASSES_AT_MOST]] + [f"#{id}"]
        return any(name in self._hidden_by or tag + name in self._hidden_by for name in names)

    def _start_block(self, element: "_Element", frame: _Frame, breaks: bool, layout: "set[_Element]") -> None:
        tag = frame.tag
        if self._table is None or tag == "caption":
            self._flush(self._tag())
            if breaks or tag == "page":
                self._break_page()
        else:
            self._run.break_line()
        if tag == "table" and self._table is None and element not in layout:
            self._table = _OpenTable(self._run, self.pages)
            self._run = Run()
        elif self._table is not None and tag == "tr":
            self._table.rows.append([])
        elif self._table is not None and tag in ("td", "th"):
            if not self._table.rows:
                self._table.rows.append([])
            frame.outer, self._run = self._run, Run()

    def _end(self, element: "_Element") -> None:
        frame = self._frames.pop()
        tag = frame.tag
        if frame.run is not None and frame.run is self._run:
            self._run.mark(element, frame.start)
        if frame.link:
            self._linked -= 1
        if not frame.block:
            return
        if frame.outer is not None and self._table is not None:
            self._end_cell(element, frame, frame.outer, self._table)
        elif tag == "table" and self._table is not None:
            self._end_table(self._table)
        elif self._table is not None and tag != "caption":
            self._run.break_line()
        else:
            self._flush(tag)
        if frame.breaks or (tag == "hr" and self._after_page_number()):
            self._break_page()

    def _end_cell(self, element: "_Element", frame: _Frame, outer: Run, table: _OpenTable) -> None:
        run = self._run
        text, marks = run.printed()
        is_mark = run.is_mark and not marks
        look, linked = run.look(), run.linked > 0 and run.linked >= sum(run.looks.values())
        columns, rows = _span(element.get("colspan")), _span(element.get("rowspan"))
        text = as_mark(text) if is_mark else text.replace("\n", " ")
        table.rows[-1].append(RawCell(text, marks, look, columns, rows, frame.tag == "th", linked, is_mark))
        self._run = outer

    def _end_table(self, table: _OpenTable) -> None:
        """Add the table after any text inside it but outside its cells, as browsers do."""
        self._table = None
        self._flush("p", table.page)
        rows = tuple(tuple(row) for row in table.rows)
        if any(cell.text for row in rows for cell in row):
            ids = tuple(self._ids)
            self.pieces.append(RawTable(rows, table.page, self._anchor(), ids))
            self._ids.clear()
            self._fresh_page = False
        self._run = table.outer

    def _flush(self, tag: str, page: int | None = None) -> None:
        """End the current line."""
        run = self._run
        text, marks = run.printed()
        if text.strip():
            linked = run.linked > 0 and run.linked >= 0.9 * sum(run.looks.values())
            line = HtmlLine(text, marks, run.look(), tag, page or self.pages, self._anchor(), tuple(self._ids), linked)
            self.pieces.append(line)
            self._ids.clear()
            self._fresh_page = False
        if run.length or run.parts:
            self._run = Run()

    def _tag(self) -> str:
        """Return the tag of the innermost enclosing heading, preformatted text, list item or block."""
        for frame in reversed(self._frames[:-1]):
            if frame.tag in _HEADINGS or frame.tag in ("pre", "li"):
                return frame.tag
            if frame.block:
                return frame.tag
        return "body"

    def _break_page(self) -> None:
        if self._table is None:
            self._flush("p")
        if not self._fresh_page:
            self.pages += 1
            self._fresh_page = True

    def _after_page_number(self) -> bool:
        last = self.pieces[-1] if self.pieces and not self._fresh_page else None
        return isinstance(last, HtmlLine) and is_page_number(last.text)

    def _note_id(self, id: str) -> None:
        if len(id) <= 200:
            self._ids.append(id)
            self._last_id = id

    def _anchor(self) -> str | None:
        if self._ids:
            return self._ids[0]
        if self._last_id is not None:
            return self._last_id
        if len(self._frames) > _DEEPEST_PATH:
            return None
        below = [frame for frame in self._frames if frame.tag not in ("html", "body")]
        return " > ".join(["body", *(f":nth-child({frame.place})" for frame in below)])


_NUMBER_LINE = re.compile(r"(?:page\s)?[-\u2013\u2014 ]*(?:[A-Z]{1,2}-)?[0-9]{1,4}[-\u2013\u2014 ]*|[ivxlc]{1,6}", re.I)


def is_page_number(text: str) -> bool:
    """Whether a line is only a page number ("- 12 -", "F-3", "iv")."""
    return len(text) < 20 and _NUMBER_LINE.fullmatch(text.strip()) is not None


def _span(text: str | None) -> int:
    return min(max(int(text), 1), _SPAN_AT_MOST) if text and text.strip().isdigit() and len(text) < 6 else 1


def _tables_around_tables(root: "_Element") -> "set[_Element]":
    """Return the tables that contain other tables, because these are used for layout."""
    outer = (next(table.iterancestors("table"), None) for table in root.iter("table"))
    return {table for table in outer if table is not None}
