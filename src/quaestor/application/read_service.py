"""Shows how a file was read: its sections, its tables with their headings, scales and periods, and its warnings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import JsonValue

from quaestor.application.file_cache import reading_limits
from quaestor.application.run_service import spread
from quaestor.core.periods import Period
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.health import document_health, table_health
from quaestor.documents.repairs import show_warning
from quaestor.documents.table import Header, Table
from quaestor.errors import InputError, QuaestorError
from quaestor.graph.facts import period_code
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import LARGEST, FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits, read_limited, read_tags_limited
from quaestor.readers.reading import document_key
from quaestor.readers.registry import find_reader
from quaestor.scoring.tag_check import FIGURES, TagCheck, check_tags
from quaestor.settings import Settings

_MOST_UNREAD = 20
"""The maximum number of unread cells listed per table."""


async def read_several(
    files: Sequence[Path],
    settings: Settings,
    cache: ByteCache | None,
    show: Callable[[Path, Document | QuaestorError], None],
) -> None:
    """Read files, and show each document or error in the order of the files; only this process opens them."""
    results: dict[int, Document | QuaestorError] = {}
    limits = reading_limits(settings)
    shown = 0

    def show_in_order() -> None:
        nonlocal shown
        while shown in results:
            show(files[shown], results.pop(shown))
            shown += 1

    def waiting() -> Iterator[_FileJob]:
        for number, file in enumerate(files):
            try:
                content = read_content(file)
                key = document_key(content) if cache is not None else None
                if cache is None or key is None or cache.get(key) is None:
                    with content.open_raw() as opened:  # one byte too many is enough to reject a file as too large
                        yield number, str(file), opened.read(LARGEST + 1)
                    continue
                results[number] = read_document(content, cache, limits)
            except QuaestorError as error:
                results[number] = error
            show_in_order()

    async def take(job: "_FileJob", file: "_ReadFile") -> None:
        results[job[0]], written = file
        if cache is not None:
            for key, data in written.items():
                cache.put(key, data)
        show_in_order()

    await spread(_FileReader(limits), waiting(), take, settings)
    show_in_order()


_FileJob = tuple[int, str, bytes]
"""The index of a file, its path as given, and its bytes."""

_ReadFile = tuple[Document | QuaestorError, dict[str, bytes]]
"""The document of a file or the error, and its new cache entries."""


class _MemoryCache:
    """Empty `ByteCache` that collects new entries, for the process that has the real cache."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, data: bytes) -> None:
        self.written[key] = data


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads files in any process. A `Work`."""

    limits: ReadingLimits

    async def __call__(self, job: _FileJob, /, *_shared: object) -> _ReadFile:
        _, path, data = job
        cache_entries = _MemoryCache()
        try:
            return read_document(FileContent(Path(path), data), cache_entries, self.limits), cache_entries.written
        except QuaestorError as error:
            return error, {}


def table_of(document: Document, number: int) -> Table:
    """Return a table by its place in a document."""
    if not 0 <= number < len(document.tables):
        count = len(document.tables)
        count_words = f"{count} tables, from 0" if count > 1 else "one table, 0" if count else "no tables"
        raise InputError(f"{document.id} has {count_words}, but not table {number}")
    return document.tables[number]


def outline_object(document: Document) -> dict[str, JsonValue]:
    """Return the outline of a document as JSON: sections, tables, health and warnings."""
    sentences = {section.id: len(found) for section, found in document.text}
    tables: dict[str, list[JsonValue]] = {}
    for table in document.tables:
        tables.setdefault(document.section_of(table).id, []).append(table.index)
    first = {block.section: block for block in reversed(document.blocks)}
    return {
        "document": document.id,
        "pages": max((block.page or 0 for block in document.blocks), default=0) or None,
        "numbers_as": document.convention.example,
        "sections": [
            {
                "id": section.id,
                "path": list(section.path),
                "page": first[section.id].page if section.id in first else None,
                "anchor": first[section.id].anchor if section.id in first else None,
                "tables": tables.get(section.id, []),
                "sentences": sentences.get(section.id, 0),
            }
            for section in document.sections
        ],
        "tables": [_table_head(document, table) for table in document.tables],
        "health": asdict(document_health(document)),
        "warnings": [show_warning(warning) for warning in document.warnings],
    }


def table_object(document: Document, table: Table) -> dict[str, JsonValue]:
    """Return a table with all its cells as JSON; `value` is signed and exact, in units of `scale`."""
    body: list[JsonValue] = []
    for row in range(table.header_rows, len(table.rows)):
        cells: list[JsonValue] = []
        for column in range(len(table.columns)):
            cell = table.cells[row][column]
            found = cell.quantity if column else None
            scale = found and (
                found.scale if found.scale.value != "one" else table.scale_at(row, column) or found.scale
            )
            cells.append(
                {
                    "text": cell.text,
                    "value": None if found is None else f"{found.value:f}",
                    "scale": scale.value if scale else None,
                    "unit": None if found is None else found.unit or table.unit_at(row, column),
                    "period": _period(table.period_at(row, column)) if found else None,
                }
            )
        body.append({"label": table.rows[row].label, "levels": list(table.rows[row].levels), "cells": cells})
    return {**_table_head(document, table), "body": body}


def part_objects(
    document: Document, section: str | None = None, offset: int = 0, limit: int = 50
) -> tuple[int, list[dict[str, JsonValue]]]:
    """Return the number of headings, paragraphs and tables, and a range of them as JSON, in order."""
    blocks = [block for block in document.blocks if section is None or block.section == section]
    return len(blocks), [_part_object(document, block) for block in blocks[offset : offset + limit]]


def _part_object(document: Document, block: Block) -> dict[str, JsonValue]:
    content: dict[str, JsonValue]
    match block.content:
        case SectionHeading(text=text, level=level):
            content = {"text": text, "level": level}
        case Paragraph(sentences=sentences):
            content = {
                "first": sentences[0].index if sentences else 0,
                "sentences": [sentence.text for sentence in sentences],
            }
        case Table() as table:
            content = {"table": table_object(document, table)}
    place: dict[str, JsonValue]
    place = {"order": block.order, "section": block.section, "page": block.page, "anchor": block.anchor}
    return {"kind": block.content.kind, **place, **content}


def _table_head(document: Document, table: Table) -> dict[str, JsonValue]:
    block = document.block(table.cells[0][0].ref)
    health = table_health(table)
    return {
        "table": table.index,
        "role": table.role.value,
        "title": table.title,
        "caption": table.caption,
        "section": " > ".join(document.section_of(table).path),
        "page": block.page,
        "anchor": block.anchor,
        "rows": len(table.rows) - table.header_rows,
        "header_rows": table.header_rows,
        "columns": [_header(column) for column in table.columns],
        "scale": table.scale.value if table.scale else None,
        "unit": table.unit,
        "unread": [{"row": c.ref.row, "column": c.ref.column, "text": c.text} for c in health.unread[:_MOST_UNREAD]],
        "undated": list(health.undated),
    }


def _header(header: Header) -> dict[str, JsonValue]:
    return {
        "label": header.label,
        "levels": list(header.levels),
        "period": _period(header.period),
        "scale": header.scale.value if header.scale else None,
        "unit": header.unit,
    }


def _period(period: Period | None) -> str | None:
    return None if period is None else period_code(period)


def check_filing(path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> TagCheck | None:
    """Compare the tagged numbers of a filing with how they were read; None if it is not HTML, or has no tags."""
    return check_content(read_content(path), limits)


def check_content(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> TagCheck | None:
    """Do the same as `check_filing` for loaded content."""
    reader = None if content.looks_like_json else find_reader(content)
    if reader is None or reader.name != "html":
        return None
    printed = read_tags_limited(content, limits)
    return check_tags(read_limited(content, limits)[1], printed) if printed else None


def filing_check_object(check: TagCheck) -> dict[str, object]:
    """Return a check as JSON: the counts over all tagged numbers, in tables and in text, and the differences."""
    return {
        **_figures(check.all),
        "tables": _figures(check.tables),
        "text": _figures(check.text),
        "different": [
            {
                "place": found.place,
                "concept": found.concept,
                "printed": found.printed,
                "read": found.read,
                "tagged": found.tagged,
                "which": list(found.wrong),
                "in": "tables" if found.in_table else "text",
            }
            for found in check.different
        ],
    }


def _figures(counts: Mapping[str, int]) -> dict[str, object]:
    return {name: counts[name] for name in FIGURES}
