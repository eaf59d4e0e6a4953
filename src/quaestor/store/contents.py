"""What is large in a store, kept small: texts under their digests, compressed, many of them against one like them.

Prompts of one conversation share instructions and page, and differ in a few lines: each is packed as what it begins and
ends with like another one, its base, and what stands between, deflated with the base as dictionary. A base may have one
of its own, up to MAX_DEPTH; which one is taken decides nothing but the size. Graphs are packed alone. Owns the packed
form and the choice of bases; where contents are kept is a store's own affair.
"""

import hashlib
import json
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from quaestor.core.triples import Triple
from quaestor.errors import StoreError

MAX_DEPTH = 8
"""How many bases a content stands on at most: so many are unpacked to read it."""

_WINDOW = 1 << 15
"""How far back zlib looks: of a longer dictionary only the end would count."""
_LEVEL = 6
_SURELY_SMALLER = 12
"""No prompt or reply is packed alone to so small a part of it: that need not be tried."""
_HELD = 16 << 20
"""How many bytes of bases are kept at hand."""


@dataclass(frozen=True, slots=True)
class Content:
    """A text that others may be packed against.

    Attributes:
        digest: SHA-256 of its bytes.
        raw: Its bytes.
        depth: On how many bases it stands.
    """

    digest: bytes
    raw: bytes
    depth: int


@dataclass(frozen=True, slots=True)
class Packed:
    """A text as a store keeps it.

    Attributes:
        data: Its bytes, packed.
        base: What it is packed against; None where it stands alone.
    """

    data: bytes
    base: Content | None = None

    @property
    def depth(self) -> int:
        """On how many bases it stands."""
        return self.base.depth + 1 if self.base else 0


def content_digest(raw: bytes) -> bytes:
    """Returns the digest that a content is found by: 32 bytes."""
    return hashlib.sha256(raw).digest()


def pack_content(raw: bytes, base: Content | None = None) -> Packed:
    """Returns a text packed: against a base where that makes it smaller."""
    data = None if base is None else _against(raw, base.raw)
    if data is not None and len(data) * _SURELY_SMALLER < len(raw):
        return Packed(data, base)
    alone = zlib.compress(raw, _LEVEL)
    return Packed(alone) if data is None or len(alone) <= len(data) else Packed(data, base)


def unpack_content(data: bytes, size: int, base: bytes | None = None) -> bytes:
    """Returns the text that was packed.

    Args:
        data: As `pack_content` left it.
        size: How many bytes the text has.
        base: The bytes of what it was packed against.

    Raises:
        StoreError: The data are damaged.
    """
    try:
        if base is None:
            raw = _inflated(zlib.decompressobj(), data, size)
        else:
            begin, end = int.from_bytes(data[:4]), int.from_bytes(data[4:8])
            between = _inflated(zlib.decompressobj(zdict=_dictionary(base, begin, end)), data[8:], size)
            raw = base[:begin] + between + base[len(base) - end :]
    except zlib.error as error:
        raise StoreError(f"a content is damaged ({error})") from error
    if len(raw) != size:
        raise StoreError(f"a content is damaged ({len(raw)} bytes instead of {size})")
    return raw


def _against(raw: bytes, base: bytes) -> bytes:
    begin = _common(raw, base)
    end = _common(raw[begin:][::-1], base[begin:][::-1])
    deflate = zlib.compressobj(_LEVEL, zdict=_dictionary(base, begin, end))
    between = deflate.compress(raw[begin : len(raw) - end]) + deflate.flush()
    return begin.to_bytes(4) + end.to_bytes(4) + between


def _dictionary(base: bytes, begin: int, end: int) -> bytes:
    """Returns that part of a base in which what is between begin and end most likely stands too."""
    return base if len(base) <= _WINDOW else base[begin : len(base) - end][:_WINDOW]


def _common(one: bytes, other: bytes) -> int:
    """Returns how many bytes two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _inflated(inflate: "zlib._Decompress", data: bytes, size: int) -> bytes:
    # One byte more than it may have tells of what is too long, without making all of it.
    raw = inflate.decompress(data, size + 1)
    if not inflate.eof and len(raw) <= size:
        raise zlib.error("it ends too early")
    return raw


class Bases:
    """The texts that were kept last, by what they are of: what comes next is packed against them.

    Held in memory alone: another process finds other bases, and what is stored is the same.
    """

    def __init__(self) -> None:
        """Knows none yet."""
        self._held: OrderedDict[tuple[str, ...], Content] = OrderedDict()
        self._bytes = 0

    def find(self, names: Iterable[tuple[str, ...]]) -> Content | None:
        """Returns the first that is held under some names and on which another may stand."""
        for name in names:
            found = self._held.get(name)
            if found is not None and found.depth < MAX_DEPTH:
                self._held.move_to_end(name)
                return found
        return None

    def hold(self, names: Sequence[tuple[str, ...]], content: Content) -> None:
        """Holds a content under some names: instead of the last under the first name, as the first under the others.

        What was not asked for longest goes where there is too much.
        """
        for place, name in enumerate(names):
            if place == 0 or name not in self._held:
                self._bytes += len(content.raw) - len(self._held[name].raw if name in self._held else b"")
                self._held[name] = content
                self._held.move_to_end(name)
        while self._bytes > _HELD:
            self._bytes -= len(self._held.popitem(last=False)[1].raw)

    def forget(self) -> None:
        """Holds none any more."""
        self._held.clear()
        self._bytes = 0


def names_of_prompt(kind: str, conversation: str, turn: int, phase: str) -> tuple[tuple[str, ...], ...]:
    """Returns what names the texts that a prompt or a reply is like, the likest first.

    Args:
        kind: `prompt` or `response`.
        conversation: The conversation's id.
        turn: The turn's place in it: within one, each request has most of the one before.
        phase: The step of the solver that asked.
    """
    return (kind, conversation, str(turn)), (kind, conversation, phase), (kind, "", phase), (kind,)


@dataclass(frozen=True, slots=True)
class PackedTriples:
    """The text of a set of triples, packed alone.

    Attributes:
        digest: SHA-256 of its bytes.
        size: How many it has.
        data: Its bytes, packed.
        count: How many triples it says.
    """

    digest: bytes
    size: int
    data: bytes
    count: int


def pack_triples(triples: Iterable[tuple[str, str, str]]) -> PackedTriples:
    """Returns the text of triples packed; it is never held whole.

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
    """Returns a set of triples as the one text of it: by subject and property, each named once.

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
    """A set of triples as the one text of it: made once for all that keep it, and small where it travels.

    Attributes:
        text: As `triples_to_text` writes it.
        size: How many triples it has.
    """

    text: str
    size: int

    @classmethod
    def of(cls, triples: Iterable[tuple[str, str, str]]) -> "WrittenGraph":
        """Returns triples written; those that are already stay as they are."""
        if isinstance(triples, WrittenGraph):
            return triples
        found = {(s, p, o) for s, p, o in triples}
        return cls(triples_to_text(found), len(found))

    def __iter__(self) -> Iterator[Triple]:
        """Yields the triples, sorted."""
        return iter(text_to_triples(self.text))


def text_to_triples(text: str) -> tuple[Triple, ...]:
    """Returns the triples of a text, sorted."""
    return tuple(Triple(s, p, o) for s, of in json.loads(text).items() for p, same in of.items() for o in same)
