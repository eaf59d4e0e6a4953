"""Run scripted solvers and read their stored records, with and without ids and times."""

import asyncio
import json
from pathlib import Path
from typing import Any

from scripted import scripted

from quaestor.core import serial
from quaestor.datasets.dataset import Dataset
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.session import ModelConfig
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

Rows = tuple[RunRecord, tuple[ConversationRecord, ...], tuple[TurnRecord, ...]]


def run_stored(
    dataset: Dataset, store: Path, engine: Engine | None = None, config: ModelConfig | None = None, **options: Any
) -> RunRecord:
    """Run a data set, with the scripted solver unless the options have another `factory`."""

    async def run() -> RunRecord:
        async with open_store(str(store)) as opened:
            spec, chosen = RunSpec.of(dataset, "scripted"), {"factory": scripted, **options}
            return await run_dataset(dataset, spec, opened, engine or InlineEngine(), config=config, **chosen)

    return asyncio.run(run())


def stored(store: Path, run: str | None = None) -> Rows:
    async def read() -> Rows:
        async with open_store(str(store), create=False) as opened:
            record = await opened.run(run) if run else (await opened.runs())[0]
            return record, await opened.examples(record.id), await opened.turns(record.id)

    return asyncio.run(read())


def content(rows: Rows) -> str:
    """Return all stored content except ids and times."""
    run, examples, turns = serial.dump(rows, Rows)
    for record in (run, *examples, *turns):
        for name in ("id", "run", "started", "finished", "attempt"):
            record.pop(name, None)
    return json.dumps([run, examples, turns], sort_keys=True)
