"""Read files in this process, for tests that use documents and do not test how files are read.

Starting a process takes half a second. `tests/unit/readers/test_limited.py` tests that both ways read the same
documents and raise the same errors.
"""

from quaestor.documents.document import Document
from quaestor.documents.facts import PrintedFact
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.html.reader import tagged_numbers
from quaestor.readers.limited import ReadingLimits
from quaestor.readers.reading import read_file, unread_file
from quaestor.readers.serialization import document_bytes, document_of

READERS = (
    "quaestor.readers.reading.read_limited",
    "quaestor.readers.reading.read_limited_async",
    "quaestor.application.document_library.read_limited_async",
    "quaestor.application.read_service.read_limited",
    "quaestor.application.read_service.read_tags_limited",
)
"""Functions that start a process to read a file."""


def read_here(content: FileContent, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    """Read a file as `read_limited` does, without a process and without limits."""
    found = read_file(content)
    if found is None:
        raise DatasetError(unread_file(content))
    reader, document = found
    return reader, document_of(document_bytes(document))


async def read_here_async(content: FileContent, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    """Read a file as `read_limited_async` does, without a process and without limits."""
    return read_here(FileContent(content.path, content.given), limits)


def tags_here(content: FileContent, limits: ReadingLimits | None = None) -> tuple[PrintedFact, ...]:
    """Read tags as `read_tags_limited` does, without a process and without limits."""
    return tagged_numbers(content)
