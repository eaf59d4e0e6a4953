"""Pages for tests: a grid and some sentences become a document."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.sample import sample_path


def page(
    grid: Sequence[Sequence[str]],
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    name: str = "TEST/2010/page_1.pdf",
) -> Document:
    """Return a document with one table and the sentences before and after it."""
    table = [list(row) for row in grid] or None
    record = {"id": name, "table": table, "pre_text": list(before), "post_text": list(after)}
    return read_convfinqa_page(record, "a test")


@lru_cache(maxsize=1)
def sample_pages() -> tuple[Document, ...]:
    """Return the pages of the bundled sample without duplicates."""
    return public_pages(sample_path())


@lru_cache(maxsize=8)
def public_pages(path: Path) -> tuple[Document, ...]:
    """Return the pages of a file without duplicates."""
    return tuple({c.document.id: c.document for c in read_dataset(path).conversations}.values())
