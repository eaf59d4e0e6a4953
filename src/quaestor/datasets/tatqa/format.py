"""The format of TAT-QA: a list of pages, each with its questions, which are independent of each other.

A page is one conversation, so that what is resumed, sampled or named is a page with all its questions. Looks up by name
the few fields that it reads, so an answer field cannot reach a document: `scoring.references` is another reader.
"""

from collections.abc import Mapping
from functools import partial

from quaestor.core.caching import BoundedCache
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.fields import shown_losses, text_field
from quaestor.datasets.listed import ConversationListing, FileConversations
from quaestor.datasets.tatqa.page import BENCHMARK, read_tatqa_page
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.json_records import JsonRecords

_PAGES = 128
"""So many pages are kept once they are read."""


class TatqaFormat:
    """A list of records, each with `table`, `paragraphs` and `questions`."""

    name = "tatqa"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list whose first record has paragraphs and questions beside its table."""
        found = content.outline
        if found is None or found.kind != "list":
            return False
        first = next(iter(content.records(found.parts.values())), None)
        return isinstance(first, Mapping) and {"table", "paragraphs", "questions"} <= first.keys()

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file.

        Args:
            limit: Read no more than so many pages.

        Raises:
            DatasetError: The file or a record is not what it should be.
        """
        path = str(content.path)
        if content.outline is None or content.outline.kind != "list":
            raise DatasetError(f"{path}: expected a list of records; is this a TAT-QA file?")
        records = content.records(content.outline.parts.values())
        read = partial(_read, records, path, BoundedCache[int, Conversation](_PAGES))
        listing, warnings = ConversationListing(), list[str]()
        for number in range(len(records))[:limit]:
            conversation = read(number)
            if (first := listing.find(conversation.id)) is not None:
                where = f"{path}, record {number}"
                raise DatasetError(f"{where}: duplicate table uid {conversation.id!r}, also used by record {first}")
            listing.add(conversation)
            warnings += shown_losses(conversation.document)
        conversations = FileConversations(listing.listed, read)
        return Dataset(path, self.name, listing.digest, conversations, tuple(warnings))


def _read(records: JsonRecords, path: str, pages: BoundedCache[int, Conversation], number: int) -> Conversation:
    def made() -> Conversation:
        where, record = f"{path}, record {number}", records[number]
        if not isinstance(record, Mapping):
            raise DatasetError(f"{where}: expected an object; is this a TAT-QA file?")
        return _conversation(record, where)

    return pages.get(number, made)


def _conversation(record: Mapping[str, object], where: str) -> Conversation:
    document = read_tatqa_page(record, where)
    place, asked = f"{where} ({document.id[:80]})", record.get("questions")
    if not isinstance(asked, list) or not asked or not all(isinstance(item, Mapping) for item in asked):
        raise DatasetError(f"{place}: no questions; expected a list of objects in 'questions'")
    what = f"{place}: 'question' of a question"
    questions = tuple(text_field(item.get("question"), what, benchmark=BENCHMARK) for item in asked)
    return Conversation(document.id, document, questions, chained=False)
