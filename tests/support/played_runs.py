"""Runs of the bundled sample in a store, scored, for the tests of what people look through."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from quaestor.application.score_service import score_run
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import Engine, InlineEngine, make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import RunRecord, now


def play_sample(
    store: Path, conversations: int | None = 3, *, runs: int = 1, scored: bool = True, others: bool = False
) -> tuple[str, ...]:
    """Plays the first conversations of the sample, and returns the ids of the runs, the first played first.

    Args:
        store: The file.
        conversations: How many; None is all.
        runs: How often.
        scored: Whether each is scored.
        others: Whether every run but the first gives no answer to the last turn of each conversation.
    """
    return _play(sample_path(), store, conversations, InlineEngine(), (runs, scored, others))


def play_dataset(dataset: Path, store: Path) -> tuple[str, ...]:
    """Plays a labelled file on all cores, scores the run, and returns its id."""
    return _play(dataset, store, None, make_engine("processes", 2), (1, True, False))


def _play(
    path: Path, store: Path, conversations: int | None, engine: Engine, how: tuple[int, bool, bool]
) -> tuple[str, ...]:
    dataset, (runs, scored, others) = read_dataset(path, conversations), how
    spec = RunSpec.of(dataset, "embedded", limit=conversations)

    async def play() -> list[str]:
        async with open_store(str(store)) as opened:
            played = [await run_dataset(dataset, spec, opened, engine)]
            for number in range(1, runs):
                played.append(await _copied(opened, played[0], number, silent=others))
            for run in played if scored else ():
                await score_run(opened, run, dataset, read_gold(path), str(store))
            return [run.id for run in played]

    # In a thread of its own: a test that drives a browser has a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        return tuple(thread.submit(lambda: asyncio.run(play())).result())


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
