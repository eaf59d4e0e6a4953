"""Time to write a turn to the run store."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, RunRecord, now


def measure(workload: Workload) -> Iterable[Figure]:
    yield milliseconds("store writes, a turn", asyncio.run(_write(workload)), "conversations, each one transaction")


async def _write(workload: Workload) -> list[float]:
    dataset, seconds = workload.dataset, []
    run = RunRecord("benchmark", {}, "", dataset.path, dataset.digest, len(dataset.conversations), now())
    with TemporaryDirectory() as folder:
        async with open_store(str(Path(folder) / "runs.db")) as store:
            await store.create_run(run)
            for conversation in dataset.conversations:
                turns = turn_records(TurnPlace(run.id, conversation.id), workload.turns[conversation.id])
                example = ConversationRecord(
                    run.id, conversation.id, conversation.document.id, "complete", len(turns), now(), now()
                )
                started = perf_counter()
                await store.complete_example(example, turns)
                seconds.append((perf_counter() - started) / len(turns))
    return seconds
