"""Run or resume a slow evaluation in its own process, so that a test can kill it.

Usage: slow_run.py STORE ENGINE CONVERSATIONS PAUSE [RUN]
"""

import asyncio
import signal
import sys

from scripted import many_conversations, scripted

from quaestor.evaluation.engines import make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.store.base import open_store


async def main(store: str, engine: str, conversations: str, pause: str, run: str | None = None) -> None:
    dataset = many_conversations(int(conversations), float(pause))
    spec = RunSpec.of(dataset, "scripted")
    async with open_store(store) as opened:
        await run_dataset(dataset, spec, opened, make_engine(engine, 2), resume=run, factory=scripted)


if __name__ == "__main__":
    # A shell that starts the tests in the background makes them ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.run(main(*sys.argv[1:]))
