"""The cluster that work is spread over: one of this machine that is started for it, or one that is there.

One that exists is joined as it is, and left as it was.
"""

import asyncio
import json
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.cluster import local_ray
from quaestor.errors import EngineError, InputError
from quaestor.extras import require_extra

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else what `uv run` started would be packed and sent to every worker
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_LOGGER_LEVEL": "critical",
}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Of a Ray for one machine: it listens on 127.0.0.1 and nowhere else, on Linux too."""

_START_SECONDS = 120.0
_ANSWER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """What work is spread over."""

    cpus: int
    here: str


@asynccontextmanager
async def joined_cluster(cpus: int, address: str | None = None) -> AsyncIterator[Cluster]:
    """Give a cluster: that at an address, or one of this machine that ends with the block.

    If this program has joined one itself, with `ray.init`, that one is used.

    Args:
        address: `HOST:PORT` of a cluster that this machine is a part of, or `auto`, the one that runs here.
    """
    require_extra("ray", "the engine 'ray'")
    if address is not None:
        await asyncio.to_thread(_require_answer, address)
    with _environment(_QUIET):
        import ray

        if ray.is_initialized() and address is None:
            yield _cluster()
            return
        if address is not None:
            with _connect(address):
                yield _cluster()
            return
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        with _environment(token | _LOOPBACK), _fresh_secrets(), _loopback():
            async with _local(cpus) as started:
                with _connect(started):
                    yield _cluster()


def _cluster() -> Cluster:
    import ray

    cpus = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
    return Cluster(cpus, ray.get_runtime_context().get_node_id())


def _require_answer(address: str) -> None:
    """Make sure that somebody is there: Ray itself would wait for many minutes."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if "//" in address or not colon or not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise InputError(f"invalid Ray cluster address {address!r}: use HOST:PORT, as printed by `ray start`, or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise EngineError(f"cannot connect to the Ray cluster at {address}: {error.strerror or error}") from error


@contextmanager
def _connect(address: str) -> Iterator[None]:
    import ray

    with _preserve_signals():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, configure_logging=False)
        except Exception as error:  # Ray has no one class for it: ConnectionError, RuntimeError, ValueError, its own
            raise EngineError(f"cannot join the Ray cluster at {address}: {_first_line(error)}") from error
    try:
        with _silence_ray():
            yield
    finally:
        ray.shutdown()


@contextmanager
def _silence_ray() -> Iterator[None]:
    """Keep off standard output what Ray prints of a machine that is lost: what matters of it is raised, or mended."""
    from ray._private import worker

    # It prints pages of its log there, whatever `log_to_driver` is.
    before = worker.print_to_stdstream
    worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        worker.print_to_stdstream = before


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().partition("\n")[0]


def _preserve_signals() -> AbstractContextManager[None]:
    """Keep what this program does on signals: Ray puts handlers of its own in their place."""
    return _restore_handlers() if threading.current_thread() is threading.main_thread() else nullcontext()


@contextmanager
def _restore_handlers() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables that nobody has set, for as long as the block lasts."""
    ours = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


@contextmanager
def _fresh_secrets() -> Iterator[None]:
    """Make Ray read its secret again, before and after: every cluster of this machine has its own."""
    _forget_secret()
    try:
        yield
    finally:
        _forget_secret()


def _forget_secret() -> None:
    from ray import _raylet

    compiled: Any = _raylet
    if hasattr(compiled, "AuthenticationTokenLoader"):  # older ones know no secrets
        compiled.Config.initialize("")
        compiled.AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def _loopback() -> Iterator[None]:
    """Have Ray use 127.0.0.1 literally, and not as another address of this machine."""
    from ray._private import ray_constants

    # Read from the environment when Ray was loaded, which may have been long ago.
    before, ray_constants.ENABLE_RAY_CLUSTER = ray_constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


@asynccontextmanager
async def _local(cpus: int) -> AsyncIterator[str]:
    """Give the address of a Ray of this machine, which ends with the block or with this process."""
    # Short, for the path of a socket may have 107 characters.
    folder = tempfile.mkdtemp(prefix="quaestor-ray-", dir="/tmp" if Path("/tmp").is_dir() else None)
    command = [sys.executable, "-P", str(Path(local_ray.__file__)), str(cpus), folder]
    # In a session of its own: Ctrl-C in a terminal is for this program, which then ends the other.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Workers find what this program finds, as they do if they are spawned.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        try:
            line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), _START_SECONDS)
        except TimeoutError as error:
            raise EngineError(f"Ray did not start within {_START_SECONDS:.0f} seconds") from error
        reply = json.loads(line) if line else {"error": "its process exited"}
        if "address" not in reply:
            raise EngineError(f"Ray did not start: {_first_line(RuntimeError(reply.get('error', line)))}")
        yield reply["address"]
    finally:
        process.stdin.close()
        # It kills what it has started and goes; nothing here waits for long on a machine that is busy.
        await asyncio.shield(asyncio.to_thread(_end_process, process))
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)


def _end_process(process: "subprocess.Popen[str]") -> None:
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
