"""The process that reads one file of unknown content; `limited` is its parent.

Its input is a line of JSON with the limits and the file's name, and then the file. Its output is a line of JSON, and
then the document as `written` writes it, or nothing. It takes on its limits before it loads the readers; it opens no
file to write and no connection, and it ends by itself if its parent is gone.
"""

import json
import math
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path

_FEW_FILES = 64
_LOOKS = 1.0
"""Seconds between two looks for the parent."""

_LONGEST_TRACE = 8_000


def read_input() -> None:
    """Read the file that comes in, and write what was found."""
    # What a library prints is not part of the reply.
    with os.fdopen(os.dup(1), "wb") as reply:
        os.dup2(2, 1)
        asked = json.loads(sys.stdin.buffer.readline())
        _limit(asked)
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
        outcome, document = _read(sys.stdin.buffer.read(), asked["name"], asked["wanted"])
        if len(document) > asked["written"]:
            outcome, document = {"limit": "written"}, b""
        reply.write(json.dumps(outcome).encode() + b"\n" + document)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)


def _limit(asked: dict[str, float]) -> None:
    with suppress(ImportError):
        import resource

        seconds = math.ceil(asked["seconds"])
        for limit, soft, hard in (
            (resource.RLIMIT_AS, asked["memory"], asked["memory"]),
            (resource.RLIMIT_CPU, seconds, seconds + 1),  # the soft one says by its signal that it was the time
            (resource.RLIMIT_FSIZE, asked["written"], asked["written"]),
            (resource.RLIMIT_NOFILE, _FEW_FILES, _FEW_FILES),
            (resource.RLIMIT_CORE, 0, 0),
        ):
            with suppress(ValueError, OSError):  # the system's own limit is lower, or it has none
                resource.setrlimit(limit, (int(soft), int(hard)))
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(asked["seconds"]) + 1)


def _read(data: bytes, name: str, wanted: str) -> tuple[dict[str, str], bytes]:
    """Return what to say of the file, and its document or tags; no bytes if it cannot be read."""
    from quaestor.errors import QuaestorError
    from quaestor.readers.content import FileContent
    from quaestor.readers.reading import read_file, unread_file, unreadable
    from quaestor.readers.written import document_bytes, printed_bytes

    content = FileContent(Path(name), data)
    try:
        if wanted == "tags":
            from quaestor.readers.html.reader import tagged_numbers

            return {"reader": "html"}, printed_bytes(tagged_numbers(content))
        found = read_file(content)
        if found is None:
            return {"failure": unread_file(content)}, b""
        reader, document = found
        return {"reader": reader}, document_bytes(document)
    except QuaestorError as error:
        trace = _trace(error) if error.__cause__ is not None else {}
        return {"failure": str(error), "error": type(error).__name__, **trace}, b""
    except MemoryError:
        return {"limit": "memory"}, b""
    except Exception as error:  # noqa: BLE001  # such as a document of another package that cannot be written
        return {"failure": unreadable(content, error), **_trace(error)}, b""


def _trace(error: BaseException) -> dict[str, str]:
    return {"trace": "".join(traceback.format_exception(error))[-_LONGEST_TRACE:]}


if __name__ == "__main__":
    read_input()
