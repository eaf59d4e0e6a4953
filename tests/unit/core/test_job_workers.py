"""Worker processes that run one job at a time and can be killed during it."""

import asyncio
import itertools
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from quaestor.core.job_workers import JobTimeoutError, JobWorkers
from quaestor.core.loop_workers import LostWorkerError, WorkerLine
from quaestor.errors import EngineError

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LOAD = "load"


class Working:
    """A `LoopWork` that acts on command words."""

    def __init__(self, line: WorkerLine) -> None:
        self._line = line

    async def call(self, job: Any) -> Any:
        match job:
            case "endless":
                while True:
                    pass
            case "stuck":
                return all(itertools.repeat(True))
            case "die":
                os._exit(3)
            case "fail":
                raise ValueError("no")
            case "tell":
                self._line.send(1)
                return await self._line.ask(2)
            case "process":
                return os.getpid()
        return job

    def receive(self, what: Any) -> None:
        pass


class RecordingListener:
    """A `JobListener` that records messages and requests."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def receive(self, message: Any) -> None:
        self.messages.append(message)

    async def answer(self, request: Any) -> Any:
        self.messages.append(request)
        return "answered"


@asynccontextmanager
async def workers(count: int = 1) -> AsyncIterator[JobWorkers]:
    async with JobWorkers(count, multiprocessing.get_context("spawn"), Working, LOAD) as pool:
        yield pool


async def test_worker_sends_messages_and_requests_during_a_job() -> None:
    hearing = RecordingListener()
    async with workers() as pool:
        assert await pool.do("tell", hearing) == "answered"
    assert hearing.messages == [1, 2]


async def test_jobs_with_something_in_common_go_to_the_same_worker() -> None:
    async with workers(2) as pool:
        first = await pool.do("process", RecordingListener(), like="a")
        other = await pool.do("process", RecordingListener(), like="b")
        assert [await pool.do("process", RecordingListener(), like="a") for _ in range(3)] == [first] * 3
        assert await pool.do("process", RecordingListener(), like="b") == other


@pytest.mark.very_slow
async def test_job_over_its_time_limit_is_killed_and_others_continue() -> None:
    async with workers() as pool:
        late = [asyncio.ensure_future(pool.do("stuck", RecordingListener(), 1.5)) for _ in range(2)]
        assert await pool.do("hello", RecordingListener()) == "hello"
        for one in late:
            with pytest.raises(JobTimeoutError):
                await one
        assert await pool.do("hello", RecordingListener()) == "hello"


async def test_a_slow_job_does_not_keep_others_waiting() -> None:
    async with workers() as pool:
        endless = asyncio.ensure_future(pool.do("endless", RecordingListener()))
        assert await pool.do("hello", RecordingListener()) == "hello"
        assert not endless.done()
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless


async def test_the_worker_of_a_cancelled_job_ends() -> None:
    async with workers() as pool:
        process = await pool.do("process", RecordingListener())
        endless = asyncio.ensure_future(pool.do("endless", RecordingListener()))
        await asyncio.sleep(0.1)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert await pool.do("process", RecordingListener()) != process


async def test_a_worker_that_dies_or_is_killed_is_replaced() -> None:
    async with workers() as pool:
        with pytest.raises(LostWorkerError):
            await pool.do("die", RecordingListener())
        process = await pool.do("process", RecordingListener())
        endless = asyncio.ensure_future(pool.do("endless", RecordingListener()))
        await asyncio.sleep(0.1)
        os.kill(process, signal.SIGKILL)
        with pytest.raises(LostWorkerError):
            await endless
        assert await pool.do("hello", RecordingListener()) == "hello"


async def test_error_of_a_job_is_raised_and_its_worker_is_reused() -> None:
    async with workers() as pool:
        process = await pool.do("process", RecordingListener())
        with pytest.raises(ValueError, match="no"):
            await pool.do("fail", RecordingListener())
        assert await pool.do("process", RecordingListener()) == process


async def test_waiting_jobs_fail_when_the_workers_end() -> None:
    async with workers() as pool:
        jobs = [asyncio.ensure_future(pool.do("endless", RecordingListener())) for _ in range(3)]
        await pool.do("hello", RecordingListener())  # runs before the other jobs begin
    for job in jobs:
        with pytest.raises((EngineError, LostWorkerError)):
            await job
    with pytest.raises(EngineError):
        await pool.do("hello", RecordingListener())
