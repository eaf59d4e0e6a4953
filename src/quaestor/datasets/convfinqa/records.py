"""The records of a ConvFinQA file, whichever its format: a page and the questions about it.

Looks up by name the few fields that it reads, so an answer field cannot reach a document: `scoring.gold` is another
reader.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from quaestor.core.caching import BoundedCache
from quaestor.datasets.convfinqa.ids import company_of, is_joined
from quaestor.datasets.convfinqa.page import read_convfinqa_page
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.fields import shown_losses, text_field
from quaestor.datasets.listed import ConversationListing, FileConversations
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.readers.json_records import JsonRecords

_PAGES = 128
"""So many pages are kept once they are read: conversations about one page mostly follow each other."""


def read_records(
    records: JsonRecords, path: str, format: str, limit: int | None, losses: Sequence[str] = ()
) -> Dataset:
    """Return the dataset that the records of a file are; each is read once here, and again as it is asked for.

    Args:
        records: All of the file, in order.
        limit: Read no more than so many of them.
        losses: What the format cannot say, one line each.

    Raises:
        DatasetError: A record is not what it should be, or there is none.
    """
    if not records:
        raise DatasetError(
            f"{path} contains no conversations: expected a list of records or an object with 'dev', 'train' or 'test'"
        )
    pages = BoundedCache[bytes, Document](_PAGES)
    read = partial(_read, records, path, pages)
    listing, warnings = ConversationListing(), list(losses)
    for number in range(len(records)):
        if limit is not None and number >= limit:
            if not records.is_object(number):
                raise _no_object(path, number)
            continue
        conversation = read(number)
        if (first := listing.find(conversation.id)) is not None:
            raise DatasetError(
                f"{path}, record {number}: duplicate id {conversation.id!r}, also used by record {first}"
            )
        if listing.add(conversation):
            warnings += shown_losses(conversation.document)
    conversations = FileConversations(listing.listed, read)
    # Every question of the benchmark asks for a number, or for yes or no.
    return Dataset(path, format, listing.digest, conversations, tuple(warnings), "numbers")


def _read(records: JsonRecords, path: str, pages: BoundedCache[bytes, Document], number: int) -> Conversation:
    record = records[number]
    if not isinstance(record, Mapping):
        raise _no_object(path, number)
    return read_conversation(record, f"{path}, record {number}", pages)


def _no_object(path: str, number: int) -> DatasetError:
    return DatasetError(f"{path}, record {number}: expected an object; is this a ConvFinQA file?")


def read_conversation(
    record: Mapping[str, object], where: str, pages: BoundedCache[bytes, Document] | None = None
) -> Conversation:
    """Return the document and the questions of one record of either format.

    Args:
        record: As the file holds it; no field but id, texts, table and questions is looked at.
        where: The place to name in an error.
        pages: Documents read so far by their content; equal pages become one object, as long as it is kept.

    Raises:
        DatasetError: A field is missing or is not what it should be.
    """
    name = text_field(record.get("id"), f"{where}: 'id'")
    place = f"{where} ({name[:80]})"
    page = record.get("doc", record)
    if not isinstance(page, Mapping) or not page.get("table"):
        raise DatasetError(f"{place}: no table; a ConvFinQA record has a non-empty 'table'")
    document = read_convfinqa_page(record, place, pages)
    holder, key = ("dialogue", "conv_questions") if "doc" in record else ("annotation", "dialogue_break")
    asked = record.get(holder)
    questions = asked.get(key) if isinstance(asked, Mapping) else None
    if not isinstance(questions, list) or not questions:
        raise DatasetError(f"{place}: no questions; expected a list in '{holder}' / '{key}'")
    texts = tuple(text_field(question, f"{place}: a question of '{key}'") for question in questions)
    return Conversation(name, document, texts, joined=is_joined(name), company=company_of(name))
