"""Calls in other processes, if processes, messages or the caller fail."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path

import pytest

from quaestor.core.workers import Workers
from quaestor.errors import EngineError, InputError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with make_workers() as pool:
        yield pool


def make_workers(count: int = 2) -> Workers:
    return Workers(count, multiprocessing.get_context("spawn"), "begin again")


def double(number: int) -> int:
    return 2 * number


def fail(error: Exception) -> None:
    raise error


class TwoPartError(Exception):
    """An error that cannot be unpickled, because only its message is pickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail_in_two_parts() -> None:
    raise TwoPartError("one", "two")


class Unreadable:
    def __reduce__(self) -> tuple[object, ...]:
        return int, ("no number",)


def write_half_and_die(size: int) -> bytes:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return b"x" * size


def test_results_come_back_in_the_order_of_the_calls(workers: Workers) -> None:
    assert list(workers.map(double, range(50))) == [2 * number for number in range(50)]


def test_error_of_a_worker_keeps_type_and_traceback(workers: Workers) -> None:
    with pytest.raises(InputError, match="no such thing") as caught:
        workers.submit(fail, InputError("no such thing")).result()
    assert "in a worker process" in "".join(caught.value.__notes__)
    assert workers.submit(double, 4).result() == 8


def test_unpicklable_result_fails_only_its_call(workers: Workers) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        workers.submit(lambda: 1).result()
    with pytest.raises(EngineError, match="TwoPartError: onetwo"):
        workers.submit(fail_in_two_parts).result()
    with pytest.raises(ValueError, match="no number"):
        workers.submit(Unreadable).result()
    assert workers.submit(double, 5).result() == 10


def test_cancelled_call_is_not_sent() -> None:
    with make_workers(1) as workers:
        busy = [workers.submit(time.sleep, 0.5) for _ in range(2)]
        late = workers.submit(double, 1)
        assert late.cancel()
        after = workers.submit(double, 3)
        assert after.result() == 6
        assert all(one.done() for one in busy)
        with pytest.raises(CancelledError):
            late.result()


@pytest.mark.parametrize("size", [10, 50_000_000], ids=["before it answers", "while it writes"])
def test_death_of_a_worker_fails_every_call_immediately(size: int) -> None:
    before = multiprocessing.active_children()
    with make_workers() as workers:
        calls: list[Future[object]] = [workers.submit(write_half_and_die, size)]
        calls += [workers.submit(time.sleep, 60) for _ in range(4)]
        if size == 10:
            calls[0].result()  # it returns its result before it dies
        for call in calls[1:]:
            with pytest.raises(EngineError, match="begin again"):
                call.result(timeout=30)
        with pytest.raises(EngineError):
            workers.submit(double, 1)
    assert set(multiprocessing.active_children()) <= set(before)


def test_leaving_the_block_cancels_unawaited_calls() -> None:
    begun, before = time.monotonic(), multiprocessing.active_children()
    with make_workers() as workers:
        calls = [workers.submit(time.sleep, 300) for _ in range(6)]
        workers.submit(double, 1)
    assert set(multiprocessing.active_children()) <= set(before)
    for call in calls:
        with pytest.raises(EngineError):
            call.result(timeout=10)
    assert time.monotonic() - begun < 60


PARENT = """
import multiprocessing, os, sys, time
from quaestor.core.workers import Workers
if __name__ == "__main__":
    workers = Workers(2, multiprocessing.get_context("spawn"), "begin again")
    print(workers.submit(os.getpid).result(), workers.submit(os.getpid).result(), flush=True)
    calls = [workers.submit(time.sleep, 300) for _ in range(4)]
    time.sleep(300)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_of_a_killed_parent_end_silently(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        assert len(parent.stdout.readline().split()) == 2
        os.killpg(parent.pid, signal.SIGINT) if how is signal.SIGTERM else None
        parent.send_signal(how)
        _, errors = parent.communicate(timeout=60)
    assert "leaked" not in errors
    assert errors.count("Traceback") <= 1
    for _ in range(100):
        try:
            os.killpg(parent.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("workers are left ten seconds after their parent ended")
