"""The format of DocFinQA: a list of records, each with a question and the whole text of the filing that it is about.

Source: Reddy et al., "DocFinQA: A Long-Context Financial Reasoning Dataset" (2024).
"""

from collections.abc import Mapping

from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.fields import text_field
from quaestor.datasets.filings.folder import DocumentFolder
from quaestor.datasets.listed import ConversationListing, FileConversations
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent

_FIELDS = ("Context", "Question")


class DocFinqaFormat:
    """A list of records with `Context` and `Question`; each is a conversation of one question, named by its place."""

    name = "docfinqa"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list whose first record has a context and a question."""
        found = content.outline
        if found is None or found.kind != "list":
            return False
        first = next(iter(content.records(found.parts.values())), None)
        return isinstance(first, Mapping) and first.keys() >= {*_FIELDS}

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file.

        Args:
            limit: Read no more than so many records.

        Raises:
            DatasetError: A record is not what it should be.
        """
        return self.read_about(content, DocumentFolder(content.path.parent), limit)

    def read_about(self, content: FileContent, folder: DocumentFolder, limit: int | None = None) -> Dataset:
        """Return the same; of the folder only its cache and limits are used, for the file has its documents.

        Args:
            limit: Read no more than so many records.

        Raises:
            DatasetError: A record is not what it should be.
        """
        if content.outline is None:
            raise DatasetError(f"{content.path}: expected a list of records; is this a DocFinQA file?")
        records = content.records(content.outline.parts.values())

        def read(place: int) -> Conversation:
            where, record = f"{content.path}, record {place}", records[place]
            if not isinstance(record, Mapping):
                raise DatasetError(f"{where}: expected an object; is this a DocFinQA file?")
            context, question = (
                text_field(record.get(name), f"{where}: {name!r}", benchmark="DocFinQA") for name in _FIELDS
            )
            document = folder.text(context)
            return Conversation(f"docfinqa-{place}", document, (question,), company=document.id)

        listing = ConversationListing()
        for place in range(len(records))[:limit]:
            listing.add(read(place))
        conversations, beside = FileConversations(listing.listed, read), str(folder.path.absolute())
        return Dataset(str(content.path), self.name, listing.digest, conversations, folder=beside)
