"""Scored runs of the bundled sample in a store, for tests of pages that show runs."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from quaestor.application.run_import import import_run
from quaestor.application.score_service import score_run
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import RunRecord, now

Result = TypeVar("Result")


def run_sample(
    store: Path, conversations: int | None = 3, *, runs: int = 1, scored: bool = True, others: bool = False
) -> tuple[str, ...]:
    """Run the first conversations of the sample, and return the ids of the runs in order.

    Args:
        conversations: Number of conversations; None for all.
        others: Whether every run but the first gives no answer to the last turn of each conversation.
    """
    path = sample_path()
    dataset = read_dataset(path, conversations)
    spec = RunSpec.of(dataset, "embedded", limit=conversations)

    async def play() -> tuple[str, ...]:
        async with open_store(str(store)) as opened:
            results = [await run_dataset(dataset, spec, opened, InlineEngine())]
            for number in range(1, runs):
                results.append(await _copied(opened, results[0], number, silent=others))
            for run in results if scored else ():
                await score_run(opened, run, dataset, read_gold(path), str(store))
            return tuple(run.id for run in results)

    return _in_a_thread(play())


def import_answers(answers: Path, dataset: Path, store: Path) -> None:
    """Import another program's answers to a labelled file, half of them with low confidence, and score them.

    Nothing is run, since pages show imported answers like any others.
    """
    records = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({**one, "confidence": (0.25, 0.75)[number % 2]}) for number, one in enumerate(records)]
    file = store.with_suffix(".jsonl")
    file.write_text("\n".join(lines), encoding="utf-8")

    async def imported() -> None:
        dataset_read = read_dataset(dataset)
        async with open_store(str(store)) as opened:
            run = (await import_run(opened, file, dataset_read)).run
            await score_run(opened, run, dataset_read, read_gold(dataset), str(store))

    _in_a_thread(imported())


def _in_a_thread(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in its own thread, because tests that drive a browser have a running loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _copied(opened: RunStore, run: RunRecord, number: int, *, silent: bool) -> RunRecord:

    copy = replace(run, id=f"{run.id[:-4]}c{number:03}", started=now(), status="running", finished=None)
    await opened.create_run(copy)
    for example in await opened.examples(run.id):
        turns = [replace(turn, run=copy.id) for turn in await opened.turns(run.id, example.conversation)]
        if silent:
            none = {**turns[-1].answer, "value": None, "plan": None, "sources": [], "formula": ""}
            turns[-1] = replace(turns[-1], answer=none, number=None, program=None, sources=[], registers=[])
        await opened.complete_example(replace(example, run=copy.id), turns)
        await opened.save_graph(copy.id, example.conversation, await opened.load_graph(run.id, example.conversation))
    await opened.finish_run(copy.id, "complete", now())
    return await opened.run(copy.id)
