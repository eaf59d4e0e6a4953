"""Connects to a Ray cluster: an existing one, or a local one started for the occasion.

An existing cluster is used unchanged and never shut down.
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
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.cluster import local_ray
from quaestor.errors import EngineError, InputError
from quaestor.extras import require_extra

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # otherwise Ray packs the environment of `uv run` for every worker
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_LOGGER_LEVEL": "critical",
}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Makes a local Ray listen on 127.0.0.1 only, on Linux too."""

_START_SECONDS = 120.0
_ANSWER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """What work is spread over."""

    cpus: int
    here: str


@asynccontextmanager
async def joined_cluster(cpus: int, address: str | None = None) -> AsyncIterator[Cluster]:
    """Connect to the cluster at an address, or start a local one that ends with the block.

    A cluster that this program has already joined with `ray.init` is reused.

    Args:
        address: `HOST:PORT` of a cluster that this machine is a part of, or `auto`, the one that runs here.
    """
    require_extra("ray", "the engine 'ray'")
    if address is not None:
        await asyncio.to_thread(_require_answer, address)
    with _environment(_QUIET):
        import ray
        from ray._private import ray_constants

        if ray.is_initialized() and address is None:
            yield _cluster()
            return
        if address is not None:
            with _connect(address):
                yield _cluster()
            return
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        # Ray replaces 127.0.0.1 by another address of this machine unless this is False; it read the variable of the
        # environment when it was imported, possibly long ago.
        only_here = _replace(ray_constants, "ENABLE_RAY_CLUSTER", value=False)
        with _environment(token | _LOOPBACK), _fresh_secrets(), only_here:
            async with _local(cpus) as started:
                with _connect(started):
                    yield _cluster()


def _cluster() -> Cluster:
    import ray

    cpus = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
    return Cluster(cpus, ray.get_runtime_context().get_node_id())


def _require_answer(address: str) -> None:
    """Check that something listens at the address, because Ray would wait for many minutes."""
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
    from ray._private import worker

    with _preserve_signals():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, configure_logging=False)
        except Exception as error:  # Ray raises ConnectionError, RuntimeError, ValueError and its own classes
            raise EngineError(f"cannot join the Ray cluster at {address}: {_first_line(error)}") from error
    try:
        # Ray prints messages about lost machines on standard output, regardless of `log_to_driver`; relevant failures
        # are raised or recovered from.
        with _replace(worker, "print_to_stdstream", lambda *_, **__: None):
            yield
    finally:
        ray.shutdown()


@contextmanager
def _replace(module: Any, name: str, value: object) -> Iterator[None]:
    """Replace an attribute of a module for the duration of the block."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().partition("\n")[0]


@contextmanager
def _preserve_signals() -> Iterator[None]:
    """Keep the signal handlers of this program, which Ray replaces."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if in_main_thread else ()
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set environment variables that are not yet set, for the duration of the block."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _fresh_secrets() -> Iterator[None]:
    """Make Ray reload its authentication token before and after the block, because each local cluster has its own."""
    _forget_secret()
    try:
        yield
    finally:
        _forget_secret()


def _forget_secret() -> None:
    from ray import _raylet

    compiled: Any = _raylet
    if hasattr(compiled, "AuthenticationTokenLoader"):  # older versions of Ray have no tokens
        compiled.Config.initialize("")
        compiled.AuthenticationTokenLoader.instance().reset_cache()


@asynccontextmanager
async def _local(cpus: int) -> AsyncIterator[str]:
    """Start a local Ray and yield its address; it ends with the block or with this process."""
    # A short path, because socket paths are limited to 107 characters.
    folder = tempfile.mkdtemp(prefix="quaestor-ray-", dir="/tmp" if Path("/tmp").is_dir() else None)
    command = [sys.executable, "-P", str(Path(local_ray.__file__)), str(cpus), folder]
    # In a separate session, so that Ctrl-C reaches only this program, which then ends Ray.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Workers get the same import path as this program, as spawned processes do.
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
        # The process kills everything it started and exits, which may take a while on a busy machine.
        await asyncio.shield(asyncio.to_thread(_end_process, process))
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)


def _end_process(process: "subprocess.Popen[str]") -> None:
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
