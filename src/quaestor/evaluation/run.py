"""Runs a solver over a dataset and stores the results, which do not depend on the engine or on interruptions."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import takewhile

from quaestor.datasets.dataset import Conversation, Dataset, check_questions
from quaestor.errors import DatasetError, InputError
from quaestor.evaluation.engines import Engine
from quaestor.evaluation.knowledge import resolve_ontology
from quaestor.evaluation.runner import SolverFactory
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.watchers import ObserverFactory
from quaestor.evaluation.writing import Lease, OnConversation, RunWriter, has_ended
from quaestor.llm.session import ModelConfig, open_session
from quaestor.llm.usage import Usage
from quaestor.ontology.ontology import Ontology
from quaestor.solvers.registry import make_solver
from quaestor.store.base import RunStore, time_of_new_run
from quaestor.store.records import RunRecord, RunStatus, now


async def run_dataset(
    dataset: Dataset,
    spec: RunSpec,
    store: RunStore,
    engine: Engine,
    *,
    resume: str | None = None,
    on_conversation: OnConversation | None = None,
    factory: SolverFactory | None = None,
    ontology: Ontology | None = None,
    config: ModelConfig | None = None,
    observing: ObserverFactory | None = None,
    lease: Lease | None = None,
) -> RunRecord:
    """Run a whole dataset, store all results, and return the record of the run.

    Args:
        dataset: Only its documents and questions reach the solver, one question at a time.
        spec: The spec of the run, for this dataset. Its ontology is loaded from the store; without one, an ontology is
            built from the dataset's documents.
        store: Nothing is written before dataset and spec have been checked.
        resume: A run to resume instead of starting a new one. Complete conversations are not run again.
        on_conversation: Called when a conversation is stored, without turns if it failed.
        factory: Builds the solver; by default from the spec, through the registry.
        ontology: An ontology to use instead of the store's; it is stored.
        lease: Claims conversations if several processes work on one run; by default a new one.
    """
    _check(dataset, spec)
    factory = factory or partial(make_solver, spec.solver, spec.solver_options)
    spec, graphs = await resolve_ontology(spec, dataset, store, ontology)
    earlier = await store.examples(resume) if resume else ()
    used = {example.conversation: Usage.of_counts(example.usage) for example in earlier}
    async with open_session(config, sum(used.values(), Usage())) if config else nullcontext() as session:
        run = await (_resume(store, spec, resume) if resume else _create(store, spec, dataset))
        await store.save_ontology(graphs.ontology.digest, graphs.ontology.each_triple())
        graphs = graphs.without_documents()
        if run.status == "complete":
            return run
        if session is not None:
            session.run = run.id
        complete = {example.conversation for example in earlier if example.status == "complete"}
        lease, seen = lease or Lease(), {example.conversation: example.attempt for example in earlier}
        recorder = RunWriter(
            store, run.id, on_conversation, used, live=config is not None, observing=observing, lease=lease, seen=seen
        )
        waiting = _page_by_page(dataset, lambda id: id not in complete)
        status: RunStatus = "stopped"
        try:
            async with lease.renew_until_end(store, run.id):
                while True:
                    # After a fatal error no conversation is started; those in progress finish.
                    remaining = takewhile(lambda _: recorder.end is None, waiting)
                    await engine.run(remaining, factory, recorder, graphs, session)
                    unfinished = await _wait_for_others(store, run.id, recorder, lease)
                    if not unfinished:
                        break
                    waiting = _page_by_page(dataset, unfinished.__contains__)
            status = await _outcome(store, run)
        except Exception:
            status = "failed"
            raise
        finally:
            # Also after Ctrl-C. A killed run stays `running`, and can be resumed too.
            if status == "complete" or not await _has_other_runners(store, run.id, lease):
                await store.finish_run(run.id, status, now())
    if recorder.end is not None:
        raise recorder.end
    return await store.run(run.id)


async def _wait_for_others(store: RunStore, run: str, recorder: RunWriter, lease: Lease) -> set[str]:
    """Wait for other processes that work on the run; return the conversations that they left unfinished."""
    while recorder.elsewhere and recorder.end is None:
        pending = await store.pending(run)
        recorder.elsewhere &= pending.keys()
        # Conversations claimed by this process are unfinished too, as none of them is in progress any more.
        owners = {name: pending[name] for name in recorder.elsewhere}
        left = {name for name, owner in owners.items() if owner is None or owner == lease.owner or has_ended(owner)}
        if left:
            recorder.elsewhere -= left
            return left
        await asyncio.sleep(min(1.0, lease.seconds / 4))
    return set()


async def _has_other_runners(store: RunStore, run: str, lease: Lease) -> bool:
    """Return whether another process still works on the run and will set its status."""
    owners = {*(await store.pending(run)).values()} - {None, lease.owner}
    return any(owner is not None and not has_ended(owner) for owner in owners)


def _page_by_page(dataset: Dataset, wanted: Callable[[str], bool]) -> Iterator[Conversation]:
    """Yield the conversations with wanted ids lazily, grouped by page."""
    by_page: dict[str, list[int]] = {}
    for place, one in enumerate(dataset.listed):
        if wanted(one.id):
            by_page.setdefault(one.page.id, []).append(place)
    return (dataset.conversations[place] for places in by_page.values() for place in places)


async def _outcome(store: RunStore, run: RunRecord) -> RunStatus:
    progress = await store.progress(run.id)
    if progress.get("complete") == run.conversations:
        return "complete"
    return "failed" if progress.get("failed") else "stopped"


def _check(dataset: Dataset, spec: RunSpec) -> None:
    if spec.dataset_digest != dataset.digest:
        raise InputError(f"the spec belongs to a different dataset than {dataset.path}: create it with RunSpec.of")
    listed = dataset.listed
    repeated = [key for key, count in Counter(one.id for one in listed).items() if count > 1]
    if repeated:
        raise DatasetError(f"{dataset.path} has duplicate conversation ids: {', '.join(repeated[:5])}")
    if listed and not any(one.questions for one in listed):
        raise DatasetError(f"{dataset.path} contains no questions; nothing to run")
    for conversation in dataset.conversations:
        check_questions(conversation)


async def _create(store: RunStore, spec: RunSpec, dataset: Dataset) -> RunRecord:
    started = await time_of_new_run(store)
    run = spec.new_run(started, len(dataset.conversations))
    await store.create_run(run)
    return run


async def _resume(store: RunStore, spec: RunSpec, run_id: str) -> RunRecord:
    run = await store.run(run_id)
    spec.require_same(run)
    if run.status != "complete":
        await store.resume_run(run_id)
        run = await store.run(run_id)
    return run
