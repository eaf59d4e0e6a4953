"""HTML files as documents: what a person sees of them, and where in the file it is."""

import re
from typing import TYPE_CHECKING, cast

from quaestor.documents.document import Document
from quaestor.documents.facts import PrintedFact
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import is_text_filing

if TYPE_CHECKING:
    from quaestor.readers.html.tags import Element

_ELEMENT = re.compile(rb"<(?:!doctype\s+html|html|head|body|table|div|p|title|font|center|h[1-6])[\s>/]", re.IGNORECASE)
_HEAD = 65_536


class HtmlReader:
    """Reads filings and other pages. What tags say of a number is beside it; it is read without them."""

    name = "html"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file begins as a page of HTML does."""
        head = content.head[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith((b"<", b"\xff\xfe<", b"\xfe\xff")) or is_text_filing(head):
            return False
        return _ELEMENT.search(head.replace(b"\0", b"")) is not None

    def read(self, content: FileContent) -> Document:
        """Return the document of a file.

        Raises:
            DocumentError: There is nothing in it that could be read.
        """
        # A file that was read before is only recognised here.
        from quaestor.documents.assembly import assemble
        from quaestor.readers.html.blocks import TreeWalk
        from quaestor.readers.html.parsing import parse
        from quaestor.readers.html.parts import joined_over_pages, parts_of_html, without_repeats
        from quaestor.readers.html.tags import read_tags

        root, warnings = parse(content.data, str(content.path))
        walk = TreeWalk().over(root)
        if walk.hidden:
            warnings = (*warnings, f"{walk.hidden} elements that the page's style sheet hides were left out")
        pieces, captions = without_repeats(walk.pieces)
        tags = read_tags(cast("Element", root))
        parts = parts_of_html(
            joined_over_pages(pieces),
            frozenset(walk.links),
            lambda element: tags.fact(cast("Element", element)),
            captions,
        )
        return assemble(content.name, parts, (*warnings, *tags.warnings), filing=True, decimal=tags.decimal)


# The tagged numbers of an HTML file as it prints them, for whoever wants to know how right it was read.


def tagged_numbers(content: FileContent) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that a file prints, in its order; none if it has no tags.

    Raises:
        DocumentError: There is nothing in the file that could be read.
    """
    from quaestor.readers.html.parsing import parse
    from quaestor.readers.html.printed import printed_facts
    from quaestor.readers.html.tags import read_tags

    root = cast("Element", parse(content.data, str(content.path))[0])
    return printed_facts(root, read_tags(root))
