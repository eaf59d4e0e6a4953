"""Starts, resumes and finds runs, and chooses the engine for their work. Scoring is in `score_service`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from pydantic import JsonValue

from quaestor.application.live_traces import TraceOptions
from quaestor.application.ontologies import find_ontology, is_set
from quaestor.application.solver_options import (
    NO_CASSETTE,
    NO_OVERRIDES,
    CassetteOptions,
    SolverOverrides,
    named_model,
    run_options,
    solver_access,
)
from quaestor.cluster.ray_workers import RayWorkerPool, Work, joined_cluster
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation, Dataset, Selection
from quaestor.errors import EngineError, InputError, OutageError, RunStoppedError, StoreError
from quaestor.evaluation.engines import Engine, gather_limited, make_engine
from quaestor.evaluation.knowledge import GraphProvider, resolve_ontology
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.knowledge_graph import Policy
from quaestor.llm.session import ModelConfig
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_spec
from quaestor.store.base import RunStore
from quaestor.store.records import RunKind, RunRecord, now

_MOST_WORKERS = 100_000
"""More than any cluster has, so that a cluster uses all its workers."""

J = TypeVar("J")
R = TypeVar("R")

# With fewer conversations, starting worker processes takes longer than it saves.
_FEW = 4

MANY_ASKING = 32
"""The default number of conversations that may ask a model at once in one process, which makes about 200 requests a
second; more are spread over processes."""

OVER_DATASETS: tuple[RunKind, ...] = ("run", "import")
"""The kinds of runs over a file of questions."""

CROSS_VALIDATION = "crossvalidate"
"""The solver's name in the spec of a cross-validation: the embedded solver, with separate weights for each fold."""

ProgressCallback = Callable[[Conversation, tuple[Turn, ...]], None]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """How to start or resume a run. The default policy is `extend` if the settings name an ontology, else `strict`."""

    settings: Settings
    limit: int | None = None
    overrides: SolverOverrides = NO_OVERRIDES
    resume: str | None = None
    cassette: CassetteOptions = NO_CASSETTE
    model_named: bool = False
    selection: Selection | None = None
    traces: TraceOptions | None = None


@dataclass(frozen=True, slots=True)
class RunOntology:
    """The ontology and the policy of a run, and how many of its pages have stored graphs."""

    ontology: str
    own: bool
    policy: Policy
    by_default: bool
    pages: int
    frozen: int


def _describe_ontology(spec: RunSpec, graphs: GraphProvider, dataset: Dataset, settings: Settings) -> RunOntology:
    frozen = graphs.frozen
    pages = [frozen is not None and frozen.has(page) for page in dataset.pages()]
    own, by_default = not is_set(settings), settings.policy is None
    return RunOntology(str(spec.ontology), own, spec.policy, by_default, len(pages), sum(pages))


async def start_run(
    dataset: Dataset,
    request: RunRequest,
    store: RunStore,
    progress: ProgressCallback | None = None,
    begun: Callable[[RunOntology], None] | None = None,
) -> RunRecord:
    """Answer the conversations of a dataset and store the answers, in a new or a resumed run; return its record."""
    options = run_options(request.settings, request.overrides, dataset)
    go_on = request.resume is not None
    cassette, named = request.cassette, request.model_named
    try:
        with solver_access(request.settings, options, cassette, model_named=named, go_on=go_on) as config:
            return await _run(dataset, request, store, progress, begun, config, named_model(options, config))
    except asyncio.CancelledError as error:
        raise RunStoppedError("stopped", request.resume, by_person=True) from error


async def _run(
    dataset: Dataset,
    request: RunRequest,
    store: RunStore,
    progress: ProgressCallback | None,
    begun: Callable[[RunOntology], None] | None,
    config: ModelConfig | None,
    options: dict[str, JsonValue],
) -> RunRecord:
    settings = request.settings
    ontology = await find_ontology(str(settings.ontology), store) if is_set(settings) else None
    policy = settings.policy or ("extend" if ontology else "strict")
    spec = RunSpec.of(
        dataset,
        settings.solver,
        options,
        request.limit,
        ontology.digest if ontology else None,
        policy,
        config.fingerprint if config else None,
        request.selection,
        settings.excerpt_tokens,
    )
    resumed = (await find_run(store, request.resume, kind="run")).id if request.resume else None

    # Before the run starts, because a stopped run is found by its complete spec.
    spec, graphs = await resolve_ontology(spec, dataset, store, ontology)
    if begun is not None:
        begun(_describe_ontology(spec, graphs, dataset, settings))

    async def make_stopped_error(why: str, *, by_person: bool = False) -> RunStoppedError:
        return RunStoppedError(why, resumed or await _find_unfinished(store, spec), by_person=by_person)

    traces = request.traces.opened([one.id for one in dataset.listed]) if request.traces else nullcontext()
    try:
        with traces as observe:
            record = await run_dataset(
                dataset,
                spec,
                store,
                _choose_engine(settings, len(dataset.conversations), config),
                resume=resumed,
                on_conversation=progress,
                ontology=graphs.ontology,
                config=config,
                observing=observe,
            )
    except asyncio.CancelledError as error:
        # Ctrl-C cancels the task; finished conversations are stored.
        raise await make_stopped_error("stopped", by_person=True) from error
    except (OutageError, EngineError) as error:
        raise await make_stopped_error(str(error)) from error
    except StoreError as error:
        # If the store is down, even this search fails.
        with suppress(StoreError):
            if found := resumed or await _find_unfinished(store, spec):
                raise RunStoppedError(str(error), found) from error
        raise
    await require_finished(store, record)
    return record


def preload_workers(request: RunRequest) -> None:
    """Import the modules of worker processes, if there will be any, in the background. For command lines."""
    settings, solver = request.settings, solver_spec(request.settings.solver)
    asks = solver.takes_model and settings.model is not None
    if (solver.loads or asks) and _uses_processes(settings, request.limit, asks=asks):
        from quaestor.evaluation.processes import ASKING, preload_modules

        preload_modules((*solver.loads, *(ASKING if asks else ())))


def _uses_processes(settings: Settings, conversations: int | None, *, asks: bool) -> bool:
    """Return whether worker processes of this machine answer the conversations."""
    if settings.engine is not None:
        return settings.engine == "processes"
    at_once = settings.concurrency(asks=asks)
    if not asks:
        return at_once > 1 and (conversations is None or conversations > _FEW)
    if settings.tracing or _cores(settings) == 1:  # only this process sends spans
        return False
    return min(at_once, at_once if conversations is None else conversations) > MANY_ASKING


def _cores(settings: Settings) -> int:
    return replace(settings, workers=None).concurrency(asks=False)


def _choose_engine(settings: Settings, conversations: int, config: ModelConfig | None) -> Engine:
    """Return the engine in the settings; by default, all cores for a solver that computes.

    For a solver that waits for a model, the default is this process, unless one core is too slow for the requests of
    all concurrent conversations.
    """
    asks, seconds = config is not None, settings.question_seconds
    at_once = settings.concurrency(asks=asks)
    if settings.engine == "ray":  # a worker per CPU; with a model, `workers` conversations run at once
        workers = workers_on_ray(replace(settings, workers=None) if asks else settings)
        return make_engine("ray", workers, settings.address, at_once if asks else None, seconds)
    if _uses_processes(settings, conversations, asks=asks):
        workers = _cores(settings) if asks else at_once
        return make_engine("processes", workers, None, at_once if asks else None, seconds)
    return make_engine("inline", at_once if asks or settings.engine else 1, seconds=seconds)


def workers_on_ray(settings: Settings) -> int:
    """Return the maximum number of workers on a Ray cluster; an existing cluster sets its own limit."""
    own_limit = settings.workers is None and settings.address is not None
    return _MOST_WORKERS if own_limit else settings.concurrency(asks=False)


async def spread(
    work: Work[J, R], jobs: Iterable[J], handle: Callable[[J, R], Awaitable[None]], settings: Settings
) -> None:
    """Run jobs, and handle each result in this process, because a store has a single writer."""
    if settings.engine != "ray":
        for job in jobs:
            await handle(job, await work(job))
        return
    workers = workers_on_ray(settings)
    async with (
        joined_cluster(workers, settings.address),
        RayWorkerPool[J, R](work, workers) as pool,
    ):

        async def done(job: J) -> None:
            await handle(job, await pool.do(job))

        await gather_limited(jobs, done, pool.lanes)


async def require_finished(store: RunStore, run: RunRecord) -> None:
    """Raise an error unless every conversation of a run has ended, successfully or with an error of the solver."""
    counts = await store.progress(run.id)
    waiting = run.conversations - counts.get("complete", 0) - counts.get("failed", 0)
    if waiting:
        outages = [example.error for example in await store.examples(run.id) if example.status == "outage"]
        why = f" (first failure: {outages[0]})" if outages else ""
        raise RunStoppedError(
            f"{waiting} of {run.conversations} conversations in run {run.id} of {run.dataset} have not finished{why}",
            run.id,
        )


def require_same_questions(first: RunRecord, second: RunRecord) -> None:
    """Raise an error unless two runs have the same questions."""
    if first.dataset_digest == second.dataset_digest:
        return
    shown = [f"{run.id} ({run.conversations:,} conversations of {run.dataset})" for run in (first, second)]
    raise InputError(
        f"runs {shown[0]} and {shown[1]} have different questions: compare runs of the same conversations of one file, "
        "such as two with the same limit"
    )


async def _find_unfinished(store: RunStore, spec: RunSpec) -> str | None:
    unfinished = (run for run in await store.runs() if run.status != "complete")
    return next((run.id for run in unfinished if run.spec_digest == spec.digest), None)


async def find_run(store: RunStore, name: str, *, kind: RunKind | Sequence[RunKind] | None = None) -> RunRecord:
    """Return a run by its id or a unique prefix of it, by the name of an imported run, or by `latest`."""
    runs = await store.runs()
    kinds = (kind,) if isinstance(kind, str) else kind
    latest = next((run for run in runs if kinds is None or run.kind in kinds), None) if name == "latest" else None
    if latest is not None:
        return latest
    found = [run for run in runs if run.id.startswith(name)] if name else []
    if not found and (imported := next((run for run in runs if imported_as(run) == name), None)) is not None:
        return imported
    exact = [run for run in found if run.id == name]
    if len(found) > 1 and not exact:
        raise InputError(f"{len(found)} runs start with {name!r}: {', '.join(run.id for run in found[:5])}")
    return (exact or found or [await store.run(name)])[0]


def imported_as(run: RunRecord) -> str | None:
    """Return the name of an imported run, or None for other runs."""
    options = run.spec.get("solver_options")
    name = options.get("name") if run.kind == "import" and isinstance(options, dict) else None
    return name if isinstance(name, str) else None


def status_word(run: RunRecord) -> str:
    """Return the status of a run, or `imported` for a completely imported run."""
    return "imported" if run.kind == "import" and run.status == "complete" else run.status


async def find_runs(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    """Return the named runs in order, without duplicates."""
    found = [await find_run(store, name) for name in names]
    return tuple({run.id: run for run in found}.values())


async def ended_before(store: RunStore, days: float) -> tuple[RunRecord, ...]:
    """Return the runs that ended more than some days ago, the oldest first."""
    until = now() - timedelta(days=days)
    return tuple(run for run in reversed(await store.runs()) if run.finished is not None and run.finished < until)
