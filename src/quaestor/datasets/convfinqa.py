"""The benchmark ConvFinQA: its pages, its records, and the two formats of its files."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial

from quaestor.core.caching import BoundedCache
from quaestor.datasets.dataset import Conversation, Dataset, list_records, records_of_list, require_object, text_field
from quaestor.documents.assembly import (
    ParagraphPart,
    SectionPart,
    TablePart,
    assemble,
    build_unreadable_document,
    check_length,
)
from quaestor.documents.document import Document
from quaestor.documents.sentences import rejoin_sentences, split_long_sentence, split_sentences
from quaestor.errors import DatasetError, DocumentError
from quaestor.readers.content import FileContent
from quaestor.readers.json_records import JsonRecords

# Parts of a ConvFinQA id: `Double_MRO/2007/page_134.pdf-1` is part 1 of two questions about a page of MRO.
#
# Solvers see only the page, as the rest of the id hints at the question.


_ID = re.compile(r"(?:(?:Single|Double)_)?(?P<page>.+?)(?:-[0-9]+)?", re.DOTALL)


def page_of(conversation: str) -> str:
    """Return the page named in a conversation's id: `MRO/2007/page_134.pdf`."""
    found = _ID.fullmatch(conversation)
    return found["page"] if found else ""


def company_of(conversation: str) -> str:
    """Return the ticker in a conversation's id: `MRO`."""
    return conversation.removeprefix("Single_").removeprefix("Double_").partition("/")[0]


def is_joined(conversation: str) -> bool:
    """Return whether an id belongs to a conversation joined from two questions ("Double")."""
    return conversation.startswith("Double_")


def read_convfinqa_page(
    record: Mapping[str, object], where: str, pages: BoundedCache[bytes, Document] | None = None
) -> Document:
    """Return the page of a record in either format; a null table or text is empty.

    If a text is implausibly long, nothing is read, and `Document.refusal` says why.

    Args:
        record: One object of a file: with `doc`, or with `table`, `pre_text` and `post_text` beside `id`.
        pages: Cache of pages by the digest of their content, so that equal pages share one document. None disables
            sharing.

    Source: The published files of ConvFinQA: Chen et al., "ConvFinQA: Exploring the Chain of Numerical Reasoning in
        Conversational Finance Question Answering" (2022).
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
        return build_unreadable_document(name, error)


def _sentences(page: str, section: str, texts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the sentences of a section; overlong ones are split."""
    for number, text in enumerate(texts[section]):
        check_length(page, f"{section}, sentence {number}", len(text))
    return tuple(piece for text in texts[section] for piece in split_long_sentence(text))


def _grid(table: object, where: str) -> list[list[str]]:
    if table is None:
        return []
    if isinstance(table, Mapping):
        return _grid_of_columns(table, where)
    if not isinstance(table, list) or not all(isinstance(row, list) for row in table):
        raise DatasetError(f"{where}: 'table' must be a list of rows; is this a ConvFinQA file?")
    return [[_cell(cell, where) for cell in row] for row in table]


def _grid_of_columns(table: Mapping[str, object], where: str) -> list[list[str]]:
    """Return the grid of a cleaned table, {column: {row: value}}, which lacks the corner cell."""
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
    """Return a cell as printed; integral floats of the cleaned format are printed as integers."""
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
    """Return the sentences of a section: rejoined at abbreviations, or split from one string."""
    if value is None:
        return ()
    if isinstance(value, str):
        return split_sentences(text_field(value, f"{where}: '{section}'", empty=True))
    if not isinstance(value, Sequence):
        raise DatasetError(f"{where}: '{section}' must be a list of sentences or a text")
    return rejoin_sentences([text_field(text, f"{where}: a sentence of '{section}'", empty=True) for text in value])


# Records of a ConvFinQA file, in either format: a page and the questions about it.
#
# Only a few named fields are read, so that no answer field can reach a document; `scoring.gold` reads the answers.


_PAGES = 128
"""Number of pages cached; conversations about the same page usually follow each other."""


def read_records(
    records: JsonRecords, path: str, format: str, limit: int | None, losses: Sequence[str] = ()
) -> Dataset:
    """Return the dataset of a file's records; each record is read once now, and again on access."""
    if not records:
        raise DatasetError(
            f"{path} contains no conversations: expected a list of records or an object with 'dev', 'train' or 'test'"
        )
    pages = BoundedCache[bytes, Document](_PAGES)
    count = len(records) if limit is None else min(limit, len(records))
    conversations, digest, lacks = list_records(partial(_read, records, path, pages), count, path)
    for number in range(count, len(records)):
        if not records.is_object(number):
            raise DatasetError(f"{path}, record {number}: expected an object; is this a ConvFinQA file?")
    # All questions of the benchmark ask for a number, or for yes or no.
    return Dataset(path, format, digest, conversations, (*losses, *lacks), "numbers")


def _read(records: JsonRecords, path: str, pages: BoundedCache[bytes, Document], number: int) -> Conversation:
    where = f"{path}, record {number}"
    return read_conversation(require_object(records[number], where, "ConvFinQA"), where, pages)


def read_conversation(
    record: Mapping[str, object], where: str, pages: BoundedCache[bytes, Document] | None = None
) -> Conversation:
    """Return the document and the questions of a record in either format."""
    name = text_field(record.get("id"), f"{where}: 'id'")
    place = f"{where} ({name[:80]})"
    page = record.get("doc", record)
    if not isinstance(page, Mapping) or not page.get("table"):
        raise DatasetError(f"{place}: no table; a ConvFinQA record has a non-empty 'table'")
    document = read_convfinqa_page(record, place, pages)
    holder, key = ("dialogue", "conv_questions") if "doc" in record else ("annotation", "dialogue_break")
    turn_record = record.get(holder)
    questions = turn_record.get(key) if isinstance(turn_record, Mapping) else None
    if not isinstance(questions, list) or not questions:
        raise DatasetError(f"{place}: no questions; expected a list in '{holder}' / '{key}'")
    texts = tuple(text_field(question, f"{place}: a question of '{key}'") for question in questions)
    return Conversation(name, document, texts, joined=is_joined(name), company=company_of(name))


class OriginalFormat:
    """Format with a list of records, each with its page's fields beside its questions."""

    name = "original"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list; records are validated when they are read."""
        return content.outline is not None and content.outline.kind == "list"

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file."""
        return read_records(records_of_list(content, "ConvFinQA"), str(content.path), self.name, limit)


# The cleaned format of ConvFinQA: records by split, `{"dev": [...]}`, a table as columns of named rows.


_SPLITS = ("dev", "train", "test")
_LOSSES = (
    "cleaned format: signs of percentages, rows with equal labels, the scale in the corner cell and leading decimal "
    "points are lost; prefer the original file"
)


class CleanedFormat:
    """Format with an object of splits; each record has its page under `doc` and its questions under `dialogue`."""

    name = "cleaned"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON object with a known split."""
        found = content.outline
        return found is not None and found.kind == "object" and any(split in found.parts for split in _SPLITS)

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, with all splits concatenated."""
        if content.outline is None or content.outline.kind != "object":
            raise DatasetError(f"{content.path}: expected an object of splits; is this a ConvFinQA file?")
        splits = [content.outline.parts[split] for split in _SPLITS if split in content.outline.parts]
        return read_records(content.records(splits), str(content.path), self.name, limit, [_LOSSES])
