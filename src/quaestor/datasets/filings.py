"""Questions about whole documents: quaestor's format, and those of FinanceBench and DocFinQA."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from quaestor.core.visible import visible
from quaestor.datasets.dataset import (
    Conversation,
    Dataset,
    first_record,
    list_records,
    numbered_lines,
    records_of_list,
    require_object,
    text_field,
)
from quaestor.datasets.formats import AboutFiles, DocumentFolder
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent

# Formats of questions about documents in a folder: quaestor's own, and that of FinanceBench.
#
# Only a few named fields are read, so that no answer field can reach a document or a question;
# `scoring.references` reads the answers.


_FIRST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class _UnreadConversation:
    id: str
    document: str
    company: str
    questions: tuple[str, ...]
    where: str


class FilingQuestions(AboutFiles):
    """Format of lines with `file`, `conversation`, `turn` and `question`; lines of a conversation are consecutive."""

    name = "filings"
    unanswerable = True

    def recognises(self, content: FileContent) -> bool:
        """Return whether the first line of a file has the fields of this format."""
        return {"file", "conversation", "turn", "question"} <= _first_line(content).keys()

    def read_about(self, content: FileContent, folder: DocumentFolder, limit: int | None = None) -> Dataset:
        """Return the questions of a file about documents of a folder."""
        dataset = _dataset(self.name, content, folder, list(self._read_questions(content))[:limit])
        return replace(dataset, unanswerable=self.unanswerable)

    def _read_questions(self, content: FileContent) -> Iterator[_UnreadConversation]:
        lines = (
            (text_field(record.get("conversation"), f"{where}: 'conversation'", benchmark="questions"), where, record)
            for where, record in _records(content)
        )
        for id, group in groupby(lines, key=lambda line: line[0]):
            found = [(where, record) for _, where, record in group]
            where, first = found[0]
            file = text_field(first.get("file"), f"{where}: 'file'", benchmark="questions")
            for place, (line, record) in enumerate(found):
                if record.get("turn") != place:
                    raise DatasetError(f"{line}: expected turn {place} of {visible(id)}; turns count from 0, in order")
                if record.get("file") != file:
                    raise DatasetError(f"{line}: {visible(id)} is about {visible(file)}; a conversation has one file")
            texts = [text_field(r.get("question"), f"{w}: 'question'", benchmark="questions") for w, r in found]
            company = re.split(r"[-_ .]", file, maxsplit=1)[0].lower()
            yield _UnreadConversation(id, file, company, tuple(texts), where)


class FinanceBench(FilingQuestions):
    """Format of lines with `financebench_id`, `doc_name`, `company` and `question`, each a separate conversation.

    Source: Islam et al., "FinanceBench: A New Benchmark for Financial Question Answering" (2023).
    """

    name = "financebench"
    unanswerable = False

    def recognises(self, content: FileContent) -> bool:
        """Return whether the first line of a file has the fields of this format."""
        return {"financebench_id", "doc_name", "question"} <= _first_line(content).keys()

    def _read_questions(self, content: FileContent) -> Iterator[_UnreadConversation]:
        for where, record in _records(content):
            id, file, question = (
                text_field(record.get(name), f"{where}: {name!r}", benchmark="FinanceBench")
                for name in ("financebench_id", "doc_name", "question")
            )
            yield _UnreadConversation(id, file, str(record.get("company") or file), (question,), where)


def _first_line(content: FileContent) -> Mapping[str, object]:
    """Return the object on the first line of a file, or an empty one."""
    if not content.looks_like_json:
        return {}
    try:
        with content.open() as file:
            found = json.loads(file.readline(_FIRST_LINE))
    except (DatasetError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _records(content: FileContent) -> Iterator[tuple[str, Mapping[str, object]]]:
    for number, line in numbered_lines(content.text.text):
        where = f"{content.path}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{where}: not JSON ({error})") from error
        if not isinstance(record, dict):
            raise DatasetError(f"{where}: expected an object")
        yield where, record


def _dataset(name: str, content: FileContent, folder: DocumentFolder, unread: list[_UnreadConversation]) -> Dataset:
    seen = dict[str, str]()
    for one in unread:
        if one.id in seen:
            raise DatasetError(f"{one.where}: duplicate conversation {visible(one.id)}, also at {seen[one.id]}")
        seen[one.id] = one.where
    folder.require((one.document, one.where) for one in unread)

    def read(place: int) -> Conversation:
        one = unread[place]
        return Conversation(one.id, folder.document(one.document, one.where), one.questions, company=one.company)

    conversations, digest, _ = list_records(read, len(unread), str(content.path))
    return Dataset(str(content.path), name, digest, conversations, folder=str(folder.path.absolute()))


# The format of DocFinQA: a list of records, each with a question and the full text of its filing.
#
# Source: Reddy et al., "DocFinQA: A Long-Context Financial Reasoning Dataset" (2024).


_FIELDS = ("Context", "Question")


class DocFinqaFormat(AboutFiles):
    """Format with a list of records with `Context` and `Question`; each is a conversation named by its index."""

    name = "docfinqa"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list whose first record has a context and a question."""
        return first_record(content).keys() >= {*_FIELDS}

    def read_about(self, content: FileContent, folder: DocumentFolder, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, which contains the documents.

        Only the cache and the limits of the folder are used.
        """
        records = records_of_list(content, "DocFinQA")

        def read(place: int) -> Conversation:
            where = f"{content.path}, record {place}"
            record = require_object(records[place], where, "DocFinQA")
            context, question = (
                text_field(record.get(name), f"{where}: {name!r}", benchmark="DocFinQA") for name in _FIELDS
            )
            document = folder.text(context)
            return Conversation(f"docfinqa-{place}", document, (question,), company=document.id)

        conversations, digest, _ = list_records(read, len(range(len(records))[:limit]), str(content.path))
        return Dataset(str(content.path), self.name, digest, conversations, folder=str(folder.path.absolute()))
