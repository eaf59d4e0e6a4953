"""The original format of ConvFinQA: a list of records."""

from quaestor.datasets.convfinqa.records import read_records
from quaestor.datasets.dataset import Dataset
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent


class OriginalFormat:
    """A list of records, each with its page's fields beside its questions."""

    name = "original"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON list: what its records lack is said when they are read."""
        return content.outline is not None and content.outline.kind == "list"

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file.

        Args:
            limit: Read no more than so many conversations.

        Raises:
            DatasetError: The file or a record is not what it should be.
        """
        if content.outline is None or content.outline.kind != "list":
            raise DatasetError(f"{content.path}: expected a list of records; is this a ConvFinQA file?")
        return read_records(content.records(content.outline.parts.values()), str(content.path), self.name, limit)
