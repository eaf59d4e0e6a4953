"""A page of ConvFinQA as a document: one table between the sentences before it and the sentences after it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal

from quaestor.core.caching import BoundedCache
from quaestor.datasets.convfinqa.ids import page_of
from quaestor.datasets.fields import text_field
from quaestor.documents.assembly import ParagraphPart, SectionPart, TablePart, assemble, check_length, refused
from quaestor.documents.document import Document
from quaestor.documents.prose import bounded
from quaestor.documents.sentences import rejoin_sentences, split_sentences
from quaestor.errors import DatasetError, DocumentError


def read_convfinqa_page(
    record: Mapping[str, object], where: str, pages: BoundedCache[bytes, Document] | None = None
) -> Document:
    """Return the page of one record of either format; a null table or text is an empty one.

    Of a page with a text that is longer than any that is printed nothing is read: `Document.refusal` says why.

    Args:
        record: One object of a file: with `doc`, or with `table`, `pre_text` and `post_text` beside `id`.
        where: The record in words, for errors.
        pages: The pages that were read before, by the digest of their content; a page with equal content is taken
            from it, a new one added to it. None shares nothing.

    Source: The published files of ConvFinQA: Chen et al., "ConvFinQA: Exploring the Chain of Numerical Reasoning in
        Conversational Finance Question Answering" (2022).

    Raises:
        DatasetError: A field is not what it should be.
    """
    name = page_of(text_field(record.get("id"), f"{where}: 'id'"))
    page = record.get("doc", record)
    if not isinstance(page, Mapping):
        raise DatasetError(f"{where}: 'doc' must be an object; is this a ConvFinQA file?")
    grid = _grid(page.get("table"), where)
    texts = {section: _texts(page.get(section), where, section) for section in ("pre_text", "post_text")}
    if pages is None:
        return _document(name, grid, texts)
    content = hashlib.sha256(json.dumps([name, grid, texts]).encode()).digest()
    return pages.get(content, lambda: _document(name, grid, texts))


def _document(name: str, grid: list[list[str]], texts: Mapping[str, Sequence[str]]) -> Document:
    try:
        return assemble(
            name,
            [
                SectionPart("pre_text"),
                ParagraphPart(_sentences(name, "pre_text", texts)),
                TablePart(grid),
                SectionPart("post_text"),
                ParagraphPart(_sentences(name, "post_text", texts)),
            ],
            lost_dashes=True,
        )
    except DocumentError as error:
        return refused(name, error)


def _sentences(page: str, section: str, texts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the sentences of a section; what is not a sentence any more, by its length, in pieces."""
    for number, text in enumerate(texts[section]):
        check_length(page, f"{section}, sentence {number}", len(text))
    return tuple(piece for text in texts[section] for piece in bounded(text))


def _grid(table: object, where: str) -> list[list[str]]:
    """Return the printed cells, row by row."""
    if table is None:
        return []
    if isinstance(table, Mapping):
        return _grid_of_columns(table, where)
    if not isinstance(table, list) or not all(isinstance(row, list) for row in table):
        raise DatasetError(f"{where}: 'table' must be a list of rows; is this a ConvFinQA file?")
    return [[_cell(cell, where) for cell in row] for row in table]


def _grid_of_columns(table: Mapping[str, object], where: str) -> list[list[str]]:
    """Return the grid of a cleaned table, {column: {row: value}}; its corner is lost."""
    labels: dict[str, None] = {}
    for column in table.values():
        if not isinstance(column, Mapping):
            raise DatasetError(f"{where}: a column of 'table' must be an object; is this a ConvFinQA file?")
        labels |= dict.fromkeys(column)
    header = ["", *(text_field(name, f"{where}: a column name", empty=True) for name in table)]
    columns = [column for column in table.values() if isinstance(column, Mapping)]
    rows = [
        [text_field(label, f"{where}: a row name", empty=True)]
        + [_cell(column.get(label), where) for column in columns]
        for label in labels
    ]
    return [header, *rows]


def _cell(value: object, where: str) -> str:
    """Return a cell as printed; a float of the cleaned format prints as an integer if it is one."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DatasetError(f"{where}: a cell of 'table' must be text, not {type(value).__name__}")
    if isinstance(value, str):
        return text_field(value, f"{where}: a cell of 'table'", empty=True)
    number = Decimal(repr(value))
    if not number.is_finite():
        return ""
    return format(
        number.quantize(Decimal(1)) if abs(number) < 10**20 and number == number.to_integral_value() else number, "f"
    )


def _texts(value: object, where: str, section: str) -> tuple[str, ...]:
    """Return the sentences of a section: as they come but for abbreviations, or cut from one string."""
    if value is None:
        return ()
    if isinstance(value, str):
        return split_sentences(text_field(value, f"{where}: '{section}'", empty=True))
    if not isinstance(value, Sequence):
        raise DatasetError(f"{where}: '{section}' must be a list of sentences or a text")
    return rejoin_sentences([text_field(text, f"{where}: a sentence of '{section}'", empty=True) for text in value])
