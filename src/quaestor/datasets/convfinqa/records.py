"""The records of a ConvFinQA file, whichever its format: a page and the questions about it.

Looks up by name the few fields that it reads, so an answer field cannot reach a document: `scoring.gold` is another
reader.
"""

from collections.abc import Mapping, Sequence

from quaestor.datasets.convfinqa.ids import company_of, is_joined
from quaestor.datasets.convfinqa.page import read_convfinqa_page
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.fields import text_field
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind, show_warning
from quaestor.errors import DatasetError


def read_records(
    records: Sequence[object], path: str, format: str, limit: int | None, losses: Sequence[str] = ()
) -> Dataset:
    """Returns the dataset that the records of a file are.

    Args:
        records: All of the file, in order.
        path: The file, for messages.
        format: The name of its format.
        limit: Read no more than so many of them.
        losses: What the format cannot say, one line each.

    Raises:
        DatasetError: A record is not what it should be, or there is none.
    """
    if not records:
        raise DatasetError(
            f"{path} holds no conversations: a list of records or an object with 'dev', 'train' or 'test' is expected"
        )
    pages: dict[str, Document] = {}
    conversations = []
    seen: dict[str, int] = {}
    for number, record in enumerate(records):
        where = f"{path}, record {number}"
        if not isinstance(record, Mapping):
            raise DatasetError(f"{where}: it is no object; is it a ConvFinQA file?")
        if limit is not None and number >= limit:
            continue
        conversation = read_conversation(record, where, pages)
        if conversation.id in seen:
            raise DatasetError(
                f"{where}: the id {conversation.id!r} is record {seen[conversation.id]}'s; make ids unique"
            )
        seen[conversation.id] = number
        conversations.append(conversation)
    warnings = list(losses)
    for document in {id(page): page for page in pages.values()}.values():
        warnings += [
            f"{document.id}: {show_warning(warning)}"
            for warning in document.warnings
            if warning.kind in (WarningKind.NO_NUMBER, WarningKind.REFUSED)
        ]
    # Every question of the benchmark asks for a number, or for yes or no.
    return Dataset.of(path, format, conversations, warnings, answers="numbers")


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
    name = text_field(record.get("id"), f"{where}: 'id'")
    place = f"{where} ({name[:80]})"
    page = record.get("doc", record)
    if not isinstance(page, Mapping) or not page.get("table"):
        raise DatasetError(f"{place}: there is no table; a ConvFinQA record has a non-empty 'table'")
    document = read_convfinqa_page(record, place, pages)
    holder, key = ("dialogue", "conv_questions") if "doc" in record else ("annotation", "dialogue_break")
    asked = record.get(holder)
    questions = asked.get(key) if isinstance(asked, Mapping) else None
    if not isinstance(questions, list) or not questions:
        raise DatasetError(f"{place}: there are no questions; a list is expected under '{holder}' / '{key}'")
    texts = tuple(text_field(question, f"{place}: a question of '{key}'") for question in questions)
    return Conversation(name, document, texts, joined=is_joined(name), company=company_of(name))
