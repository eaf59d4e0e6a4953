"""Index for finding places in a document; built once and cached by the document's digest.

Words are stored in `lexical`; labels and numbers are read from the document.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from quaestor.core.caching import BoundedCache
from quaestor.core.terms import terms
from quaestor.documents.document import Block, Document, Paragraph
from quaestor.documents.table import Table, TableRole
from quaestor.errors import StoreError
from quaestor.ontology.line_matching import caption_key, core_line_index, read_core_lines
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.registry import digest_of_code
from quaestor.retrieval.blocks import BlockTerms, index_terms, indexed_rows, read_block
from quaestor.retrieval.lexical import IndexedLine, WordIndex

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
        return cls(
            whole,
            WordIndex.build(
                whole.digest,
                lines,
                ((block.order, _around(paths, whole, block)) for block in whole.blocks),
                properties.captions(),
            ),
        )

    @classmethod
    def load(cls, data: bytes, document: Document) -> "PlaceIndex":
        """Load an index of the same document that `to_bytes` wrote.

        Raises:
            StoreError: The bytes are damaged, of another version, or of another document.
        """
        words, whole = WordIndex.load(data), document.whole or document
        if words.digest != whole.digest:
            raise StoreError(f"the index belongs to another document than {whole.id}; build it again")
        return cls(whole, words)

    def to_bytes(self) -> bytes:
        """Return the index as a SQLite database, without the document."""
        return self.words.to_bytes()

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
    return PlaceIndex(whole, _INDEXES.get(whole.digest, lambda: _load_or_build(whole, cache).words))


def _load_or_build(whole: Document, cache: ByteCache | None) -> PlaceIndex:
    if cache is None:
        return PlaceIndex.of(whole)
    key = cache_key("index", whole.digest, digest_of_code(*_BUILT_WITH))
    if (data := cache.get(key)) is not None:
        with suppress(StoreError):  # rebuild a damaged entry
            return PlaceIndex.load(data, whole)
    index = PlaceIndex.of(whole)
    cache.put(key, index.to_bytes())
    return index
