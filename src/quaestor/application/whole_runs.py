"""Runs whose turns are all there before any is kept: imported ones, and those of a cross-validation."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import QuaestorError
from quaestor.evaluation.recording import stored_counts
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.store.base import RunStore, time_of_new_run
from quaestor.store.records import ConversationRecord, RunKind, RunRecord, TurnRecord, now

RecordsOf = Callable[[RunRecord, Conversation], Sequence[TurnRecord]]


async def keep_whole_run(
    store: RunStore, dataset: Dataset, spec: RunSpec, called: str, kind: RunKind, records_of: RecordsOf
) -> RunRecord:
    """Keeps a run with all its turns, or nothing, and returns its record.

    Args:
        store: Where to.
        dataset: What was asked.
        spec: What the run is.
        called: The name in its id.
        kind: Which kind of run.
        records_of: Returns the turns of a conversation as they are stored.

    Raises:
        StoreError: The store failed. Nothing of the run is left, as far as it still obeys.
    """
    started = await time_of_new_run(store)
    run = RunRecord(
        id=replace(spec, solver=called).new_run_id(started),
        spec=serial.dump(spec),
        spec_digest=spec.digest,
        dataset=dataset.path,
        dataset_digest=dataset.digest,
        conversations=len(dataset.conversations),
        started=started,
        kind=kind,
    )
    await store.create_run(run)
    try:
        for conversation in dataset.conversations:
            await _keep(store, run, conversation, await compute(records_of, run, conversation))
        await store.finish_run(run.id, "complete", now())
    except BaseException:
        await _forget(store, run)
        raise
    return await store.run(run.id)


async def _keep(store: RunStore, run: RunRecord, conversation: Conversation, turns: Sequence[TurnRecord]) -> None:
    example = ConversationRecord(
        run=run.id,
        conversation=conversation.id,
        document=conversation.document.id,
        started=run.started,
        usage=stored_counts(_used(turns)),
    )
    attempt = await store.begin_example(example)
    ended = max((turn.finished or run.started for turn in turns), default=run.started)
    done = replace(example, status="complete", turns=len(turns), finished=ended, attempt=attempt)
    await store.complete_example(done, turns)


def _used(turns: Iterable[TurnRecord]) -> Usage:
    return sum((Usage.of_counts(turn.usage) for turn in turns), Usage())


async def _forget(store: RunStore, run: RunRecord) -> None:
    try:
        await store.delete_run(run.id)
    except QuaestorError:
        # What broke it is what is to be told.
        return
