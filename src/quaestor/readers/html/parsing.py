"""Bytes to a tree, as a browser would read them: the encoding found, broken markup mended, nothing fetched or run.

No document type is read, so no entity of a file's own is ever expanded; scripts stay text, which nobody asks for.
"""

import re
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.errors import DocumentError
from quaestor.readers.content import named_encoding

if TYPE_CHECKING:
    from lxml.etree import _Element

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_HEAD = 4096
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LATIN = frozenset({"ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "windows-1252", "cp1252"})
_NO_TEXT = lazy_regex("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def decode(data: bytes) -> str:
    r"""Return the text of an HTML file.

    A byte order mark says its encoding, else UTF-8 where the bytes are of that form, else what the file declares,
    else Windows-1252, by which browsers read what calls itself Latin-1 or ASCII.

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
    declared = _DECLARED.search(data, 0, _HEAD)
    name = declared[1].decode("ascii").casefold() if declared else ""
    other_declared = bool(name) and name not in _LATIN and not name.startswith(("utf-8", "utf8"))
    if other_declared and (known := named_encoding(name)) is not None:
        return data.decode(known, "replace")
    return data.decode("cp1252", "replace")


def parse(data: bytes, where: str) -> "tuple[_Element, tuple[str, ...]]":
    """Return the root element of an HTML file, and one line for each thing that was lost.

    Raises:
        DocumentError: There is no element in it.
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
