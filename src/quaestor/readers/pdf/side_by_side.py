"""Pages of a PDF file; those of a long file are read by several processes in parallel.

Each process reads every n-th page. The pages of a process that fails or is killed are read in this process, so the
result is the same as with one process.
"""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from quaestor.processors import usable_processors
from quaestor.readers.limited import reading_environment
from quaestor.readers.pdf.page_worker import pages_of_bytes
from quaestor.readers.pdf.pages import (
    CHARACTERS_AT_MOST,
    PAGES_AT_MOST,
    Page,
    PageFailure,
    PdfFile,
    UnreadPages,
    open_pdf,
)

_log = logging.getLogger("quaestor.readers")

_PAGES_OF_ONE = 12
"""Number of pages that take longer to read than a process takes to start."""
_PROCESSES_AT_MOST = 4
_MEMORY_OF_ONE = 256 << 20
"""Address space in bytes for each worker process, taken from the limit of this process."""
_COMMAND = (sys.executable, "-P", "-m", "quaestor.readers.pdf.page_worker")

_Share = list[Page | PageFailure]


def pages_of(path: Path, data: bytes, processes: int | None = None) -> Iterator[Page | PageFailure | UnreadPages]:
    """Yield the pages of a file in order, and last the pages left out if the file is too large.

    Args:
        processes: Number of processes; None to choose it by the length of the file and the available processors.

    Raises:
        DatasetError: The file cannot be opened: it needs a password, or is damaged.
    """
    with open_pdf(path, data) as file:
        count = _process_count(file.page_count) if processes is None else processes
        if count < 2:
            yield from _in_order(file.page_count, [file.pages()])
        else:
            yield from _in_order(file.page_count, [iter(share) for share in _read_shares(file, data, count)])


def _in_order(pages: int, shares: list[Iterator[Page | PageFailure]]) -> Iterator[Page | PageFailure | UnreadPages]:
    characters = 0
    for index in range(pages):
        if index >= PAGES_AT_MOST or characters > CHARACTERS_AT_MOST:
            yield UnreadPages(index + 1, pages)
            return
        page = next(shares[index % len(shares)])
        characters += page.characters if isinstance(page, Page) else 0
        yield page


def _process_count(pages: int) -> int:
    memory = _memory_limits()
    most = _PROCESSES_AT_MOST if memory is None else min(_PROCESSES_AT_MOST, memory[0] // (2 * _MEMORY_OF_ONE))
    return min(pages // _PAGES_OF_ONE, usable_processors(), most)


def _read_shares(file: PdfFile, data: bytes, count: int) -> list[_Share]:
    """Return the pages that each of several processes reads, the first of which is this one."""
    limits = {"step": count, "length": len(data), "memory": _MEMORY_OF_ONE if _memory_limits() else None}
    try:
        with _reserve_memory((count - 1) * _MEMORY_OF_ONE), ExitStack() as started:
            workers = [started.enter_context(_worker()) for _ in range(1, count)]
            for first, worker in enumerate(workers, start=1):
                _ask(worker, json.dumps({"first": first, **limits}).encode() + b"\n" + data)
            own = list(file.pages(0, count))
            brought = [_read_pages(worker) for worker in workers]
    except (OSError, MemoryError):  # no process can be started, or the remaining memory is too little
        return [list(file.pages())]
    return [own, *(share or list(file.pages(first, count)) for first, share in enumerate(brought, start=1))]


@contextmanager
def _worker() -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker process, which is killed at the end of the block."""
    pipe, environment = subprocess.PIPE, reading_environment(os.environ)
    with subprocess.Popen(_COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment) as worker:
        try:
            yield worker
        finally:
            worker.kill()


def _ask(worker: subprocess.Popen[bytes], request: bytes) -> None:
    assert worker.stdin is not None
    with suppress(BrokenPipeError):  # the worker has exited and returns nothing
        worker.stdin.write(request)
        worker.stdin.flush()


def _read_pages(worker: subprocess.Popen[bytes]) -> _Share:
    """Wait for a worker and return its pages; empty if it failed."""
    assert worker.stdout is not None
    written = worker.stdout.read()
    if (ended := worker.wait()) == 0:
        with suppress(ValueError):
            return pages_of_bytes(written)
    _log.info("a process that reads pages ended with %s; its pages are read again", ended)
    return []


@contextmanager
def _reserve_memory(less: int) -> Iterator[None]:
    """Lower the memory limit of this process by what the workers may use."""
    limits = _memory_limits()
    if limits is None:
        yield
        return
    import resource

    most, hard = limits
    resource.setrlimit(resource.RLIMIT_AS, (most - less, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _memory_limits() -> tuple[int, int] | None:
    """Return the soft and hard limit of address space; None if it is unlimited."""
    with suppress(ImportError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        return None if soft == resource.RLIM_INFINITY else (soft, hard)
    return None
