"""Worker processes with an event loop: concurrent calls, their messages and requests, and lost workers."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from quaestor.core.loop_workers import MOST_DEATHS, LoopWorkers, LostWorkerError, WorkerLine
from quaestor.errors import EngineError, InputError

pytestmark = pytest.mark.slow


class Work:
    """A `LoopWork` that acts on command words."""

    def __init__(self, line: WorkerLine) -> None:
        self._line, self._heard = line, list[object]()

    async def call(self, job: tuple[str, object]) -> object:
        match job:
            case "wait", float(seconds):
                await asyncio.sleep(seconds)
            case "tell", int(number):
                for each in range(number):
                    self._line.send(each)
                await asyncio.to_thread(self._line.send, "from a thread")
            case "ask", question:
                return await self._line.ask(question)
            case "fail", Exception() as error:
                raise error
            case "result", "that cannot travel":
                return lambda: None
            case "die", _:
                os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid(), self._heard

    def receive(self, what: object) -> None:
        self._heard.append(what)


class CannotBegin(Work):
    def __init__(self, line: WorkerLine) -> None:
        os._exit(3)


@asynccontextmanager
async def some_workers(count: int = 2, make: type[Work] = Work) -> AsyncIterator[tuple[LoopWorkers, list[object]]]:
    messages = list[object]()

    async def answer(question: object) -> object:
        if isinstance(question, Exception):
            raise question
        return f"{question}!"

    async with LoopWorkers(count, multiprocessing.get_context("spawn"), make, messages.append, answer) as workers:
        yield workers, messages
    assert multiprocessing.active_children() == []


def test_calls_exchange_messages_and_similar_calls_share_a_worker() -> None:
    async def scenario() -> None:
        async with some_workers() as (workers, messages):
            found = await asyncio.gather(*(workers.call(("wait", 0.2), number % 2) for number in range(8)))
            assert len({process for process, _ in found}) == 2
            assert [process for process, _ in found[::2]] == [found[0][0]] * 4
            await workers.call(("tell", 3))
            assert messages == [0, 1, 2, "from a thread"]
            assert await workers.call(("ask", "x" * 3_000_000)) == "x" * 3_000_000 + "!"
            with pytest.raises(InputError, match="no such thing"):
                await workers.call(("ask", InputError("no such thing")))
            with pytest.raises(InputError, match="not this") as caught:
                await workers.call(("fail", InputError("not this")))
            assert "in a worker process" in "".join(caught.value.__notes__)
            with pytest.raises(EngineError):
                await workers.call(("result", "that cannot travel"))
            workers.broadcast("hear")
            assert [reply for _, reply in await asyncio.gather(*(workers.call(("wait", 0.1)) for _ in range(2)))] == [
                ["hear"],
                ["hear"],
            ]

    asyncio.run(scenario())


def test_a_worker_that_dies_is_replaced_and_its_calls_fail() -> None:
    async def scenario() -> None:
        async with some_workers(1) as (workers, _):
            found = await asyncio.gather(workers.call(("wait", 60.0)), workers.call(("die", 0)), return_exceptions=True)
            assert [type(one) for one in found] == [LostWorkerError, LostWorkerError]
            assert (await workers.call(("wait", 0.0)))[0] != os.getpid()
        async with some_workers(1, CannotBegin) as (workers, _):
            for _ in range(MOST_DEATHS):
                with pytest.raises((LostWorkerError, EngineError)):
                    await workers.call(("wait", 0.0))
            with pytest.raises(EngineError):
                await workers.call(("wait", 0.0))

    asyncio.run(scenario())
