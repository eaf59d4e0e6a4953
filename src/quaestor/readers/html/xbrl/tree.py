"""A parsed file as its tags are read: elements by namespace and local name, whichever way the file was parsed.

An XML parser says namespaces; an HTML parser leaves `ix:nonfraction` as it is, in small letters, and the
declarations among the attributes. Both trees are asked the same questions, as `xml.etree` and `lxml` answer them.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Protocol
from urllib.parse import urlsplit

INLINE = "ix"
INSTANCE = "xbrli"
DIMENSIONS = "xbrldi"
SCHEMA_INSTANCE = "xsi"

_KINDS = {
    "inlinexbrl": INLINE,
    "instance": INSTANCE,
    "xbrldi": DIMENSIONS,
    "xmlschema-instance": SCHEMA_INSTANCE,
    "iso4217": "iso4217",
    "ifrs-full": "ifrs-full",
}
"""Namespaces by the last word of their path: the versions differ before it."""


class Element(Protocol):
    """An element of `xml.etree` or `lxml`; of comments and instructions `tag` is not text."""

    @property
    def tag(self) -> object:
        """Its name, with the namespace before it in braces where the parser knows namespaces."""

    @property
    def text(self) -> str | None:
        """What is before its first child."""

    @property
    def tail(self) -> str | None:
        """What stands after it, before its next sibling."""

    @property
    def attrib(self) -> Mapping[str, str]:
        """Its attributes by their names."""

    def __iter__(self) -> "Iterator[Element]": ...
    def iter(self) -> "Iterator[Element]":
        """Yield it and all that is in it, in the order of the file."""


class Names:
    """The namespaces of a file by their prefixes."""

    def __init__(self, root: Element) -> None:
        """Take the declarations of the whole file; where a prefix is declared twice, the first one holds."""
        found: dict[str, str] = {}
        for element in root.iter():
            if not isinstance(element.tag, str):
                continue
            declared: Mapping[str | None, str] = getattr(element, "nsmap", None) or {}
            for prefix, space in declared.items():
                found.setdefault((prefix or "").casefold(), space)
            for name, space in element.attrib.items():
                if name.startswith("xmlns:"):
                    found.setdefault(name[6:].casefold(), space)
            if found:
                break
        self._spaces = found
        self._kinds: dict[str, tuple[str, str]] = {}

    def kind(self, element: Element) -> tuple[str, str]:
        """Return what an element is: the usual prefix of its namespace, and its local name in small letters."""
        return self.kind_of(element.tag) if isinstance(element.tag, str) else ("", "")

    def kind_of(self, tag: str) -> tuple[str, str]:
        """Return the same of a tag or an attribute by its name."""
        found = self._kinds.get(tag)
        if found is None:
            found = self._kinds[tag] = self._kind_of(tag)
        return found

    def _kind_of(self, tag: str) -> tuple[str, str]:
        if tag.startswith("{"):
            space, _, local = tag[1:].rpartition("}")
            return usual_prefix(space), local.casefold()
        prefix, colon, local = tag.rpartition(":")
        if not colon:
            return "", tag.casefold()
        return usual_prefix(self._spaces.get(prefix.casefold(), prefix)), local.casefold()

    def qualified(self, name: str) -> str:
        """Return a name that is in a text with the usual prefix of its namespace (`us-gaap:Assets`)."""
        prefix, colon, local = name.strip().rpartition(":")
        if not colon:
            return local
        space = self._spaces.get(prefix.casefold())
        usual = usual_prefix(space) if space and _is_public(space) else prefix
        return f"{usual}:{local}"


@lru_cache(maxsize=256)
def usual_prefix(space: str) -> str:
    """Return the prefix that a namespace usually has; of one that is a prefix already, itself.

    >>> usual_prefix("http://fasb.org/us-gaap/2024")
    'us-gaap'
    """
    words = [word for word in urlsplit(space).path.casefold().split("/") if word]
    if not words or "/" not in space:
        return space.casefold()
    named = words[-1] if not words[-1][0].isdigit() else words[-2] if len(words) > 1 else words[-1]
    return _KINDS.get(named, named)


@lru_cache(maxsize=256)
def _is_public(space: str) -> bool:
    """Whether a namespace is of a taxonomy that many filers use, whose prefix is not the filer's to choose."""
    host = urlsplit(space).netloc.casefold()
    return host.endswith(("fasb.org", "xbrl.us", "xbrl.sec.gov", "xbrl.org", "xbrl.ifrs.org"))


def attributes(element: Element) -> dict[str, str]:
    """Return the attributes without a namespace, by their names in small letters."""
    return {name.casefold(): value for name, value in element.attrib.items() if name[:1] != "{" and ":" not in name}


def text_of(element: Element, skipped: Collection[Element] = ()) -> str:
    """Return the text that an element encloses, in its order, without comments and without some elements in it."""
    if isinstance(element.tag, str) and element not in skipped and next(iter(element), None) is None:
        return element.text or ""
    found: list[str] = []
    pending: list[Element | str] = [element]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found.append(one)
            continue
        if isinstance(one.tag, str) and one not in skipped:
            if one.text:
                found.append(one.text)
            for child in reversed(list(one)):
                if child.tail:
                    pending.append(child.tail)
                pending.append(child)
    return "".join(found)
