"""What is large in a store, kept small: texts under their digests, deflated, each once.

Stores of up to version 0.2 also have texts that are packed against another one, their base, which may have one of its
own: these are read, and no longer written.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from quaestor.core.serial import Triple
from quaestor.errors import StoreError

MAX_DEPTH = 8
"""How many bases a content is on at most."""

_WINDOW = 1 << 15
"""How far back zlib looks: of a longer dictionary only the end would count."""
_LEVEL = 6


def content_digest(raw: bytes) -> bytes:
    """Return the digest that a content is found by: 32 bytes."""
    return hashlib.sha256(raw).digest()


def pack_content(raw: bytes) -> bytes:
    """Return a text packed."""
    return zlib.compress(raw, _LEVEL)


def unpack_content(data: bytes, size: int, base: bytes | None = None) -> bytes:
    """Return the text that was packed.

    Args:
        size: How many bytes the text has.
        base: The bytes of what an older version packed it against.

    Raises:
        StoreError: The data are damaged.
    """
    try:
        if base is None:
            raw = _inflate(zlib.decompressobj(), data, size)
        else:
            begin, end = int.from_bytes(data[:4]), int.from_bytes(data[4:8])
            between = _inflate(zlib.decompressobj(zdict=_dictionary(base, begin, end)), data[8:], size)
            raw = base[:begin] + between + base[len(base) - end :]
    except zlib.error as error:
        raise StoreError(f"a content is damaged ({error})") from error
    if len(raw) != size:
        raise StoreError(f"a content is damaged ({len(raw)} bytes instead of {size})")
    return raw


def _dictionary(base: bytes, begin: int, end: int) -> bytes:
    """Return that part of a base in which what is between begin and end most likely stands too."""
    return base if len(base) <= _WINDOW else base[begin : len(base) - end][:_WINDOW]


def _inflate(inflate: "zlib._Decompress", data: bytes, size: int) -> bytes:
    # One byte more than it may have tells of what is too long, without making all of it.
    raw = inflate.decompress(data, size + 1)
    if not inflate.eof and len(raw) <= size:
        raise zlib.error("it ends too early")
    return raw


@dataclass(frozen=True, slots=True)
class PackedTriples:
    """The text of a set of triples, packed alone.

    Attributes:
        digest: SHA-256 of its bytes.
        data: Its bytes, packed.
    """

    digest: bytes
    size: int
    data: bytes
    count: int


def pack_triples(triples: Iterable[tuple[str, str, str]]) -> PackedTriples:
    """Return the text of triples packed; it is never held whole.

    Args:
        triples: Sorted, no two the same.
    """
    digest, packer, data = hashlib.sha256(), zlib.compressobj(_LEVEL), bytearray()
    size = count = 0

    def add(text: str) -> None:
        nonlocal size
        raw = text.encode()
        size += len(raw)
        digest.update(raw)
        data.extend(packer.compress(raw))

    add("{")
    for _, of in groupby(triples, key=lambda triple: triple[0]):
        one = list(of)
        add("," * bool(count) + triples_to_text(one)[1:-1])
        count += len(one)
    add("}")
    data.extend(packer.flush())
    return PackedTriples(digest.digest(), size, bytes(data), count)


def triples_to_text(triples: Iterable[tuple[str, str, str]]) -> str:
    """Return a set of triples as the one text of it: by subject and property, each named once.

    >>> triples_to_text([("a", "b", "d"), ("a", "b", "c")])
    '{"a":{"b":["c","d"]}}'
    """
    grouped = {
        s: {p: [o for _, _, o in same] for p, same in groupby(of, key=lambda triple: triple[1])}
        for s, of in groupby(sorted({(s, p, o) for s, p, o in triples}), key=lambda triple: triple[0])
    }
    return json.dumps(grouped, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class WrittenGraph:
    """A set of triples as the one text of it: made once for all that keep it, and small where it travels."""

    text: str
    size: int

    @classmethod
    def of(cls, triples: Iterable[tuple[str, str, str]]) -> "WrittenGraph":
        """Return triples written; those that are already stay as they are."""
        if isinstance(triples, WrittenGraph):
            return triples
        found = {(s, p, o) for s, p, o in triples}
        return cls(triples_to_text(found), len(found))

    def __iter__(self) -> Iterator[Triple]:
        """Yield the triples, sorted."""
        return iter(text_to_triples(self.text))


def text_to_triples(text: str) -> tuple[Triple, ...]:
    """Return the triples of a text, sorted."""
    return tuple(Triple(s, p, o) for s, of in json.loads(text).items() for p, same in of.items() for o in same)
