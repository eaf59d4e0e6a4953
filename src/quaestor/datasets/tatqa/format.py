"""The format of TAT-QA: a list of pages, each with its questions, which are independent of each other.

A page is one conversation, so that what is resumed, sampled or named is a page with all its questions. Looks up by name
the few fields that it reads, so an answer field cannot reach a document: `scoring.references` is another reader.
"""

from collections.abc import Mapping

from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.fields import text_field
from quaestor.datasets.tatqa.page import BENCHMARK, read_tatqa_page
from quaestor.documents.repairs import WarningKind, show_warning
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent


class TatqaFormat:
    """A list of records, each with `table`, `paragraphs` and `questions`."""

    name = "tatqa"

    def recognises(self, content: FileContent) -> bool:
        """Returns whether a file is a JSON list whose first record has paragraphs and questions beside its table."""
        records = content.json if content.is_json else None
        first = records[0] if isinstance(records, list) and records else None
        return isinstance(first, Mapping) and {"table", "paragraphs", "questions"} <= first.keys()

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Returns the documents and questions of a file.

        Args:
            content: The file.
            limit: Read no more than so many pages.

        Raises:
            DatasetError: The file or a record is not what it should be.
        """
        records, path = content.json, str(content.path)
        if not isinstance(records, list):
            raise DatasetError(f"{path} is no list of records; is it a TAT-QA file?")
        conversations: list[Conversation] = []
        seen: dict[str, int] = {}
        for number, record in enumerate(records[:limit]):
            where = f"{path}, record {number}"
            if not isinstance(record, Mapping):
                raise DatasetError(f"{where}: it is no object; is it a TAT-QA file?")
            conversation = _conversation(record, where)
            if conversation.id in seen:
                first = seen[conversation.id]
                raise DatasetError(
                    f"{where}: the table's uid {conversation.id!r} is record {first}'s; make uids unique"
                )
            seen[conversation.id] = number
            conversations.append(conversation)
        warnings = [
            f"{conversation.id}: {show_warning(warning)}"
            for conversation in conversations
            for warning in conversation.document.warnings
            if warning.kind in (WarningKind.NO_NUMBER, WarningKind.REFUSED)
        ]
        return Dataset.of(path, self.name, conversations, warnings)


def _conversation(record: Mapping[str, object], where: str) -> Conversation:
    document = read_tatqa_page(record, where)
    place, asked = f"{where} ({document.id[:80]})", record.get("questions")
    if not isinstance(asked, list) or not asked or not all(isinstance(item, Mapping) for item in asked):
        raise DatasetError(f"{place}: there are no questions; a list of objects is expected under 'questions'")
    what = f"{place}: 'question' of a question"
    questions = tuple(text_field(item.get("question"), what, benchmark=BENCHMARK) for item in asked)
    return Conversation(document.id, document, questions, chained=False)
