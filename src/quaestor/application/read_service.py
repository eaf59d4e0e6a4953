"""What was understood of a file: its sections, its tables with their headings, scales and periods, and its warnings."""

from pathlib import Path

from pydantic import JsonValue

from quaestor.core.periods import Period
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.repairs import show_warning
from quaestor.documents.table import Header, Table
from quaestor.errors import InputError
from quaestor.graph.facts import period_code
from quaestor.readers.cache import ByteCache


def read_one(path: Path, cache: ByteCache | None = None) -> Document:
    """Returns the document of a file.

    Args:
        path: The file.
        cache: Where documents are kept once they are read.

    Raises:
        DatasetError: The file is not what it should be.
        SeveralPagesError: It holds more documents than one.
    """
    return read_document(path, cache)


def table_of(document: Document, number: int) -> Table:
    """Returns a table by its place in a document.

    Raises:
        InputError: There is none; the message says how many there are.
    """
    if not 0 <= number < len(document.tables):
        count = len(document.tables)
        held = f"{count} tables, from 0" if count > 1 else "one table, 0" if count else "no table"
        raise InputError(f"{document.id} has {held}: there is no table {number}")
    return document.tables[number]


def outline_object(document: Document) -> dict[str, JsonValue]:
    """Returns what was understood of a document as JSON."""
    sentences = {section.id: len(found) for section, found in document.text}
    tables: dict[str, list[JsonValue]] = {}
    for table in document.tables:
        tables.setdefault(document.section_of(table).id, []).append(table.index)
    first = {block.section: block for block in reversed(document.blocks)}
    return {
        "document": document.id,
        "pages": max((block.page or 0 for block in document.blocks), default=0) or None,
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
        "warnings": [show_warning(warning) for warning in document.warnings],
    }


def table_object(document: Document, table: Table) -> dict[str, JsonValue]:
    """Returns a table with all its cells as JSON; a value is signed and exact, in the scale that stands beside it."""
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
    """Returns how many headings, paragraphs and tables there are, and some of them as JSON, in their order.

    Args:
        document: The document.
        section: Only of the section with this id, or None.
        offset: How many are left out before the first.
        limit: How many are given at most.
    """
    blocks = [block for block in document.blocks if section is None or block.section == section]
    return len(blocks), [_part_object(document, block) for block in blocks[offset : offset + limit]]


def _part_object(document: Document, block: Block) -> dict[str, JsonValue]:
    told: dict[str, JsonValue]
    match block.content:
        case SectionHeading(text=text, level=level):
            told = {"text": text, "level": level}
        case Paragraph(sentences=sentences):
            told = {
                "first": sentences[0].index if sentences else 0,
                "sentences": [sentence.text for sentence in sentences],
            }
        case Table() as table:
            told = {"table": table_object(document, table)}
    place: dict[str, JsonValue]
    place = {"order": block.order, "section": block.section, "page": block.page, "anchor": block.anchor}
    return {"kind": block.content.kind, **place, **told}


def _table_head(document: Document, table: Table) -> dict[str, JsonValue]:
    block = document.block(table.cells[0][0].ref)
    return {
        "table": table.index,
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
