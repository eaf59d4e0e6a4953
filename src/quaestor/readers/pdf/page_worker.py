"""Process that reads a share of the pages of a long file; its parent is `side_by_side`.

Input: a line of JSON with the pages, the length of the file and the memory limit, followed by the file. Output: the
pages in the format of `pages_as_bytes`. The process inherits the limits of its parent, opens no file or connection, and
exits when its parent does.
"""

import json
import marshal
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from quaestor.readers.pdf.lines import Chunk, TextLine, Word
from quaestor.readers.pdf.pages import Page, PageFailure, Rule, open_pdf


def read_share() -> None:
    """Read the requested pages and write them to standard output."""
    with os.fdopen(os.dup(1), "wb") as reply:
        os.dup2(2, 1)  # keep what a library prints out of the reply
        request = json.loads(sys.stdin.buffer.readline())
        data = sys.stdin.buffer.read(request["length"])
        threading.Thread(target=_end_with_parent, daemon=True).start()
        _limit_memory(request["memory"])
        with open_pdf(Path(), data) as file:
            reply.write(pages_as_bytes(file.pages(request["first"], request["step"])))


def _end_with_parent() -> None:
    while os.read(0, 1):  # the parent keeps the other end open and writes nothing more
        pass
    os._exit(1)


def _limit_memory(most: int | None) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        if most is not None:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


def pages_as_bytes(pages: Iterable[Page | PageFailure]) -> bytes:
    """Serialize pages, so that `pages_of_bytes` restores equal ones."""
    return marshal.dumps([_plain(page) for page in pages])


def pages_of_bytes(written: bytes) -> list[Page | PageFailure]:
    """Return the pages that `pages_as_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `pages_as_bytes`.
    """
    try:
        return [_page(*plain) if len(plain) > 2 else PageFailure(*plain) for plain in marshal.loads(written)]
    except (EOFError, TypeError) as error:
        raise ValueError(f"cannot read the pages: {error}") from error


def _plain(page: Page | PageFailure) -> tuple[Any, ...]:
    if isinstance(page, PageFailure):
        return page.number, page.reason
    lines = [[[tuple(word) for word in chunk.words] for chunk in line.chunks] for line in page.lines]
    rules = [(rule.left, rule.right, rule.y) for rule in page.rules]
    return page.number, lines, rules, page.characters, page.unknown, page.cut


def _page(number: int, lines: list[Any], rules: list[Any], *others: Any) -> Page:
    texts = (TextLine(tuple(Chunk(tuple(map(Word._make, chunk))) for chunk in line)) for line in lines)
    return Page(number, tuple(texts), tuple(Rule(*rule) for rule in rules), *others)


if __name__ == "__main__":
    read_share()
