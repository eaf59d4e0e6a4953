"""Tagged numbers of a file as displayed: the sign around each, and whether it is in a table.

Independent of the reader of tables, so that its numbers can be checked against these.
"""

from typing import TYPE_CHECKING, Any

from quaestor.core.patterns import lazy_regex
from quaestor.documents.facts import PrintedFact
from quaestor.readers.html.tags import Names, NumberTag, Tags

if TYPE_CHECKING:
    from lxml.etree import _Element

_CELL = "\t"
_BLOCK = "\n"
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset({"tr", "table", "p", "div", "br", "li", "ul", "ol", "hr", "h1", "h2", "h3", "h4", "h5", "h6"})
_WINDOW = 12
_SPACE = r"[^\S\t\n]{0,6}"
_CURRENCY = r"(?:[$€£¥]|US\$|USD|EUR|GBP)"
_MINUS = lazy_regex(
    rf"(?:(?:^|[\t\n(\[$€£¥]){_SPACE}[-\u2010-\u2015\u2212]{_SPACE}|\s[-\u2010-\u2015\u2212]){_CURRENCY}?{_SPACE}$"
)
_OPEN = lazy_regex(rf"[(\[][^\S\n]{{0,6}}(?:{_CURRENCY}[^\S\n]{{0,6}})?$")
_OPEN_IN_TEXT = lazy_regex(rf"(?:{_CURRENCY}{_SPACE}[(\[]|[(\[]){_SPACE}$")
_CLOSE = lazy_regex(r"[^\S\n]{0,6}(?:%[^\S\n]{0,6})?[)\]]")


def printed_facts(tree: "_Element", tags: Tags) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that a file displays, in document order; tags without text are left out.

    Args:
        tags: The tags of the same tree. Those in the hidden header of the file are left out.
    """
    shown = {tag.element: tag for tag in tags.numbers if not tag.hidden and tag.text.strip()}
    flat = _FlatText(Names(tree), shown)
    flat.read(tree)
    text = "".join(flat.parts)
    return tuple(
        PrintedFact(tag.fact, tag.text, _is_negative(text, start, end, in_table), in_table)
        for tag, start, end, in_table in sorted(flat.spans, key=lambda span: span[0].fact.place)
    )


class _FlatText:
    """The text of a file and the positions of tags in it."""

    def __init__(self, names: Names, shown: dict["_Element", NumberTag]) -> None:
        self._names, self._shown = names, shown
        self.parts: list[str] = []
        self.spans: list[tuple[NumberTag, int, int, bool]] = []
        self._length = 0

    def read(self, tree: "_Element") -> None:
        """Read a tree iteratively, so that its depth is not limited."""
        from lxml import etree

        tables = 0
        starts: list[int] = []
        event: str
        element: Any
        for event, element in etree.iterwalk(tree, events=("start", "end", "comment")):
            local = self._names.kind(element)[1]
            if event == "start":
                self._break(local)
                tables += local == "table"
                starts.append(self._length)
                self._add(element.text)
                continue
            if event == "end":
                start = starts.pop()
                if element in self._shown:
                    self.spans.append((self._shown[element], start, self._length, tables > 0))
                tables -= local == "table"
                self._break(local)
            self._add(element.tail)

    def _break(self, local: str) -> None:
        if local in _CELLS:
            self._add(_CELL)
        elif local in _BLOCKS:
            self._add(_BLOCK)

    def _add(self, text: str | None) -> None:
        if text:
            self.parts.append(text if text in (_CELL, _BLOCK) else text.replace("\t", " ").replace("\n", " "))
            self._length += len(text)


def _is_negative(text: str, start: int, end: int, in_table: bool) -> bool:
    """Whether a number is in brackets or follows a minus. In text, a bracket before a currency is an aside."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if in_table and (line_end := before.find("\n", len(before.rstrip()))) >= 0:
        before = before[:line_end]
    if _MINUS.search(before):
        return True
    opened = (_OPEN if in_table else _OPEN_IN_TEXT).search(before)
    return opened is not None and _CLOSE.match(after.lstrip("\n") if in_table else after) is not None
