"""Full-text index of a document in SQLite, in memory and as bytes.

Only ranks blocks by the terms they share with a question.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from quaestor.errors import StoreError

_VERSION = 2
_DIGEST = hashlib.sha256().digest_size
_SCHEMA = f"""
PRAGMA user_version = {_VERSION};
CREATE TABLE of_document (digest TEXT NOT NULL);
CREATE TABLE line (id INTEGER PRIMARY KEY, block INTEGER NOT NULL, place INTEGER NOT NULL, property TEXT);
CREATE INDEX line_property ON line (property) WHERE property IS NOT NULL;
CREATE TABLE caption (key TEXT PRIMARY KEY, property TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(label, heads, content='', tokenize="unicode61 tokenchars '._'");
CREATE VIRTUAL TABLE around USING fts5(text, content='', tokenize="unicode61 tokenchars '._'");
CREATE VIRTUAL TABLE words_vocabulary USING fts5vocab(words, row);
CREATE VIRTUAL TABLE around_vocabulary USING fts5vocab(around, row);
"""
_LABEL_WEIGHT, _HEADS_WEIGHT = 1.0, 0.5


class IndexedLine(NamedTuple):
    """A table row or sentence.

    Attributes:
        place: Index of the row in the table, or of the sentence in its paragraph.
    """

    block: int
    place: int
    property: str | None
    label: Sequence[str]
    heads: Sequence[str]


class WordIndex:
    """Finds lines and blocks by their terms. Safe for several threads."""

    def __init__(self, database: sqlite3.Connection) -> None:
        """Wrap a database created by `build` or `load`."""
        self._database = database
        self._lock = threading.Lock()
        self.digest: str = str(self._rows("SELECT digest FROM of_document")[0][0])
        """Digest of the indexed document."""
        self.lines: int = int(self._rows("SELECT count(*) FROM line")[0][0])
        """Number of lines."""

    @classmethod
    def build(
        cls,
        digest: str,
        lines: Iterable[IndexedLine],
        around: Iterable[tuple[int, Sequence[str]]],
        captions: Mapping[str, str],
    ) -> "WordIndex":
        """Build the index of a document.

        Args:
            around: For each block, the terms around it: title, headings, caption, lead, columns.
            captions: Property of each caption key among the lines.
        """
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.executescript(_SCHEMA)
        numbered = list(enumerate(lines, start=1))
        with database:
            database.execute("INSERT INTO of_document VALUES (?)", (digest,))
            database.executemany(
                "INSERT INTO line VALUES (?, ?, ?, ?)", ((id, x.block, x.place, x.property) for id, x in numbered)
            )
            database.executemany(
                "INSERT INTO words (rowid, label, heads) VALUES (?, ?, ?)",
                ((id, " ".join(x.label), " ".join(x.heads)) for id, x in numbered),
            )
            database.executemany(
                "INSERT INTO around (rowid, text) VALUES (?, ?)", ((block, " ".join(text)) for block, text in around)
            )
            database.executemany("INSERT INTO caption VALUES (?, ?)", captions.items())
        return cls(database)

    @classmethod
    def load(cls, data: bytes) -> "WordIndex":
        """Load an index that `to_bytes` wrote.

        Raises:
            StoreError: The bytes are damaged or of another version.
        """
        written, digest = data[_DIGEST:], data[:_DIGEST]
        if not written or hashlib.sha256(written).digest() != digest:
            raise StoreError("the index of a document is damaged; build it again")
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.deserialize(written)
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            database.close()
            raise StoreError(f"the index of a document is of version {version}, not {_VERSION}; build it again")
        return cls(database)

    def to_bytes(self) -> bytes:
        """Return the SHA-256 followed by the bytes of a SQLite database."""
        with self._lock:
            written = self._database.serialize()
        return hashlib.sha256(written).digest() + written

    def rarity(self, terms: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return for each term the number of lines that contain it, and of blocks with it around them."""
        words, around = (
            dict(self._rows(f"SELECT term, doc FROM {table}_vocabulary WHERE term IN ({_marks(terms)})", tuple(terms)))
            for table in ("words", "around")
        )
        return {term: (int(words.get(term, 0)), int(around.get(term, 0))) for term in terms}

    def blocks(self, terms: Collection[str], most: int) -> list[int]:
        """Return the blocks of the best matching lines, best first, without repetitions.

        Args:
            most: Limit for the number of lines.
        """
        if not terms:
            return []
        sql = (
            f"SELECT line.block FROM words JOIN line ON line.id = words.rowid WHERE words MATCH ? "
            f"ORDER BY bm25(words, {_LABEL_WEIGHT}, {_HEADS_WEIGHT}) LIMIT ?"
        )
        return list(dict.fromkeys(int(row[0]) for row in self._rows(sql, (_match(terms), most))))

    def blocks_around(self, terms: Collection[str], most: int) -> list[int]:
        """Return the blocks with the terms around them, best first."""
        if not terms:
            return []
        sql = "SELECT rowid FROM around WHERE around MATCH ? ORDER BY rank LIMIT ?"
        return [int(row[0]) for row in self._rows(sql, (_match(terms), most))]

    def of_properties(self, properties: Collection[str]) -> dict[tuple[int, int], str]:
        """Return the property of each line that has one of the properties, by block and place."""
        sql = f"SELECT block, place, property FROM line WHERE property IN ({_marks(properties)})"
        return {(int(block), int(place)): str(name) for block, place, name in self._rows(sql, tuple(properties))}

    def properties(self, keys: Collection[str]) -> dict[str, str]:
        """Return the property for each caption key of a line in the document."""
        return dict(self._rows(f"SELECT key, property FROM caption WHERE key IN ({_marks(keys)})", tuple(keys)))

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(sql, values).fetchall()


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


def _match(terms: Collection[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
