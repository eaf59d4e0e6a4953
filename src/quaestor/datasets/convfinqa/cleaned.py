"""The cleaned format of ConvFinQA: records by split, `{"dev": [...]}`, a table as columns of named rows."""

from quaestor.datasets.convfinqa.records import read_records
from quaestor.datasets.dataset import Dataset
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent

_SPLITS = ("dev", "train", "test")
_LOSSES = (
    "cleaned format: signs of percentages, rows with equal labels, the scale in the corner cell and leading decimal "
    "points are lost; prefer the original file"
)


class CleanedFormat:
    """An object of splits; each record holds its page under `doc` and its questions under `dialogue`."""

    name = "cleaned"

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is a JSON object with a split of that name."""
        found = content.outline
        return found is not None and found.kind == "object" and any(split in found.parts for split in _SPLITS)

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, all splits one after the other.

        Args:
            limit: Read no more than so many conversations.

        Raises:
            DatasetError: The file or a record is not what it should be.
        """
        if content.outline is None or content.outline.kind != "object":
            raise DatasetError(f"{content.path}: expected an object of splits; is this a ConvFinQA file?")
        splits = [content.outline.parts[split] for split in _SPLITS if split in content.outline.parts]
        return read_records(content.records(splits), str(content.path), self.name, limit, [_LOSSES])
