"""The formats that a dataset can have, and which of them a file is in."""

from pathlib import Path
from typing import Protocol

from quaestor.datasets.content import FileContent, read_content
from quaestor.datasets.convfinqa.cleaned import CleanedFormat
from quaestor.datasets.convfinqa.original import OriginalFormat
from quaestor.datasets.dataset import Dataset
from quaestor.errors import DatasetError


class DatasetFormat(Protocol):
    """How the conversations of one kind of file are read."""

    @property
    def name(self) -> str:
        """What `Dataset.format` says; no other format's."""

    def recognises(self, content: FileContent) -> bool:
        """Returns whether a file is in this format, by what it holds and not by its name. Raises nothing."""

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Returns the documents and questions of a file, never an answer.

        Args:
            content: A file that `recognises` takes.
            limit: Read no more than so many conversations.

        Raises:
            DatasetError: The file or a record is not what it should be; the message says which and what to do.
        """


_FORMATS: dict[str, DatasetFormat] = {}


def register_format(format: DatasetFormat) -> None:
    """Makes a format known. Those registered last are asked first whether a file is theirs.

    Raises:
        DatasetError: Another format has its name.
    """
    if _FORMATS.setdefault(format.name, format) is not format:
        raise DatasetError(f"there is a dataset format {format.name!r} already: give this one another name")


def dataset_formats() -> tuple[DatasetFormat, ...]:
    """Returns the formats that are known, in the order in which they are asked."""
    return tuple(reversed(_FORMATS.values()))


def read_dataset(path: str | Path, limit: int | None = None) -> Dataset:
    """Returns the documents and questions of a file, in the format that recognises it.

    Args:
        path: The file.
        limit: Read no more than so many conversations.

    Raises:
        DatasetError: The file or a record is not what it should be; the message says which and what to do.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"cannot read {limit} conversations: the limit must be 1 or more")
    content = read_content(Path(path))
    for format in dataset_formats():
        if format.recognises(content):
            return format.read(content, limit)
    names = ", ".join(sorted(_FORMATS))
    wanted = "a list of records or an object with 'dev', 'train' or 'test' is expected"
    if not content.is_json:
        # Says where the JSON ends, which no format but one that is no JSON at all could know better.
        _ = content.json
    raise DatasetError(f"{path} holds no conversations: {wanted}; the formats known are {names}")


# A list of records is all that the original format asks for, so every other format is asked before it.
register_format(OriginalFormat())
register_format(CleanedFormat())
