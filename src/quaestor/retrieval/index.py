"""Index for finding places in a document; built once and cached by the document's digest.

Words are stored in a full-text index in SQLite, which only ranks blocks by the terms they share with a question; labels
and numbers are read from the document.
"""

import re
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from quaestor.core.caching import BoundedCache
from quaestor.core.terms import terms
from quaestor.documents.document import Block, Document, Paragraph
from quaestor.documents.table import Table, TableRole
from quaestor.ontology.line_matching import caption_key, core_line_index, read_core_lines
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.registry import digest_of_code
from quaestor.retrieval.blocks import BlockTerms, index_terms, indexed_rows, read_block

_SCHEMA = """
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
        self._database = database
        self._lock = threading.Lock()
        self.lines: int = int(self._rows("SELECT count(*) FROM line")[0][0])
        """Number of lines."""

    @classmethod
    def build(
        cls,
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
            sqlite3.DatabaseError: The bytes are not such an index.
        """
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.deserialize(data)
        return cls(database)

    def to_bytes(self) -> bytes:
        """Return the bytes of a SQLite database."""
        with self._lock:
            return self._database.serialize()

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


_BUILT_WITH = ("core", "ontology", "questions", "retrieval")
_MOST_INDEXES = 8
"""Number of indexes cached in memory; conversations about a filing share its index."""
_INDEXES: BoundedCache[str, WordIndex] = BoundedCache(_MOST_INDEXES)
_LEADING = 2
_PAID = re.compile(r"^(?:payments?|cash (?:paid|used)) (?:for|to|of) (?:the )?", re.IGNORECASE)
"""Beginning of cash flow lines, followed by what is paid for."""
_MOST_BLOCKS = 4_000


@dataclass(frozen=True)
class PlaceIndex:
    """A document with its word index."""

    document: Document
    words: WordIndex

    @classmethod
    def of(cls, document: Document) -> "PlaceIndex":
        """Build the index of a document; for an excerpt, that of the whole document."""
        whole = document.whole or document
        properties = _Properties()
        lines = list(_index_lines(whole, properties))
        paths = {section.id: section.path for section in whole.sections}
        around = ((block.order, _around(paths, whole, block)) for block in whole.blocks)
        return cls(whole, WordIndex.build(lines, around, properties.captions()))

    @cached_property
    def roles(self) -> Mapping[int, TableRole]:
        """Role of each table, by the index of its block."""
        return {block.order: block.content.role for block in self.document.blocks if isinstance(block.content, Table)}

    @cached_property
    def statements(self) -> Mapping[int, tuple[tuple[frozenset[str], frozenset[str]], ...]]:
        """Lines of each primary statement by the index of its block: terms of the label, and concepts of tags."""
        found = {}
        for at, role in self.roles.items():
            table = self.document.blocks[at].content
            if role.is_statement and isinstance(table, Table) and not table.is_too_large:
                facts = [[self.document.fact(cell.ref) for cell in row] for row in table.cells]
                tags = [frozenset(fact.concept for fact in row if fact is not None) for row in facts]
                labels = [frozenset(terms(row.label)) for row in table.rows]
                found[at] = tuple(zip(labels, tags, strict=True))
        return found

    def terms(self, order: int) -> BlockTerms:
        """Return the terms of a block, computed on first access."""
        block = self.document.blocks[order]
        return self._terms.get(order, lambda: read_block(self.document, block, self.path(block)))

    def path(self, block: Block) -> tuple[str, ...]:
        """Return the headings of a block, outermost first."""
        return self._paths[block.section]

    @cached_property
    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        return {section.id: section.path for section in self.document.sections}

    @cached_property
    def _terms(self) -> BoundedCache[int, BlockTerms]:
        return BoundedCache(_MOST_BLOCKS)


class _Properties:
    """Maps labels to lines of statements, and collects the captions of those lines."""

    def __init__(self) -> None:
        self._core, self._index = read_core_lines(), core_line_index()
        self._found: dict[str, str | None] = {}

    def of(self, label: str) -> str | None:
        if label not in self._found:
            paid = _PAID.sub("", label)
            match = self._index.find_named(label) or (self._index.find_named(paid) if paid != label else None)
            self._found[label] = match.property if match is not None else None
        return self._found[label]

    def captions(self) -> dict[str, str]:
        """Return the caption keys of all lines found."""
        found: dict[str, str] = {}
        for name in sorted({name for name in self._found.values() if name is not None}):
            for caption in self._core.lines[name].captions:
                found.setdefault(caption_key(caption), name)
        return found


def _index_lines(document: Document, properties: _Properties) -> Iterator[IndexedLine]:
    for block in document.blocks:
        match block.content:
            case Table() as table:
                for place in indexed_rows(table):
                    row = table.rows[place]
                    label = row.label or (row.levels[-1] if row.levels else "")
                    heads = tuple(term for level in row.levels if level != label for term in index_terms(level))
                    yield IndexedLine(block.order, place, properties.of(label), index_terms(label), heads)
            case Paragraph(sentences=sentences):
                for place, sentence in enumerate(sentences):
                    yield IndexedLine(block.order, place, None, index_terms(sentence.text), ())


def _around(paths: Mapping[str, tuple[str, ...]], document: Document, block: Block) -> tuple[str, ...]:
    texts = [*paths[block.section]]
    if isinstance(block.content, Table):
        table = block.content
        texts += [table.title, table.caption]
        texts += (sentence.text for sentence in document.lead_of(table)[-_LEADING:])
        texts += dict.fromkeys(level for column in table.columns for level in (*column.levels, column.label))
    return tuple(term for text in texts for term in index_terms(text))


def load_index(document: Document, cache: ByteCache | None) -> PlaceIndex:
    """Return the index of a document from memory or the cache, or build it."""
    whole = document.whole or document
    return PlaceIndex(whole, _INDEXES.get(whole.digest, lambda: _load_or_build(whole, cache)))


def _load_or_build(whole: Document, cache: ByteCache | None) -> WordIndex:
    if cache is None:
        return PlaceIndex.of(whole).words
    key = cache_key("index", whole.digest, digest_of_code(*_BUILT_WITH))
    if (data := cache.get(key)) is not None:
        with suppress(sqlite3.DatabaseError):  # rebuild a damaged entry
            return WordIndex.load(data)
    words = PlaceIndex.of(whole).words
    cache.put(key, words.to_bytes())
    return words
