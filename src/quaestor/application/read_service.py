"""Reads files, several at once, and compares tagged numbers with how they were read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.file_cache import reading_limits
from quaestor.application.run_service import spread
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import LARGEST, FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits, read_limited, read_tags_limited
from quaestor.readers.reading import document_key
from quaestor.readers.registry import find_reader
from quaestor.scoring.tag_check import FIGURES, TagCheck, check_tags
from quaestor.settings import Settings


async def read_several(
    files: Sequence[Path],
    settings: Settings,
    cache: ByteCache | None,
    show: Callable[[Path, Document | QuaestorError], None],
) -> None:
    """Read files, and show each document or error in the order of the files; only this process opens them."""
    results: dict[int, Document | QuaestorError] = {}
    limits = reading_limits(settings)
    shown = 0

    def show_in_order() -> None:
        nonlocal shown
        while shown in results:
            show(files[shown], results.pop(shown))
            shown += 1

    def waiting() -> Iterator[_FileJob]:
        for number, file in enumerate(files):
            try:
                content = read_content(file)
                key = document_key(content) if cache is not None else None
                if cache is None or key is None or cache.get(key) is None:
                    with content.open_raw() as opened:  # one byte too many is enough to reject a file as too large
                        yield number, str(file), opened.read(LARGEST + 1)
                    continue
                results[number] = read_document(content, cache, limits)
            except QuaestorError as error:
                results[number] = error
            show_in_order()

    async def take(job: "_FileJob", file: "_ReadFile") -> None:
        results[job[0]], written = file
        if cache is not None:
            for key, data in written.items():
                cache.put(key, data)
        show_in_order()

    await spread(_FileReader(limits), waiting(), take, settings)
    show_in_order()


_FileJob = tuple[int, str, bytes]
"""The index of a file, its path as given, and its bytes."""

_ReadFile = tuple[Document | QuaestorError, dict[str, bytes]]
"""The document of a file or the error, and its new cache entries."""


class _MemoryCache:
    """Empty `ByteCache` that collects new entries, for the process that has the real cache."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, data: bytes) -> None:
        self.written[key] = data


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads files in any process. A `Work`."""

    limits: ReadingLimits

    async def __call__(self, job: _FileJob, /, *_shared: object) -> _ReadFile:
        _, path, data = job
        cache_entries = _MemoryCache()
        try:
            return read_document(FileContent(Path(path), data), cache_entries, self.limits), cache_entries.written
        except QuaestorError as error:
            return error, {}


def check_filing(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> TagCheck | None:
    """Compare the tagged numbers of a filing with how they were read; None if it is not HTML, or has no tags."""
    reader = None if content.looks_like_json else find_reader(content)
    if reader is None or reader.name != "html":
        return None
    printed = read_tags_limited(content, limits)
    return check_tags(read_limited(content, limits)[1], printed) if printed else None


def filing_check_object(check: TagCheck) -> dict[str, object]:
    """Return a check as JSON: the counts over all tagged numbers, in tables and in text, and the differences."""
    return {
        **_figures(check.all),
        "tables": _figures(check.tables),
        "text": _figures(check.text),
        "different": [
            {
                "place": found.place,
                "concept": found.concept,
                "printed": found.printed,
                "read": found.read,
                "tagged": found.tagged,
                "which": list(found.wrong),
                "in": "tables" if found.in_table else "text",
            }
            for found in check.different
        ],
    }


def _figures(counts: Mapping[str, int]) -> dict[str, object]:
    return {name: counts[name] for name in FIGURES}
