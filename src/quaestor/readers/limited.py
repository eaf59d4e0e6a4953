"""Read a file in a separate process with limits on memory and time.

Every entry point reads files this way: a file may be hostile, and the libraries that parse PDF, HTML and archives set
no limits themselves. The process is a new interpreter rather than a fork, because the package is used in programs with
threads, in which a forked process can hang. Starting it takes about 0.4 s of CPU time, once for each file that is not
in the cache; small text files are read without it (see `reading`).

The process gets the file, its name and no environment variable that could contain a secret. It returns the document in
the format of `serialization`, which cannot contain code.

On Linux the system limits memory and CPU time. macOS does not enforce the memory limit, and Windows supports neither:
there only the wall-clock time is limited, after which the process is killed.
"""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
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
from quaestor.readers.serialization import from_bytes

T = TypeVar("T")

_log = logging.getLogger("quaestor.readers")

_COMMAND = (sys.executable, "-P", "-m", "quaestor.readers.limited_worker")
_PASSED_ON = ("PATH", "VIRTUAL_ENV", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHOME", "TMPDIR")
"""Environment variables that an interpreter may need. None of them contains a key or password."""

_ERRORS = {kind.__name__: kind for kind in (InputError, DatasetError, DocumentError, SettingsError, PluginError)}
"""Errors of readers that are raised again as the same class; all others become `DatasetError`."""

_OUT_OF_TIME = frozenset({-getattr(signal, name) for name in ("SIGXCPU", "SIGALRM") if hasattr(signal, name)})


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for reading one file.

    Attributes:
        memory: Address space in bytes; the setting `read_memory_mb`.
        seconds: CPU time, and also wall-clock time; the setting `read_seconds`.
        written: Size of the serialized, compressed document in bytes.
    """

    memory: int = 2048 << 20
    seconds: float = 60
    written: int = 64 << 20


DEFAULT_LIMITS = ReadingLimits()
"""The limits that the settings have by default."""


def read_limited(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[str, Document]:
    """Return the name of the reader that recognises a file, and the document, whose id is the file's name.

    Raises:
        ReadingLimitError: Reading exceeds the limit of memory or time.
        InputError: The file is damaged or of an unknown format.
        SettingsError: The extra that this format needs is not installed.
    """
    return _run(content, limits, "document", Document)


def read_tags_limited(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[PrintedFact, ...]:
    """Return the tagged numbers that an HTML file displays, in document order.

    Raises:
        ReadingLimitError: Reading exceeds the limit of memory or time.
        InputError: The file cannot be read.
    """
    return _run(content, limits, "tags", tuple[PrintedFact, ...])[1]


async def read_limited_async(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> tuple[str, Document]:
    """Read a file as `read_limited` does; kill the process if the call is cancelled."""
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
    return await asyncio.to_thread(_read_reply, content, limits, process.returncode or 0, reply, Document)


def _run(content: FileContent, limits: ReadingLimits, wanted: str, kind: type[T]) -> tuple[str, T]:
    request = _request(content, limits, wanted)
    try:
        ended = subprocess.run(_COMMAND, input=request, timeout=limits.seconds, check=False, **_process_options())
    except subprocess.TimeoutExpired:
        raise _too_slow(content, limits) from None
    except OSError as error:
        raise _not_started(content, error) from error
    return _read_reply(content, limits, ended.returncode, ended.stdout, kind)


def _process_options() -> dict[str, Any]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    # Ctrl-C is handled by this process only.
    return {**pipes, "env": reading_environment(os.environ), "start_new_session": True}


def _request(content: FileContent, limits: ReadingLimits, wanted: str) -> bytes:
    with content.open_raw() as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DatasetError(
            f"cannot read {content.path}: it is larger than {LARGEST >> 20} MB; cut it into smaller files"
        )
    return json.dumps({"name": str(content.path), "wanted": wanted, **asdict(limits)}).encode() + b"\n" + data


def reading_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables of this process that the reading process gets."""
    environment = {name: own[name] for name in _PASSED_ON if name in own}
    # The reading process finds readers of other packages on the same path as this one.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if os.path.isabs(path))
    # Each thread of a library takes memory, and reading uses only one.
    return {**environment, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _read_reply(content: FileContent, limits: ReadingLimits, ended: int, reply: bytes, kind: type[T]) -> tuple[str, T]:
    """Return the name of the reader and what it read; raise the error that the process reports."""
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
    if ended or "reader" not in outcome:  # a library may abort its process when an allocation fails
        raise _too_large(content, limits)
    try:
        return outcome["reader"], from_bytes(kind, written)
    except ValueError as error:
        raise DatasetError(f"cannot read {content.path}: what was read from it is damaged") from error


def _first_line(line: bytes) -> dict[str, str]:
    """Return the outcome that the process reports; an empty dict if it was killed before."""
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
