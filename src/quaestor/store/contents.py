"""Deduplicated storage of large texts: compressed, keyed by digest, and freed when unreferenced.

Stores written by versions up to 0.2 also have texts compressed against another text, their base, which may itself have
a base. Such texts can be read, but are no longer written.
"""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from quaestor.core.serial import Triple
from quaestor.errors import StoreError
from quaestor.store.tables import Among, Between, Row, Tables, compute_for

MAX_DEPTH = 8
"""Maximum length of a chain of bases."""

GRACE = 3600.0
"""Seconds for which an unreferenced content is kept after its last use, in stores without transactions."""

REFERENCES = (
    ("prompt_logs", "prompt"),
    ("prompt_logs", "response"),
    ("graphs", "content"),
    ("frozen_graphs", "content"),
    ("ontologies", "content"),
    ("contents", "base"),
)
"""Columns that refer to contents; each has an index."""

_WINDOW = 1 << 15
"""Window of zlib: of a longer dictionary only the end would be used."""
_LEVEL = 6
_BATCH = 200
"""Number of contents per query."""


def content_digest(raw: bytes) -> bytes:
    """Return the digest that identifies a content: 32 bytes."""
    return hashlib.sha256(raw).digest()


def unpack_content(data: bytes, size: int, base: bytes | None = None) -> bytes:
    """Decompress a text."""
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
    """Return the part of a base that most likely resembles the text between `begin` and `end`."""
    return base if len(base) <= _WINDOW else base[begin : len(base) - end][:_WINDOW]


def _inflate(inflate: "zlib._Decompress", data: bytes, size: int) -> bytes:
    # One byte beyond the expected size reveals excess data without decompressing all of it.
    raw = inflate.decompress(data, size + 1)
    if not inflate.eof and len(raw) <= size:
        raise zlib.error("it ends too early")
    return raw


def triples_to_text(triples: Iterable[tuple[str, str, str]]) -> str:
    """Return the canonical text of a set of triples: grouped by subject and property.

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
    """Set of triples as canonical text, serialised once for all stores, and compact to send to other processes."""

    text: str
    size: int

    @classmethod
    def of(cls, triples: Iterable[tuple[str, str, str]]) -> "WrittenGraph":
        """Serialise triples; a `WrittenGraph` is returned unchanged."""
        if isinstance(triples, WrittenGraph):
            return triples
        found = {(s, p, o) for s, p, o in triples}
        return cls(triples_to_text(found), len(found))

    def __iter__(self) -> Iterator[Triple]:
        """Yield the triples, sorted."""
        return iter(text_to_triples(self.text))


def text_to_triples(text: str) -> tuple[Triple, ...]:
    """Parse the triples of a text, sorted."""
    return tuple(Triple(s, p, o) for s, of in json.loads(text).items() for p, same in of.items() for o in same)


class Contents:
    """The table of contents: texts by digest, each stored once. Its operations are parts of a store's operations."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._reference = tables, tables.reference

    async def put_columns(self, row: Row, *names: str) -> Row:
        """Store the texts in some columns of a row, and return the row with references to them."""
        raw = {name: row[name].encode() for name in names if row[name] is not None}
        digests = {name: content_digest(one) for name, one in raw.items()}
        known = await self._find(digests.values())
        new = {digests[name]: one for name, one in raw.items() if digests[name] not in known}
        rows = [
            {
                "digest": digest,
                "size": len(one),
                "depth": 0,
                "data": await compute_for(self._tables, zlib.compress, one, _LEVEL),
            }
            for digest, one in new.items()
        ]
        references = await self._tables.replace("contents", rows) if rows else []
        known |= zip(new, references, strict=True)
        return row | {name: known[digest] for name, digest in digests.items()}

    async def _find(self, digests: Collection[bytes]) -> dict[bytes, Any]:
        """Return references to existing contents; none without transactions, as they may be deleted at any time."""
        if not self._tables.transactional:
            return {}
        found = await self._tables.find("contents", ("digest", self._reference), {"digest": Among(digests)})
        return {row["digest"]: row[self._reference] for row in found}

    async def texts(self, references: Iterable[Any]) -> dict[Any, str]:
        """Return texts by their references."""
        wanted = {*references} - {None}
        rows: dict[Any, Row] = {}
        waiting = wanted
        while waiting:
            for some in _batches(waiting):
                columns = (self._reference, "size", "base", "data")
                found = await self._tables.find("contents", columns, {self._reference: Among(some)})
                rows |= {row[self._reference]: row for row in found}
            if missing := waiting - rows.keys():
                raise StoreError(f"content {_name(next(iter(missing)))} is missing")
            waiting = {row["base"] for row in rows.values() if row.get("base") is not None} - rows.keys()
        raw: dict[Any, bytes] = {}
        for one in wanted:
            await self._unpack(one, rows, raw)
        return {one: raw[one].decode() for one in wanted}

    async def _unpack(self, reference: Any, rows: dict[Any, Row], raw: dict[Any, bytes], depth: int = 0) -> bytes:
        if reference not in raw:
            if depth > MAX_DEPTH:
                raise StoreError(f"content {_name(reference)} is based on itself")
            row, base = rows[reference], None
            if row.get("base") is not None:
                base = await self._unpack(row["base"], rows, raw, depth + 1)
            raw[reference] = await compute_for(self._tables, unpack_content, row["data"], row["size"], base)
        return raw[reference]

    async def free(self, references: Iterable[Any]) -> int:
        """Delete the given contents that are unreferenced, then their bases; return the number deleted.

        Without transactions, contents used within GRACE are kept: a writer may be about to refer to them.
        """
        waiting, deleted, by = {*references} - {None}, 0, self._reference
        before = await self._tables.clock() - GRACE
        while waiting:
            bases: set[Any] = set()
            for some in _batches(waiting):
                unused = {by: Among({*some} - await self._find_used(some)), "used": Between(None, before)}
                rows = await self._tables.find("contents", (by, "base"), unused)
                if not rows:
                    continue
                # The deletion repeats the condition, as a writer may have used a content since.
                deleted += await self._tables.delete("contents", unused)
                left = {row[by] for row in await self._tables.find("contents", (by,), {by: Among(some)})}
                bases |= {row.get("base") for row in rows if row[by] not in left}
            waiting = bases - {None}
        return deleted

    async def _find_used(self, references: Sequence[Any]) -> set[Any]:
        counted = [await self._tables.count(table, (name,), {name: Among(references)}) for table, name in REFERENCES]
        return {reference for found in counted for reference, _ in found}

    async def sweep(self) -> int:
        """Delete all unreferenced contents; return the number deleted."""
        return await self.free([row[self._reference] for row in await self._all()])

    async def _all(self) -> list[Row]:
        return await self._tables.find("contents", (self._reference, "digest"), {})

    async def check(self) -> tuple[list[str], int, int]:
        """Read all contents; return problems, the number of contents, and the number of unreferenced ones."""
        known = {row[self._reference]: row["digest"] for row in await self._all()}
        problems, unused = list[str](), 0
        for some in _batches(known):
            unused += len(some) - len(await self._find_used(some))
            try:
                texts = await self.texts(some)
            except (StoreError, UnicodeDecodeError):  # the error names only one content, so each is checked
                texts = {}
            problems += [problem for one in some if (problem := await self._find_damage(one, known[one], texts))]
        for table, name in REFERENCES:
            lost = {one for one, _ in await self._tables.count(table, (name,), {})} - known.keys() - {None}
            problems += [f"{table} refer to {len(lost)} missing contents"] if lost else []
        return problems, len(known), unused

    async def _find_damage(self, reference: Any, digest: bytes, texts: Mapping[Any, str]) -> str | None:
        try:
            text = texts[reference] if texts else (await self.texts([reference]))[reference]
        except (StoreError, UnicodeDecodeError) as error:
            return f"content {_name(digest)} cannot be read: {error}"
        return None if content_digest(text.encode()) == digest else f"content {_name(digest)} does not match its digest"


def _name(reference: Any) -> str:
    return reference.hex()[:12] if isinstance(reference, bytes) else str(reference)


def _batches(references: Iterable[Any]) -> Iterator[list[Any]]:
    ordered = sorted(references)
    return (ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH))
