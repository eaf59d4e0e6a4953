"""What a store has of a run, and all of it but ids and times."""

import asyncio
import json
from pathlib import Path

from quaestor.core import serial
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

Rows = tuple[RunRecord, tuple[ConversationRecord, ...], tuple[TurnRecord, ...]]


def stored(store: Path, run: str | None = None) -> Rows:
    async def read() -> Rows:
        async with open_store(str(store), create=False) as opened:
            record = await opened.run(run) if run else (await opened.runs())[0]
            return record, await opened.examples(record.id), await opened.turns(record.id)

    return asyncio.run(read())


def content(rows: Rows) -> str:
    """Return everything that is stored but ids and times."""
    run, examples, turns = serial.dump(rows, Rows)
    for record in (run, *examples, *turns):
        for name in ("id", "run", "started", "finished", "attempt"):
            record.pop(name, None)
    return json.dumps([run, examples, turns], sort_keys=True)
