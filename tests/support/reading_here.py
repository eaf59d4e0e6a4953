"""Files of others, read in this process: for tests of what is done with them, not of who reads them.

A process costs half a second each. That both read the same, and refuse the same in the same words, is held by
`tests/unit/readers/test_limited.py`.
"""

from pathlib import Path

import pytest

from quaestor.application import uploads
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, QuaestorError
from quaestor.readers import apart
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits
from quaestor.readers.reading import read_file, unread_file
from quaestor.readers.written import document_bytes, document_of


async def read_here(data: bytes, name: str, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    """Reads a file as `read_limited` does, without a process and without limits."""
    content = FileContent(Path(name), data)
    try:
        found = read_file(content)
        if found is None:
            raise DatasetError(unread_file(content))
    except QuaestorError as error:
        raise DatasetError(str(error)) from None
    reader, document = found
    return reader, document_of(document_bytes(document))


def without_processes(patch: pytest.MonkeyPatch) -> None:
    """Has uploads and files read in this process."""
    patch.setattr(uploads, "read_limited", read_here)
    patch.setattr(apart, "read_limited", read_here)
