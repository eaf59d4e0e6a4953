"""ConvFinQA files: documents and questions, never answers.

Owns the original format (a list of records) and the cleaned one ({"dev": [...]}), labelled or not. Looks up by name
the few fields that it reads, so an answer field cannot reach a document: `scoring.gold` is another reader.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from quaestor.documents.captions import caption_in_text
from quaestor.documents.document import Document
from quaestor.documents.headers import read_table
from quaestor.documents.sentences import read_sentences, split_sentences
from quaestor.errors import DatasetError, UnknownConversationError

Format = Literal["original", "cleaned"]

_SPLITS = ("dev", "train", "test")
_ID = re.compile(r"(?:(?:Single|Double)_)?(?P<document>.+?)(?:-[0-9]+)?", re.DOTALL)
_LEADING_SENTENCES = 2
_LOSSES = (
    "cleaned format: signs of percentages, rows with equal labels, the corner cell with its scale, and leading decimal "
    "points are lost; prefer the original file"
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and the questions asked about it, in order.

    Attributes:
        id: As in the file.
        document: Shared by all conversations about the same page.
        questions: At least one, as asked.
    """

    id: str
    document: Document
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """The conversations of one file.

    Attributes:
        path: Where it was read from.
        format: `original` or `cleaned`.
        digest: SHA-256 over ids, documents and questions; answers do not change it.
        conversations: In the file's order.
        warnings: What the format lost and which tables hold no number, one line each.
    """

    path: str
    format: Format
    digest: str
    conversations: tuple[Conversation, ...]
    warnings: tuple[str, ...] = ()

    def conversation(self, id: str) -> Conversation:
        """Returns the conversation of that id.

        Raises:
            UnknownConversationError: There is none; the message names the nearest ids.
        """
        found = next((conversation for conversation in self.conversations if conversation.id == id), None)
        if found is None:
            from rapidfuzz import process

            known = [conversation.id for conversation in self.conversations]
            nearest = ", ".join(match for match, _, _ in process.extract(id, known, limit=3))
            raise UnknownConversationError(
                f"{self.path} has no conversation {id[:80]!r}; the nearest ids are {nearest}"
            )
        return found


def read_dataset(path: Path, limit: int | None = None) -> Dataset:
    """Returns the documents and questions of a ConvFinQA file.

    Args:
        path: The JSON file.
        limit: Read no more than so many conversations.

    Raises:
        DatasetError: The file or a record is not what it should be; the message says which and what to do.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"cannot read {limit} conversations: the limit must be 1 or more")
    data = _load(path)
    records, format_ = _records(data, path)
    pages: dict[str, Document] = {}
    conversations = []
    seen: dict[str, int] = {}
    for number, record in enumerate(records[:limit]):
        where = f"{path}, record {number}"
        conversation = read_conversation(record, where, pages)
        if conversation.id in seen:
            raise DatasetError(
                f"{where}: the id {conversation.id!r} is record {seen[conversation.id]}'s; make ids unique"
            )
        seen[conversation.id] = number
        conversations.append(conversation)
    warnings = [_LOSSES] if format_ == "cleaned" else []
    for document in {id(page): page for page in pages.values()}.values():
        warnings += [f"{document.id}: {line}" for line in document.warnings if line.endswith("no number in it")]
    return Dataset(str(path), format_, _digest(conversations), tuple(conversations), tuple(warnings))


def read_conversation(
    record: Mapping[str, object], where: str, pages: dict[str, Document] | None = None
) -> Conversation:
    """Returns the document and the questions of one record of either format.

    Args:
        record: As the file holds it; no field but id, texts, table and questions is looked at.
        where: The place to name in an error.
        pages: Documents read so far by their content; equal pages become one object.

    Raises:
        DatasetError: A field is missing or is not what it should be.
    """
    name = _text(record.get("id"), f"{where}: 'id'")
    place = f"{where} ({name[:80]})"
    page = record.get("doc", record)
    if not isinstance(page, Mapping) or not page.get("table"):
        raise DatasetError(f"{place}: there is no table; a ConvFinQA record has a non-empty 'table'")
    document = read_document(record, place, pages)
    holder, key = ("dialogue", "conv_questions") if "doc" in record else ("annotation", "dialogue_break")
    asked = record.get(holder)
    questions = asked.get(key) if isinstance(asked, Mapping) else None
    if not isinstance(questions, list) or not questions:
        raise DatasetError(f"{place}: there are no questions; a list is expected under '{holder}' / '{key}'")
    return Conversation(name, document, tuple(_text(q, f"{place}: a question of '{key}'") for q in questions))


def read_document(record: Mapping[str, object], where: str, pages: dict[str, Document] | None = None) -> Document:
    """Returns the page of one record of either format; a null table or text is an empty one.

    Raises:
        DatasetError: A field is not what it should be.
    """
    found = _ID.fullmatch(_text(record.get("id"), f"{where}: 'id'"))
    name = found["document"] if found else ""
    page = record.get("doc", record)
    if not isinstance(page, Mapping):
        raise DatasetError(f"{where}: 'doc' is no object; is this a ConvFinQA file?")
    lost: list[str] = []
    grid = _grid(page.get("table"), where, lost)
    texts = {section: _texts(page.get(section), where, section) for section in ("pre_text", "post_text")}
    content = json.dumps([name, grid, texts])
    if pages is not None and content in pages:
        return pages[content]
    tables, warnings = [], lost
    if grid:
        table, lines = read_table(name, 0, grid, caption_in_text(texts["pre_text"][-_LEADING_SENTENCES:]))
        tables.append(table)
        warnings += lines
    sentences = [sentence for section, cut in texts.items() for sentence in read_sentences(name, section, cut)]
    document = Document(name, tuple(tables), tuple(sentences), tuple(warnings))
    if pages is not None:
        pages[content] = document
    return document


def _load(path: Path) -> object:
    """Returns the JSON of a file."""
    if path.is_dir():
        raise DatasetError(f"cannot read {path}: it is a directory; name the JSON file in it")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(f"cannot read {path}: there is no such file; check the path") from None
    except (OSError, ValueError) as error:
        raise DatasetError(f"cannot read {path}: {error}") from None
    if not content.strip():
        raise DatasetError(f"cannot read {path}: the file is empty; download it again")
    try:
        data: object = json.loads(content)
    except json.JSONDecodeError as error:
        hint = "it may be cut off, download it again" if error.pos >= len(error.doc) - 2 else "is it a ConvFinQA file?"
        raise DatasetError(
            f"cannot read {path} as JSON: line {error.lineno}, column {error.colno}: {error.msg}; {hint}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"cannot read {path} as JSON: {type(error).__name__}; is it a ConvFinQA file?") from None
    return data


def _records(data: object, path: Path) -> tuple[list[Mapping[str, object]], Format]:
    """Returns the records of a file, and its format."""
    records: list[object] = []
    format_: Format = "original"
    if isinstance(data, list):
        records = data
    elif isinstance(data, dict):
        format_ = "cleaned"
        for split in _SPLITS:
            part = data.get(split, [])
            records += part if isinstance(part, list) else [part]
    if not records:
        wanted = "a list of records or an object with 'dev', 'train' or 'test' is expected"
        raise DatasetError(f"{path} holds no conversations: {wanted}; is it a ConvFinQA file?")
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise DatasetError(f"{path}, record {number}: it is no object; is it a ConvFinQA file?")
    return [record for record in records if isinstance(record, dict)], format_


def _grid(table: object, where: str, lost: list[str]) -> list[list[str]]:
    """Returns the printed cells, row by row; what had to be mended is added to `lost`."""
    if table is None:
        return []
    if isinstance(table, Mapping):
        return _grid_of_columns(table, where)
    if not isinstance(table, list) or not all(isinstance(row, list) for row in table):
        raise DatasetError(f"{where}: 'table' is no list of rows; is it a ConvFinQA file?")
    grid = [[_cell(cell, where) for cell in row] for row in table]
    width = max((len(row) for row in grid), default=0)
    if any(len(row) < width for row in grid):
        lost.append("table 0: rows of unequal length were filled with empty cells")
    return [row + [""] * (width - len(row)) for row in grid] if width else []


def _grid_of_columns(table: Mapping[str, object], where: str) -> list[list[str]]:
    """Returns the grid of a cleaned table, {column: {row: value}}; its corner is lost."""
    labels: dict[str, None] = {}
    for column in table.values():
        if not isinstance(column, Mapping):
            raise DatasetError(f"{where}: a column of 'table' is no object; is it a ConvFinQA file?")
        labels |= dict.fromkeys(column)
    header = ["", *(_text(name, f"{where}: a column's name", empty=True) for name in table)]
    columns = [column for column in table.values() if isinstance(column, Mapping)]
    rows = [
        [_text(label, f"{where}: a row's name", empty=True)] + [_cell(column.get(label), where) for column in columns]
        for label in labels
    ]
    return [header, *rows]


def _cell(value: object, where: str) -> str:
    """Returns a cell as printed; a float of the cleaned format prints as an integer where it is one."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise DatasetError(f"{where}: a cell of 'table' is {type(value).__name__}, not text")
    if isinstance(value, str):
        return _text(value, f"{where}: a cell of 'table'", empty=True)
    number = Decimal(repr(value))
    if not number.is_finite():
        return ""
    return format(
        number.quantize(Decimal(1)) if abs(number) < 10**20 and number == number.to_integral_value() else number, "f"
    )


def _texts(value: object, where: str, section: str) -> tuple[str, ...]:
    """Returns the sentences of a section: as they come, or cut from one string."""
    if value is None:
        return ()
    if isinstance(value, str):
        return split_sentences(_text(value, f"{where}: '{section}'", empty=True))
    if not isinstance(value, Sequence):
        raise DatasetError(f"{where}: '{section}' is neither a list of sentences nor a text")
    return tuple(_text(sentence, f"{where}: a sentence of '{section}'", empty=True) for sentence in value)


def _text(value: object, what: str, *, empty: bool = False) -> str:
    """Returns a field that must be text, valid Unicode and, unless `empty`, not blank."""
    if not isinstance(value, str):
        raise DatasetError(f"{what} is missing or is no text; is it a ConvFinQA file?")
    if not empty and not value.strip():
        raise DatasetError(f"{what} is empty")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise DatasetError(f"{what} holds characters that are no Unicode text; save the file as UTF-8") from None
    return value


def _digest(conversations: Sequence[Conversation]) -> str:
    """Returns the SHA-256 over all that the reader read."""
    read = [[conversation.id, conversation.document.digest, conversation.questions] for conversation in conversations]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()
