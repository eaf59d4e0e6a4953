"""Read a file in a process of its own, with limits of memory and time.

Every door reads files this way: a file may be hostile whoever names it, and the libraries that parse PDF, HTML and
archives give no bound themselves. It is a new interpreter and not a fork, because the package is used in programs with
threads, in which a forked process can hang. Starting it costs about 0.4 s of computing, once for each file that is not
in the cache; small text files are read without it (see `reading`).

The process is given the file, its name and none of this one's environment that could hold a secret. What comes back is
the document as `written` writes it, which can hold no code.

Memory and computing are limited by the system on Linux. On macOS the system does not enforce the limit of memory, and
Windows has neither: there only the time by the clock holds, after which the process is ended.
"""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from quaestor.documents.document import Document
from quaestor.documents.facts import PrintedFact
from quaestor.errors import (
    DatasetError,
    DocumentError,
    InputError,
    PluginError,
    QuaestorError,
    ReadingLimitError,
    SettingsError,
)
from quaestor.readers.content import LARGEST, FileContent
from quaestor.readers.written import document_of, printed_of

T = TypeVar("T")

_log = logging.getLogger("quaestor.readers")

_COMMAND = (sys.executable, "-P", "-m", "quaestor.readers.limited_worker")
_HANDED_ON = ("PATH", "VIRTUAL_ENV", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHOME", "TMPDIR")
"""What of the environment an interpreter may need. Keys and passwords are in none of these."""

_ERRORS = {kind.__name__: kind for kind in (InputError, DatasetError, DocumentError, SettingsError, PluginError)}
"""The errors of readers that come back as they were raised; others come back as `DatasetError`."""

_OUT_OF_TIME = frozenset({-getattr(signal, name) for name in ("SIGXCPU", "SIGALRM") if hasattr(signal, name)})


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one file may take.

    Attributes:
        memory: Bytes of address space; the setting `read_memory_mb`.
        seconds: Of computing, and by the clock; the setting `read_seconds`.
        written: Bytes of the document that was read.
    """

    memory: int = 2048 << 20
    seconds: float = 60
    written: int = 64 << 20


DEFAULT_LIMITS = ReadingLimits()
"""Those of the settings' defaults."""


def read_limited(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[str, Document]:
    """Return the name of the reader that takes a file, and its document, whose id is the file's name.

    Raises:
        ReadingLimitError: It takes more memory or time than it may.
        InputError: It is of an unknown kind, or damaged.
        SettingsError: The extra that reads it is not installed.
    """
    reader, written = _run(content, limits, "document")
    return reader, _decode_reply(document_of, written, content)


def read_tags_limited(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that an HTML file prints, in its order.

    Raises:
        ReadingLimitError: It takes more memory or time than it may.
        InputError: It cannot be read.
    """
    return _decode_reply(printed_of, _run(content, limits, "tags")[1], content)


async def read_limited_async(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[str, Document]:
    """Read a file as `read_limited` does; the process ends when the call is cancelled."""
    request = await asyncio.to_thread(_request, content, limits, "document")
    try:
        process = await asyncio.create_subprocess_exec(*_COMMAND, stdin=subprocess.PIPE, **_process_options())
    except OSError as error:
        raise _not_started(content, error) from error
    try:
        reply, _ = await asyncio.wait_for(process.communicate(request), limits.seconds)
    except TimeoutError:
        raise _too_slow(content, limits) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    reader, written = _check_reply(content, limits, process.returncode or 0, reply)
    return reader, await asyncio.to_thread(_decode_reply, document_of, written, content)


def _run(content: FileContent, limits: ReadingLimits, wanted: str) -> tuple[str, bytes]:
    request = _request(content, limits, wanted)
    try:
        ended = subprocess.run(_COMMAND, input=request, timeout=limits.seconds, check=False, **_process_options())
    except subprocess.TimeoutExpired:
        raise _too_slow(content, limits) from None
    except OSError as error:
        raise _not_started(content, error) from error
    return _check_reply(content, limits, ended.returncode, ended.stdout)


def _process_options() -> dict[str, Any]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    # Ctrl-C is for this process to answer.
    return {**pipes, "env": reading_environment(os.environ), "start_new_session": True}


def _request(content: FileContent, limits: ReadingLimits, wanted: str) -> bytes:
    with content.as_it_is() as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DatasetError(
            f"cannot read {content.path}: it is larger than {LARGEST >> 20} MB; cut it into smaller files"
        )
    return json.dumps({"name": str(content.path), "wanted": wanted, **asdict(limits)}).encode() + b"\n" + data


def reading_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return what a process that reads gets of the environment of the one that starts it."""
    environment = {name: own[name] for name in _HANDED_ON if name in own}
    # Readers of other packages are found where this process finds them.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if os.path.isabs(path))
    # Each thread of a library takes memory of its own, and none of them is of use here.
    return {**environment, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _check_reply(content: FileContent, limits: ReadingLimits, ended: int, reply: bytes) -> tuple[str, bytes]:
    """Return the name of the reader and what the process wrote of the file; raise what it says is wrong."""
    line, _, written = reply.partition(b"\n")
    outcome = _first_line(line)
    if (failure := outcome.get("failure")) is not None:
        error = _ERRORS.get(outcome.get("error", ""), DatasetError)(failure)
        if trace := outcome.get("trace"):
            _log.info("cannot read %s: %s", content.path, trace)
            error.add_note(trace)
        raise error
    if outcome.get("limit") == "written":
        most = f"{limits.written >> 20} MB" if limits.written >> 20 else f"{limits.written} bytes"
        raise DatasetError(f"cannot read {content.path}: the document read from it is larger than {most}; split it")
    if outcome.get("limit") == "memory":
        raise _too_large(content, limits)
    if ended in _OUT_OF_TIME:
        raise _too_slow(content, limits)
    if ended or "reader" not in outcome:  # a library that gets no memory may end its process
        raise _too_large(content, limits)
    return outcome["reader"], written


def _decode_reply(read: Callable[[bytes], T], written: bytes, content: FileContent) -> T:
    try:
        return read(written)
    except ValueError as error:
        raise DatasetError(f"cannot read {content.path}: what was read from it is damaged") from error


def _first_line(line: bytes) -> dict[str, str]:
    """Return what the process says of the file; nothing if it was ended before."""
    try:
        outcome = json.loads(line)
    except ValueError:
        return {}
    return {key: value for key, value in outcome.items() if isinstance(value, str)} if isinstance(outcome, dict) else {}


def _too_slow(content: FileContent, limits: ReadingLimits) -> QuaestorError:
    return ReadingLimitError(str(content.path), "read_seconds", f"{limits.seconds:g} seconds")


def _too_large(content: FileContent, limits: ReadingLimits) -> QuaestorError:
    return ReadingLimitError(str(content.path), "read_memory_mb", f"{limits.memory >> 20} MB of memory")


def _not_started(content: FileContent, error: OSError) -> QuaestorError:
    why = error.strerror or type(error).__name__
    return DatasetError(f"cannot read {content.path}: the process that reads files cannot be started ({why})")
