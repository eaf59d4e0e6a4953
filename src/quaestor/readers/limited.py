"""A file from somebody else, read in a process of its own with limits of memory and time.

Owns the process. It is given the file and the name, and none of this one's environment; what comes back is the document
as `written` writes it, which can hold no code.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import BinaryIO

from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.readers.written import document_of

_WORKER = "quaestor.readers.limited_worker"
_HANDED_ON = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
"""What of the environment an interpreter may need. Keys and passwords are in none of these."""

_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one file may take.

    Attributes:
        memory: Bytes of address space.
        cpu_seconds: Of computing.
        seconds: By the clock.
        written: Bytes of the document that was read.
    """

    memory: int = 3 << 30
    cpu_seconds: float = 180
    seconds: float = 180
    written: int = 256 << 20


async def read_limited(data: bytes, name: str, limits: ReadingLimits = ReadingLimits()) -> tuple[str, Document]:
    """Returns the name of the reader that takes a file, and its document; its id is the name that was given.

    Args:
        data: The file.
        name: What it is called: not looked for anywhere.
        limits: What the reading may take.

    Raises:
        DatasetError: It is of no kind that is known, or damaged, or takes more than it may; the message says which.
    """
    with tempfile.TemporaryFile() as reply:
        ended = await _run(data, name, limits, reply)
        reply.seek(0)
        said = _first_line(reply)
        if ended is None:
            raise DatasetError(f"cannot read {name}: it took more than {limits.seconds:g} seconds; ask a part of it")
        if (failure := said.get("failure")) is not None:
            raise DatasetError(failure)
        if ended or "reader" not in said:
            raise DatasetError(f"cannot read {name}: {_what_broke(said.get('broke'), limits)}")
        try:
            return said["reader"], await asyncio.to_thread(document_of, reply.read())
        except ValueError:
            raise DatasetError(f"cannot read {name}: what was read of it is damaged") from None


async def _run(data: bytes, name: str, limits: ReadingLimits, reply: BinaryIO) -> int | None:
    """Returns how the process ended; None where its time was over."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _WORKER),
        stdin=asyncio.subprocess.PIPE,
        stdout=reply,
        stderr=asyncio.subprocess.DEVNULL,
        env=_environment(os.environ),
        start_new_session=True,  # Ctrl-C is for this process to answer
    )
    asked = json.dumps({"name": name, **asdict(limits)}).encode() + b"\n"
    try:
        await asyncio.wait_for(process.communicate(asked + data), limits.seconds)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    kept = {name: own[name] for name in _HANDED_ON if name in own}
    # Each thread of a library takes memory of its own, and none of them is of use here.
    return {**kept, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _first_line(reply: BinaryIO) -> dict[str, str]:
    """Returns what the process said; nothing where it came to no word."""
    try:
        said = json.loads(reply.readline(_LONGEST_LINE))
    except ValueError:
        return {}
    return {key: value for key, value in said.items() if isinstance(value, str)} if isinstance(said, dict) else {}


def _what_broke(broke: str | None, limits: ReadingLimits) -> str:
    if broke == "memory":
        return f"it takes more than {limits.memory >> 20} MB of memory; ask a part of it"
    if broke is not None:
        return f"it is damaged, or written in a way that is not known ({broke}); get it again"
    return "it takes more memory or time than a file may; ask a part of it"
