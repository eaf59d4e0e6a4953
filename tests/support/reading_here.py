"""Read files in this process: for tests of what is done with documents, not of who reads them.

A process costs half a second each. `tests/unit/readers/test_limited.py` holds that both read the same and refuse the
same.
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
    "quaestor.application.uploads.read_limited_async",
    "quaestor.application.read_service.read_limited",
    "quaestor.application.read_service.read_tags_limited",
)
"""Where processes are started that read files."""


def read_here(content: FileContent, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    """Read a file as `read_limited` does, without a process and without limits."""
    found = read_file(content)
    if found is None:
        raise DatasetError(unread_file(content))
    reader, document = found
    return reader, document_of(document_bytes(document))


async def read_here_async(content: FileContent, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    """Read a file as `read_limited_async` does, likewise."""
    return read_here(FileContent(content.path, content.given), limits)


def tags_here(content: FileContent, limits: ReadingLimits | None = None) -> tuple[PrintedFact, ...]:
    """Read tags as `read_tags_limited` does, likewise."""
    return tagged_numbers(content)
