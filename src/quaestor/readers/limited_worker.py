"""Process that reads one untrusted file; its parent is `limited`.

Input: a line of JSON with the limits and the file's name, followed by the file. Output: a line of JSON, followed by the
document in the format of `serialization`, or by nothing. The process sets its limits before it imports the
readers, opens no file for writing and no connection, and exits if its parent is gone.
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
_CHECK_SECONDS = 1.0
"""Seconds between checks that the parent is alive."""

_LONGEST_TRACE = 8_000


def read_input() -> None:
    """Read the file from standard input and write the reply to standard output."""
    # Output that a library prints must not mix with the reply.
    with os.fdopen(os.dup(1), "wb") as reply:
        os.dup2(2, 1)
        request = json.loads(sys.stdin.buffer.readline())
        _limit(request)
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
        outcome, document = _read(sys.stdin.buffer.read(), request["name"], request["wanted"])
        if len(document) > request["written"]:
            outcome, document = {"limit": "written"}, b""
        reply.write(json.dumps(outcome).encode() + b"\n" + document)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_SECONDS)
    os._exit(1)


def _limit(request: dict[str, float]) -> None:
    with suppress(ImportError):
        import resource

        seconds = math.ceil(request["seconds"])
        for limit, soft, hard in (
            (resource.RLIMIT_AS, request["memory"], request["memory"]),
            (resource.RLIMIT_CPU, seconds, seconds + 1),  # the signal at the soft limit tells a timeout from other ends
            (resource.RLIMIT_FSIZE, request["written"], request["written"]),
            (resource.RLIMIT_NOFILE, _FEW_FILES, _FEW_FILES),
            (resource.RLIMIT_CORE, 0, 0),
        ):
            with suppress(ValueError, OSError):  # the system's own limit is lower, or it has no such limit
                resource.setrlimit(limit, (int(soft), int(hard)))
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(request["seconds"]) + 1)


def _read(data: bytes, name: str, wanted: str) -> tuple[dict[str, str], bytes]:
    """Return the outcome and the serialized document or tags; no bytes if the file cannot be read."""
    from quaestor.errors import QuaestorError
    from quaestor.readers.content import FileContent
    from quaestor.readers.reading import read_file, unread_file, unreadable
    from quaestor.readers.serialization import document_bytes, to_bytes

    content = FileContent(Path(name), data)
    try:
        if wanted == "tags":
            from quaestor.documents.facts import PrintedFact
            from quaestor.readers.html.reader import tagged_numbers

            return {"reader": "html"}, to_bytes(tuple[PrintedFact, ...], tagged_numbers(content))
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
    except Exception as error:  # noqa: BLE001  # e.g. a document of another package's reader that cannot be serialized
        return {"failure": unreadable(content, error), **_trace(error)}, b""


def _trace(error: BaseException) -> dict[str, str]:
    return {"trace": "".join(traceback.format_exception(error))[-_LONGEST_TRACE:]}


if __name__ == "__main__":
    read_input()
