"""The process that reads one file of which nobody knows what is in it; `limited` is its parent.

Its input is a line of JSON, which says the limits and what the file is called, and then the file. Its output is a line
of JSON, and then the document as `written` writes it, or nothing. It takes on its limits before it loads what reads; it
opens no file to write and no connection, and it ends by itself if nobody ends it.
"""

import json
import math
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

_FEW_FILES = 64
_LOOKS = 1.0
"""Seconds between two looks for the parent."""


def read_input() -> None:
    """Reads the file that comes in, and says what it found."""
    # What a library prints is no part of the reply.
    with os.fdopen(os.dup(1), "wb") as reply:
        os.dup2(2, 1)
        asked = json.loads(sys.stdin.buffer.readline())
        _limit(asked)
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
        said, document = _read(sys.stdin.buffer.read(), asked["name"])
        try:
            reply.write(json.dumps(said).encode() + b"\n" + document)
            reply.flush()
        except OSError:  # what was read is larger than may be written
            os._exit(1)


def _end_with_parent(parent: int) -> None:
    """Ends this process soon after nobody waits for it any more: its parent was killed."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)


def _limit(asked: dict[str, float]) -> None:
    with suppress(ImportError):
        import resource

        seconds = math.ceil(asked["cpu_seconds"])
        for limit, most in (
            (resource.RLIMIT_AS, asked["memory"]),
            (resource.RLIMIT_CPU, seconds),
            (resource.RLIMIT_FSIZE, asked["written"]),
            (resource.RLIMIT_NOFILE, _FEW_FILES),
            (resource.RLIMIT_CORE, 0),
        ):
            with suppress(ValueError, OSError):  # the system's own limit is lower, or it has none
                resource.setrlimit(limit, (int(most), int(most)))
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(asked["seconds"]) + 1)


def _read(data: bytes, name: str) -> tuple[dict[str, str], bytes]:
    """Returns what is said of the file, and its document; no bytes where it cannot be read."""
    from quaestor.errors import QuaestorError
    from quaestor.readers.content import FileContent
    from quaestor.readers.reading import read_file, unread_file
    from quaestor.readers.written import document_bytes

    try:
        # The reading knows a name and no folder: none can come to stand in a document or a message.
        content = FileContent(Path(name), data)
        found = read_file(content)
        if found is None:
            return {"failure": unread_file(content)}, b""
        reader, document = found
        return {"reader": reader}, document_bytes(document)
    except QuaestorError as error:
        return {"failure": str(error)}, b""
    except MemoryError:
        return {"broke": "memory"}, b""
    except Exception as error:  # noqa: BLE001  # whatever a damaged file does to a library
        return {"broke": type(error).__name__}, b""


if __name__ == "__main__":
    read_input()
