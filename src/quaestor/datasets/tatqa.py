"""The benchmark TAT-QA: its pages and its records."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from quaestor.core.caching import BoundedCache
from quaestor.core.number_conventions import ENGLISH
from quaestor.datasets.dataset import (
    Conversation,
    Dataset,
    first_record,
    list_records,
    records_of_list,
    require_object,
    text_field,
)
from quaestor.documents.assembly import (
    ParagraphPart,
    SectionPart,
    TablePart,
    assemble,
    build_unreadable_document,
    check_length,
)
from quaestor.documents.document import Document
from quaestor.documents.sentences import split_prose
from quaestor.errors import DatasetError, DocumentError
from quaestor.readers.content import FileContent
from quaestor.readers.json_records import JsonRecords

# A page of TAT-QA as a document: one table among paragraphs.
#
# The file has the paragraphs in order, but not the position of the table among them.


BENCHMARK = "TAT-QA"

_LEADS = re.compile(
    r"\b(?:following|accompanying) (?:\w+ )?(?:table|schedule)|\btables? (?:below|sets|summari[sz]es|presents|shows"
    r"|provides|reflects|details|reconciles)\b|\bas follows\b|\b(?:were|was|is|are|the) following\b|:\s*$",
    re.IGNORECASE,
)
"""Matches a paragraph that introduces a table."""
_AMOUNTS = r"(?:thousands|millions|billions|(?:us\s?)?\$?\s?000['\u2019]?s?)\b"
_COUNTS = re.compile(
    rf"\([^()]{{0,60}}\bin {_AMOUNTS}[^()]{{0,80}}\)|\b(?:amounts |dollars )?expressed in {_AMOUNTS}[^.()]{{0,80}}",
    re.IGNORECASE,
)
_LONGEST_HEADING = 300


def read_tatqa_page(record: Mapping[str, object], where: str) -> Document:
    """Return the page of a record, with the id of its table.

    If a text is implausibly long, nothing is read, and `Document.refusal` says why.

    Source: The published files of TAT-QA: Zhu et al., "TAT-QA: A Question Answering Benchmark on a Hybrid of Tabular
        and Textual Content in Finance" (2021).
    """
    table = record.get("table")
    if not isinstance(table, Mapping):
        raise DatasetError(f"{where}: 'table' must be an object; is this a TAT-QA file?")
    name = text_field(table.get("uid"), f"{where}: 'uid' of 'table'", benchmark=BENCHMARK)
    grid, texts = _grid(table.get("table"), where), _texts(record.get("paragraphs"), where)
    try:
        for number, text in enumerate(texts):
            check_length(name, f"paragraph {number}", len(text))
        above = place_of_table(texts)
        caption = _find_caption(texts)
        paragraphs = [ParagraphPart(split_prose(text), section_caption=caption) for text in texts]
        return assemble(
            name,
            [
                SectionPart("pre_text"),
                *paragraphs[:above],
                TablePart(grid, caption=_find_caption_above(texts[:above]) or _find_caption(texts[above:])),
                SectionPart("post_text"),
                *paragraphs[above:],
            ],
            convention=ENGLISH,
        )
    except DocumentError as error:
        return build_unreadable_document(name, error)


def place_of_table(texts: Sequence[str]) -> int:
    """Return the number of paragraphs above the table: up to the last one that introduces a table, or none.

    >>> place_of_table(["Rents rose.", "They were as follows (in millions):", "Costs fell."])
    2
    """
    return next((place for place in range(len(texts), 0, -1) if _LEADS.search(texts[place - 1])), 0)


def _find_caption_above(texts: Sequence[str]) -> str:
    """Return the scale in the last of the paragraphs above a table that states one in brackets, or ""."""
    return next((found[0] for text in reversed(texts) if (found := _COUNTS.search(text))), "")


def _find_caption(texts: Sequence[str]) -> str:
    """Return the scale that a heading of the page states in brackets, or "".

    A page's title ("NOTES (in thousands, except per share data)") may be far from its table.
    """
    headings = (text for text in texts if len(text) <= _LONGEST_HEADING and not text.rstrip().endswith((".", ":")))
    return next((found[0] for text in headings if (found := _COUNTS.search(text))), "")


def _grid(rows: object, where: str) -> list[list[str]]:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
        raise DatasetError(f"{where}: 'table' of 'table' must be a list of rows; is this a TAT-QA file?")
    what = f"{where}: a cell of 'table'"
    return [[text_field(cell, what, empty=True, benchmark=BENCHMARK) for cell in row] for row in rows]


def _texts(paragraphs: object, where: str) -> tuple[str, ...]:
    if paragraphs is None:
        return ()
    if not isinstance(paragraphs, list) or not all(isinstance(paragraph, Mapping) for paragraph in paragraphs):
        raise DatasetError(f"{where}: 'paragraphs' must be a list of objects; is this a TAT-QA file?")
    what = f"{where}: 'text' of a paragraph"
    return tuple(text_field(found.get("text"), what, empty=True, benchmark=BENCHMARK) for found in paragraphs)


# The format of TAT-QA: a list of pages, each with independent questions.
#
# Each page is one conversation, so that resuming, sampling and naming refer to a page with all its questions. Only a
# few named fields are read, so that no answer field can reach a document; `scoring.references` reads the answers.


_PAGES = 128
"""Number of pages cached."""


class TatqaFormat:
    """Format with a list of records, each with `table`, `paragraphs` and `questions`."""

    name = "tatqa"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list whose first record has a table, paragraphs and questions."""
        return {"table", "paragraphs", "questions"} <= first_record(content).keys()

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file."""
        path, records = str(content.path), records_of_list(content, BENCHMARK)
        read = partial(_read, records, path, BoundedCache[int, Conversation](_PAGES))
        conversations, digest, losses = list_records(read, len(range(len(records))[:limit]), path, "table uid")
        return Dataset(path, self.name, digest, conversations, tuple(losses))


def _read(records: JsonRecords, path: str, pages: BoundedCache[int, Conversation], number: int) -> Conversation:
    def made() -> Conversation:
        where = f"{path}, record {number}"
        return _conversation(require_object(records[number], where, BENCHMARK), where)

    return pages.get(number, made)


def _conversation(record: Mapping[str, object], where: str) -> Conversation:
    document = read_tatqa_page(record, where)
    place, question_records = f"{where} ({document.id[:80]})", record.get("questions")
    if (
        not isinstance(question_records, list)
        or not question_records
        or not all(isinstance(item, Mapping) for item in question_records)
    ):
        raise DatasetError(f"{place}: no questions; expected a list of objects in 'questions'")
    what = f"{place}: 'question' of a question"
    questions = tuple(text_field(item.get("question"), what, benchmark=BENCHMARK) for item in question_records)
    return Conversation(document.id, document, questions, chained=False)
