"""Store operations run in order, small writes share a transaction, and each fails separately."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from quaestor.errors import DuplicateRecordError
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, PromptRecord, RunRecord, now
from quaestor.store.sqlite import OperationLine


class Line:
    """An operation line whose thread waits until all operations are queued."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._thread, self._all_here = ThreadPoolExecutor(1), threading.Event()
        self._line = OperationLine(self._thread, self._together)
        self._thread.submit(self._all_here.wait)

    @contextmanager
    def _together(self) -> Iterator[None]:
        self.calls.append("begin")
        try:
            yield
        except Exception:
            self.calls.append("back")
            raise
        self.calls.append("commit")

    def add(self, name: str, *, little: bool = True, fails: bool = False) -> "Future[Any]":
        def work() -> str:
            if fails:
                raise ValueError(name)
            self.calls.append(name)
            return name

        return self._line.add(work, little=little)

    def go(self) -> list[str]:
        self._all_here.set()
        self._thread.shutdown()
        return self.calls


def test_waiting_small_writes_share_a_transaction_and_finish_on_commit() -> None:
    line = Line()
    seen: list[list[str]] = []
    futures = [line.add("a"), line.add("b")]
    futures[0].add_done_callback(lambda _: seen.append(list(line.calls)))
    assert line.go() == ["begin", "a", "b", "commit"]
    assert [future.result() for future in futures] == ["a", "b"]
    assert seen == [["begin", "a", "b", "commit"]]


def test_operations_run_in_call_order() -> None:
    line = Line()
    for name, little in (("a", True), ("read", False), ("b", True), ("c", True)):
        line.add(name, little=little)
    assert line.go() == ["a", "read", "begin", "b", "c", "commit"]


def test_failed_operation_rolls_back_the_batch_and_each_is_retried_alone() -> None:
    line = Line()
    first, second, third = line.add("a"), line.add("b", fails=True), line.add("c")
    assert line.go() == ["begin", "a", "back", "a", "c"]
    assert (first.result(), third.result()) == ("a", "c")
    with pytest.raises(ValueError, match="b"):
        second.result()


def test_operation_cancelled_before_its_start_is_not_run() -> None:
    line = Line()
    line.add("a")
    assert line.add("b").cancel()
    assert line.go() == ["a"]


def test_refused_writer_does_not_affect_concurrent_ones(tmp_path: Path) -> None:
    def prompt(number: int) -> PromptRecord:
        return PromptRecord("run", "one", 0, number, "ANSWER", "model", f"asked {number}", "said", now(), now())

    async def write() -> None:
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.create_run(RunRecord("run", {}, "0", "file", "0", 1, now()))
            await store.begin_example(ConversationRecord("run", "one", "page", started=now()))
            numbers = (0, 1, 1, 2, 3)
            ended = await asyncio.gather(*(store.log_prompt(prompt(n)) for n in numbers), return_exceptions=True)
            assert [isinstance(one, DuplicateRecordError) for one in ended] == [False, False, True, False, False]
            assert [one.number for one in await store.prompts("run", "one")] == [0, 1, 2, 3]

    asyncio.run(write())
