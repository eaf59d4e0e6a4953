"""Which way of reading made a document: what is kept by another one is made again.

Nobody has to count versions: whatever changes in the code that reads, changes the digest of that code.
"""

import hashlib
from functools import lru_cache
from pathlib import Path

from quaestor.readers.registry import DocumentReader, own_readers

_PACKAGES = ("core", "documents", "readers")
"""What a document is read with."""


def version_of(reader: DocumentReader) -> str | None:
    """Return what the documents of a reader depend on besides their files; None if that is not known.

    A reader of another package says it by an attribute `version`; what one makes that does not is not kept.
    """
    said = getattr(reader, "version", None)
    if reader.name in own_readers():
        return f"{reader.name} {said or ''} {code_of_reading()}"
    return f"{reader.name} {said} {code_of_reading()}" if said else None


def code_of_reading() -> str:
    """Return the digest of all code of this package that reads."""
    return digest_of_code(*_PACKAGES)


@lru_cache(maxsize=8)
def digest_of_code(*packages: str) -> str:
    """Return the digest of the code of some packages within this one."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            whole.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
