"""Combines several files into one document, in which sources keep the names of their files."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from quaestor.core.number_conventions import ENGLISH, NumberConvention
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Block, Document, Paragraph, Section, SectionHeading, Sentence
from quaestor.documents.facts import TaggedNumber
from quaestor.documents.repairs import DocumentWarning
from quaestor.documents.table import Table

_FILE = lazy_regex(r"file_(\d+)(?:_|$)")
_OFTEN = 0.6
"""Minimal number of tables with a year, relative to the most frequent year, for it to be a year of the filing; years in
which debts fall due are rarer."""


def combine(files: Sequence[tuple[str, Document]]) -> Document:
    """Combine several documents into one.

    Indices of tables and sections continue over all files; references to cells and sentences keep the `document` of the
    original.

    Args:
        files: Pairs of a unique name and the document of the file, in order.
    """
    whole = _CombinedDocument()
    for number, (name, document) in enumerate(files, start=1):
        whole.add(f"file_{number}", name, document.whole or document)
    return Document(
        " + ".join(name for name, _ in files),
        tuple(whole.sections),
        tuple(whole.blocks),
        tuple(whole.warnings),
        tuple(whole.facts),
        convention=whole.convention,
    )


@dataclass(slots=True)
class _CombinedDocument:
    """Collects the parts of the combined document."""

    sections: list[Section] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    warnings: list[DocumentWarning] = field(default_factory=list)
    facts: list[TaggedNumber] = field(default_factory=list)
    tables: int = 0
    convention: NumberConvention = ENGLISH

    def add(self, prefix: str, name: str, document: Document) -> None:
        if not self.sections:
            self.convention = document.convention
        self.sections.append(Section(prefix, (name,)))
        self.blocks.append(Block(SectionHeading(name, 1), len(self.blocks), prefix))
        self.sections += (Section(f"{prefix}_{s.id}", (name, *s.path)) for s in document.sections)
        before = len(self.blocks)
        for block in document.blocks:
            content = self._move(block.content, prefix)
            self.blocks.append(
                replace(block, content=content, order=before + block.order, section=f"{prefix}_{block.section}")
            )
        self.warnings += (
            warning if warning.table is None else replace(warning, table=self.tables + warning.table)
            for warning in document.warnings
        )
        self.facts += (TaggedNumber(self._source(tagged.source, prefix), tagged.fact) for tagged in document.facts)
        self.tables += len(document.tables)

    def _move(self, content: SectionHeading | Paragraph | Table, prefix: str) -> SectionHeading | Paragraph | Table:
        match content:
            case SectionHeading():
                return replace(content, level=content.level + 1)
            case Paragraph(sentences=sentences):
                return Paragraph(tuple(self._sentence(sentence, prefix) for sentence in sentences))
            case Table():
                index = self.tables + content.index
                cells = tuple(
                    tuple(replace(cell, ref=replace(cell.ref, table=index)) for cell in row) for row in content.cells
                )
                return replace(content, index=index, cells=cells)

    def _sentence(self, sentence: Sentence, prefix: str) -> Sentence:
        section = f"{prefix}_{sentence.section}"
        mentions = tuple(replace(m, ref=replace(m.ref, section=section)) for m in sentence.mentions)
        return replace(sentence, section=section, mentions=mentions)

    def _source(self, source: Source, prefix: str) -> Source:
        if isinstance(source, SentenceRef):
            return replace(source, section=f"{prefix}_{source.section}")
        return replace(source, table=self.tables + source.table)


def file_of(document: Document, source: Source) -> str | None:
    """Return the name of the file that contains a source; None if the document is a single file."""
    section = document.section(source)
    return section.path[0] if _FILE.match(section.id) else None


def files_of(document: Document) -> tuple[str, ...]:
    """Return the names of the files of a combined document, in order; empty for a single file."""
    whole = document.whole or document
    return tuple(s.path[0] for s in whole.sections if (found := _FILE.match(s.id)) and found.end() == len(s.id))


def newest_years(document: Document) -> dict[str, int]:
    """Return the newest year in the tables of each file; 0 if they have none."""
    counted: dict[str, Counter[int]] = {name: Counter() for name in files_of(document)}
    for table in (document.whole or document).tables:
        name = file_of(document, CellRef(document.id, table.index, 0, 0))
        if name is not None:
            counted[name].update(set(_years_of_table(table)))
    return {name: _newest_year(counts) for name, counts in counted.items()}


def _years_of_table(table: Table) -> Iterator[int]:
    for header in (*table.columns, *table.rows):
        if header.period is not None:
            yield header.period.year


def _newest_year(counts: Counter[int]) -> int:
    often = max(counts.values(), default=0) * _OFTEN
    return max((year for year, count in counts.items() if count >= often), default=0)
