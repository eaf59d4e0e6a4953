"""Reader of HTML files: the visible content, with its place in the file.

A file is parsed like in a browser: the encoding is detected and broken markup repaired, but nothing is fetched or run.
Document types are ignored, so entities that the file defines are never expanded.
"""

import re
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.documents.document import Document
from quaestor.documents.facts import PrintedFact
from quaestor.errors import DocumentError
from quaestor.readers.content import FileContent, named_encoding
from quaestor.readers.kinds import is_text_filing

if TYPE_CHECKING:
    from lxml.etree import _Element

_ELEMENT = re.compile(rb"<(?:!doctype\s+html|html|head|body|table|div|p|title|font|center|h[1-6])[\s>/]", re.IGNORECASE)
_HEAD = 65_536
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_DECLARATIONS = 4096
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LATIN = frozenset({"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "windows-1252", "cp1252"})
_NO_TEXT = lazy_regex("[\x00-\x08\x0b\x0c\x0e-\x1f]")


class HtmlReader:
    """Reads filings and other HTML pages, with or without inline XBRL tags."""

    name = "html"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file begins like an HTML page."""
        head = content.head[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith((b"<", b"\xff\xfe<", b"\xfe\xff")) or is_text_filing(head):
            return False
        return _ELEMENT.search(head.replace(b"\0", b"")) is not None

    def read(self, content: FileContent) -> Document:
        """Return the document of an HTML file.

        Raises:
            DocumentError: The file has no content that can be read.
        """
        # Imported here, because a file whose document is cached is only recognised.
        from quaestor.documents.assembly import assemble
        from quaestor.readers.html.blocks import TreeWalk
        from quaestor.readers.html.parts import drop_repeats, join_over_pages, parts_of_html
        from quaestor.readers.html.tags import read_tags

        root, warnings = parse(content.data, str(content.path))
        walk = TreeWalk().over(root)
        if walk.hidden:
            warnings = (*warnings, f"{walk.hidden} elements that the page's style sheet hides were left out")
        pieces, captions = drop_repeats(walk.pieces)
        tags = read_tags(root)
        parts = parts_of_html(join_over_pages(pieces), frozenset(walk.links), tags.fact, captions)
        return assemble(content.name, parts, (*warnings, *tags.warnings), filing=True, decimal=tags.decimal)


def tagged_numbers(content: FileContent) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that a file displays, in document order; empty if it has no tags.

    Raises:
        DocumentError: The file has no content that can be read.
    """
    from quaestor.readers.html.printed import printed_facts
    from quaestor.readers.html.tags import read_tags

    root, _ = parse(content.data, str(content.path))
    return printed_facts(root, read_tags(root))


def decode(data: bytes) -> str:
    r"""Decode the bytes of an HTML file.

    The encoding is that of the byte order mark, else UTF-8 if the bytes are valid, else the declared one, else
    Windows-1252, which browsers also use for files declared as Latin-1 or ASCII.

    >>> decode(b"caf\xe9 \x97 open")
    'café — open'
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    declared = _DECLARED.search(data, 0, _DECLARATIONS)
    name = declared[1].decode("ascii").casefold() if declared else ""
    other_declared = bool(name) and name not in _LATIN and not name.startswith(("utf-8", "utf8"))
    if other_declared and (known := named_encoding(name)) is not None:
        return data.decode(known, "replace")
    return data.decode("cp1252", "replace")


def parse(data: bytes, where: str) -> "tuple[_Element, tuple[str, ...]]":
    """Return the root element of an HTML file, and one line for each thing that was lost.

    Raises:
        DocumentError: The file has no elements.
    """
    from lxml import etree

    text = _NO_TEXT.sub(" ", decode(data))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.LxmlError as error:
        raise DocumentError(f"cannot read {where} as HTML: {error}; is it a saved page?") from error
    if root is None or next(root.iterchildren(), None) is None:
        raise DocumentError(f"cannot read {where} as HTML: it is empty; is it a saved page?")
    deep = next((entry for entry in parser.error_log if "depth" in entry.message.casefold()), None)
    if deep is None:
        return root, ()
    return root, (f"elements are nested too deep in line {deep.line}; the deeper ones were not read",)
