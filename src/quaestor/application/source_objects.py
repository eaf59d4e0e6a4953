"""Sources as JSON: where the numbers of an answer stand, for other programs."""

from collections.abc import Iterable

from pydantic import JsonValue

from quaestor.conversation.display import labels_of, show_source, whereabouts
from quaestor.core import serial
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Document


def source_objects(sources: Iterable[Source], document: Document) -> list[dict[str, JsonValue]]:
    """Return sources with their places in words, and where those are in their file."""
    return [_placed(source, document) for source in sources]


def _placed(source: Source, document: Document) -> dict[str, JsonValue]:
    where, (row, column) = whereabouts(source, document), labels_of(source, document)
    return {
        **_in_words(source, serial.dump(source), document),
        "file": where.file or document.id,
        "page": where.page,
        "section_path": list(where.section),
        "table_title": where.title or None,
        "row_label": row,
        "column_label": column,
        "anchor": where.anchor,
    }


def source_object(stored: JsonValue, document: Document) -> dict[str, JsonValue]:
    """Return a source as it is stored, with its place and its text in words."""
    assert isinstance(stored, dict)
    return _in_words(stored_source(stored), stored, document)


def _in_words(source: Source, stored: dict[str, JsonValue], document: Document) -> dict[str, JsonValue]:
    shown = show_source(source, document)
    return {**stored, "place": shown.place, "text": shown.span if source.kind == "sentence" else shown.text}


def stored_source(stored: JsonValue) -> Source:
    """Return a source of those that are stored with a turn."""
    assert isinstance(stored, dict)
    kind: type[Source] = SentenceRef if stored["kind"] == "sentence" else CellRef
    return serial.restore(kind, stored)
