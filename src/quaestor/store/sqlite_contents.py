"""The table of contents in a SQLite file: texts under their digests, each once, freed when nothing refers to them.

Every operation is part of its caller's transaction.
"""

import json
import sqlite3
from collections.abc import Iterable

from quaestor.errors import StoreError
from quaestor.store.contents import MAX_DEPTH, content_digest, pack_content, pack_triples, unpack_content

REFERENCES = (
    ("prompt_logs", "prompt"),
    ("prompt_logs", "response"),
    ("graphs", "content"),
    ("frozen_graphs", "content"),
    ("ontologies", "content"),
    ("contents", "base"),
)
"""The columns that refer to contents; each has an index."""

_SORTING = -256
"""KiB of memory for what is sorted on the disk, as SQLite is told by a minus; with its usual 2,000 it takes 4 MB."""

_UNUSED = " AND ".join(f"NOT EXISTS (SELECT 1 FROM {table} r WHERE r.{column} = c.id)" for table, column in REFERENCES)


class ContentTable:
    """The contents of a file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Take the connection, whose thread it stays in."""
        self._db = db

    def put(self, text: str) -> int:
        """Keep a text, and return its number; one that is there already stays.

        Raises:
            UnicodeEncodeError: It holds half a surrogate pair.
        """
        raw = text.encode()
        digest = content_digest(raw)
        number = self._number(digest)
        return self._add(digest, len(raw), pack_content(raw)) if number is None else number

    def put_triples(self, triples: Iterable[tuple[str, str, str]]) -> tuple[int, int]:
        """Keep a set of triples, in any order; returns the number of their text, and how many they are.

        They are sorted by the database, on the disk where they are many, and never held.

        Raises:
            UnicodeEncodeError: One holds half a surrogate pair.
        """
        (usual,) = self._db.execute("PRAGMA cache_size").fetchone()
        self._db.execute(f"PRAGMA cache_size = {_SORTING}")
        self._db.execute(f"PRAGMA temp.cache_size = {_SORTING}")
        self._db.execute("CREATE TEMP TABLE unsorted (s TEXT, p TEXT, o TEXT)")
        try:
            self._db.executemany("INSERT INTO unsorted VALUES (?, ?, ?)", triples)
            rows = self._db.execute("SELECT DISTINCT s, p, o FROM unsorted ORDER BY s, p, o")
            packed = pack_triples((s, p, o) for s, p, o in rows)
            self._db.execute("DROP TABLE unsorted")
        finally:
            self._db.execute(f"PRAGMA cache_size = {usual}")
        number = self._number(packed.digest)
        if number is None:
            number = self._add(packed.digest, packed.size, packed.data)
        return number, packed.count

    def _add(self, digest: bytes, size: int, data: bytes) -> int:
        made = "INSERT INTO contents (digest, size, base, depth, data) VALUES (?, ?, NULL, 0, ?)"
        return int(self._db.execute(made, (digest, size, data)).lastrowid or 0)

    def _number(self, digest: bytes) -> int | None:
        row = self._db.execute("SELECT id FROM contents WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row else None

    def texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return texts by their numbers.

        Raises:
            StoreError: One is missing or damaged.
        """
        known: dict[int, bytes] = {}
        return {number: self._raw(number, known).decode() for number in set(numbers)}

    def text(self, number: int) -> str:
        """Return a text.

        Raises:
            StoreError: It is missing or damaged.
        """
        return self.texts([number])[number]

    def _raw(self, number: int, known: dict[int, bytes], depth: int = 0) -> bytes:
        if number not in known:
            row = self._db.execute("SELECT size, base, data FROM contents WHERE id = ?", (number,)).fetchone()
            if row is None or depth > MAX_DEPTH:
                raise StoreError(f"content {number} is missing, or is based on itself")
            base = None if row[1] is None else self._raw(row[1], known, depth + 1)
            known[number] = unpack_content(row[2], row[0], base)
        return known[number]

    def free(self, numbers: Iterable[int | None]) -> int:
        """Take away those of some contents that nothing refers to, and then their bases; returns how many went."""
        waiting, deleted = {number for number in numbers if number is not None}, 0
        unused = f"DELETE FROM contents AS c WHERE id IN (SELECT value FROM json_each(?)) AND {_UNUSED} RETURNING base"
        while waiting:
            rows = self._db.execute(unused, (json.dumps(sorted(waiting)),)).fetchall()
            deleted += len(rows)
            waiting = {row[0] for row in rows if row[0] is not None}
        return deleted

    def count_unused(self) -> int:
        """Return how many contents nothing refers to."""
        return int(self._db.execute(f"SELECT count(*) FROM contents AS c WHERE {_UNUSED}").fetchone()[0])

    def sweep(self) -> int:
        """Take away all contents that nothing refers to; returns how many went."""
        unused = self._db.execute(f"SELECT id FROM contents AS c WHERE {_UNUSED}").fetchall()
        return self.free(row[0] for row in unused)
