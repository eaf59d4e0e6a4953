"""The tagged numbers of an HTML file as it prints them, for whoever wants to know how right it was read."""

from typing import cast

from quaestor.documents.facts import PrintedFact
from quaestor.readers.content import FileContent
from quaestor.readers.html.parsing import parse
from quaestor.readers.html.xbrl import read_tags
from quaestor.readers.html.xbrl.printed import printed_facts
from quaestor.readers.html.xbrl.tree import Element


def tagged_numbers(content: FileContent) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that a file prints, in its order; none if it has no tags.

    Raises:
        DocumentError: There is nothing in the file that could be read.
    """
    root = cast(Element, parse(content.data, str(content.path))[0])
    return printed_facts(root, read_tags(root))
