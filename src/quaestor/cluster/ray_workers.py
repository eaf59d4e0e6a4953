"""Workers on a Ray cluster, existing or local: jobs of a worker that dies are repeated, and each result counts once.

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
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from quaestor.cluster import local_ray
from quaestor.core.caching import collect_seldom
from quaestor.errors import EngineError, InputError
from quaestor.extras import require_extra

if TYPE_CHECKING:
    from ray import ObjectRef


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


@asynccontextmanager
async def joined_cluster(cpus: int, address: str | None = None) -> AsyncIterator[None]:
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
            yield
            return
        if address is not None:
            with _connect(address):
                yield
            return
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        # Ray replaces 127.0.0.1 by another address of this machine unless this is False; it read the variable of the
        # environment when it was imported, possibly long ago.
        only_here = _replace(ray_constants, "ENABLE_RAY_CLUSTER", value=False)
        with _environment(token | _LOOPBACK), _fresh_secrets(), only_here:
            async with _local(cpus) as started:
                with _connect(started):
                    yield


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


J_contra = TypeVar("J_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Job = TypeVar("Job")
Result = TypeVar("Result")

MOST_DEATHS = 4
"""Number of workers that may die during a job before the job is considered the cause."""

_JOBS_AHEAD = 2
"""Jobs sent to a worker that runs one at a time, so that the next one is already waiting there."""

_NO_WORKER_SECONDS = 120.0
"""Seconds to wait for a cluster that cannot start a single worker."""


class Work(Protocol[J_contra, R_co]):
    """The function that every worker runs; must be picklable, and is sent once."""

    def __call__(self, job: J_contra, /, *shared: Any) -> Coroutine[Any, Any, R_co]:
        """Return what comes of a job, and of values shared with `RayWorkerPool.share`."""


class _Actor:
    """A worker process that runs up to `at_once` jobs concurrently; others wait in it."""

    def __init__(self, shared_work: "list[ObjectRef[Work[Any, Any]]]", at_once: int) -> None:
        import ray

        collect_seldom()
        with suppress(ValueError):  # only possible in the main thread; other threads do not receive Ctrl-C either
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.free = asyncio.Semaphore(at_once)
        self.failure: str | None = None
        try:
            self.work = ray.get(shared_work[0])
        except Exception as error:  # noqa: BLE001 - importing the work's module can raise anything
            self.failure = f"{type(error).__name__}: {error}"

    async def introduce(self) -> tuple[str, str | None]:
        """Return the package version of the worker, and the error that prevented it from loading the work."""
        return version("quaestor"), self.failure

    async def do(self, job: Any, *shared: Any) -> tuple[bool, Any]:
        """Return whether a job succeeded, with its result or error; as a return value the error keeps its type."""
        async with self.free:
            try:
                return True, await self.work(job, *shared)
            except Exception as error:  # noqa: BLE001 - raised again by the caller of the job
                return False, error


class RayWorkerPool(Generic[Job, Result]):
    """A pool of workers of the cluster that was joined, which live while the context manager is entered."""

    def __init__(
        self,
        work: Work[Job, Result],
        workers: int,
        at_once: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Configure the pool.

        Args:
            at_once: How many jobs are under way at once in all, for work that waits; None is one a worker.
        """
        import ray

        cpus = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
        self._work, self._workers = work, min(workers, cpus) or 1
        self._each = _JOBS_AHEAD if at_once is None else -(-at_once // self._workers)
        self._at_once = 1 if at_once is None else self._each
        # One more slot, so that a busy worker can answer `introduce`.
        self._options: dict[str, Any] = {"scheduling_strategy": "SPREAD", "max_concurrency": self._each + 1}
        if variables:
            self._options["runtime_env"] = {"env_vars": dict(variables)}
        self.lanes = self._workers * _JOBS_AHEAD if at_once is None else at_once
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self._alive: set[Any] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    async def __aenter__(self) -> Self:
        """Start the workers; each takes jobs as soon as it is ready."""
        self._shared_work = self.share(self._work)
        for _ in range(self._workers):
            self._add_worker()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop the workers, even during jobs whose results are no longer needed."""
        import ray

        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in self._alive:
            ray.kill(worker)

    def share(self, value: object) -> "ObjectRef[Any]":
        """Store a value once for all workers; it is kept as long as the returned reference exists."""
        import ray

        return ray.put(value)

    async def do(self, job: Job, *shared: "ObjectRef[Any]") -> Result:
        """Run a job like `do_counted`, and return its result."""
        return (await self.do_counted(job, *shared))[1]

    async def do_counted(self, job: Job, *shared: "ObjectRef[Any]") -> tuple[int, Result]:
        """Return how many workers died over a job, and its result; what is large is shared, not part of the job."""
        from ray.exceptions import RayError, RayTaskError

        for died in range(MOST_DEATHS):
            worker = await self._next()
            try:
                succeeded, result = await worker.do.remote(job, *shared)
            except RayTaskError as error:  # a result that cannot be pickled
                raise EngineError(f"worker result could not be pickled: {error.cause}") from error
            except RayError:  # the worker, its machine, or the machine that stored the result died
                self._replace_worker(worker)
                continue
            self._free.put_nowait(worker)
            if not succeeded:
                raise result
            done: Result = result
            return died, done
        raise EngineError(
            f"{MOST_DEATHS} workers died in a row on the same work (killed, or out of memory): resume the run, with "
            "fewer workers if it happens again"
        )

    async def _next(self) -> Any:
        while True:
            try:
                worker = await asyncio.wait_for(self._free.get(), _NO_WORKER_SECONDS)
            except TimeoutError:
                if self._alive:
                    continue
                raise EngineError(
                    f"the Ray cluster had no free CPU for a worker within {_NO_WORKER_SECONDS:.0f} seconds"
                ) from None
            if self._failure is not None:
                self._free.put_nowait(None)
                raise self._failure
            if worker in self._alive:
                return worker

    def _replace_worker(self, worker: Any) -> None:
        if worker in self._alive:
            self._alive.remove(worker)
            self._add_worker()

    def _add_worker(self) -> None:
        task = asyncio.create_task(self._start_worker())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start_worker(self) -> None:
        """Start a worker, waiting as long as necessary, and add it to the free workers."""
        import ray
        from ray.exceptions import RayError

        kind: Any = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)
        while True:
            worker = kind.options(**self._options).remote([self._shared_work], self._at_once)
            try:
                theirs, failure = await worker.introduce.remote()
            except RayError:
                await asyncio.sleep(1)
                continue
            except asyncio.CancelledError:
                ray.kill(worker)
                raise
            break
        ours = version("quaestor")
        if theirs != ours:
            failure = f"quaestor versions differ: {theirs} on a machine of the Ray cluster, {ours} on this one"
        if failure is not None:
            first = failure.partition("\n")[0]
            self._failure = EngineError(f"a worker of the Ray cluster could not load its task: {first}")
            self._free.put_nowait(None)
            return
        self._alive.add(worker)
        for _ in range(self._each):
            self._free.put_nowait(worker)
