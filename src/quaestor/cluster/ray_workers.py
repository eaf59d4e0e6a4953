"""Workers on a Ray cluster: the jobs of a worker that dies are repeated by others, and each result counts once."""

import asyncio
import signal
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from quaestor.cluster.joining import Cluster
from quaestor.core.caching import collect_seldom
from quaestor.errors import EngineError

if TYPE_CHECKING:
    from ray import ObjectRef

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
        ...


class _Actor:
    """A worker process that runs one job at a time."""

    def __init__(self, shared_work: "list[ObjectRef[Work[Any, Any]]]") -> None:
        import ray

        collect_seldom()
        with suppress(ValueError):  # only possible in the main thread; other threads do not receive Ctrl-C either
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.failure: str | None = None
        try:
            self.work = ray.get(shared_work[0])
        except Exception as error:  # noqa: BLE001 - importing the work's module can raise anything
            self.failure = f"{type(error).__name__}: {error}"

    def introduce(self) -> tuple[str, str | None]:
        """Return the package version of the worker, and the error that prevented it from loading the work."""
        return version("quaestor"), self.failure

    def do(self, job: Any, *shared: Any) -> tuple[bool, Any]:
        return asyncio.run(_do_job(self.work, job, shared))


class _AsyncActor(_Actor):
    """A worker that runs several jobs concurrently, for work that waits for a model."""

    async def do(self, job: Any, *shared: Any) -> tuple[bool, Any]:  # type: ignore[override]  # Ray awaits it
        return await _do_job(self.work, job, shared)


async def _do_job(work: Work[Any, Any], job: Any, shared: tuple[Any, ...]) -> tuple[bool, Any]:
    """Return whether a job succeeded, with its result or error; as a return value the error keeps its type."""
    try:
        return True, await work(job, *shared)
    except Exception as error:  # noqa: BLE001 - raised again by the caller of the job
        return False, error


class RayWorkerPool(Generic[Job, Result]):
    """A pool of Ray workers, which live while the context manager is entered."""

    def __init__(
        self,
        cluster: Cluster,
        work: Work[Job, Result],
        workers: int,
        at_once: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Configure the pool.

        Args:
            at_once: How many jobs are under way at once in all, for work that waits; None is one a worker.
        """
        self._work = work
        self._workers = min(workers, cluster.cpus) or 1
        self._each = _JOBS_AHEAD if at_once is None else -(-at_once // self._workers)
        self._waits = at_once is not None
        self._options: dict[str, Any] = {"scheduling_strategy": "SPREAD"}
        if self._waits:  # one more slot, so that a busy worker can answer `introduce`
            self._options["max_concurrency"] = self._each + 1
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

        kind: Any = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_AsyncActor if self._waits else _Actor)
        while True:
            worker = kind.options(**self._options).remote([self._shared_work])
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
