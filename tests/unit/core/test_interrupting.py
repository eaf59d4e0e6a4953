"""Interruption of work by another thread."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from quaestor.core.computing import Allowance, InterruptedWork, Interruptible


def forever() -> None:
    while True:
        pass


def swallow_first_interruption() -> None:
    """Continue after the first interruption, like code that swallows every exception."""
    try:
        forever()
    except InterruptedWork:
        forever()


def interrupted_soon(running: Interruptible) -> threading.Timer:
    timer = threading.Timer(0.05, running.interrupt)
    timer.start()
    return timer


@pytest.mark.parametrize("work", [forever, swallow_first_interruption])
def test_endless_work_is_interrupted_by_another_thread(work: Callable[[], None]) -> None:
    running = Interruptible()
    timer = interrupted_soon(running)
    with pytest.raises(InterruptedWork):
        running.run(work)
    assert not running.timed_out
    timer.join()


def test_work_interrupted_before_its_start_does_not_run() -> None:
    running, began = Interruptible(), list[bool]()
    running.interrupt()
    with pytest.raises(InterruptedWork):
        running.run(lambda: began.append(True))
    assert not began


def test_no_interruption_after_the_end_of_the_block() -> None:
    for _ in range(300):
        running = Interruptible()
        thread = threading.Thread(target=running.interrupt)
        with suppress(InterruptedWork):
            running.run(thread.start)
        thread.join()
        sum(range(1000))


@pytest.mark.slow
@pytest.mark.parametrize("work", [forever, swallow_first_interruption])
def test_work_ends_after_its_time_limit(work: Callable[[], None]) -> None:
    running = Interruptible()
    with pytest.raises(InterruptedWork):
        Allowance(0.05).run(work, running)
    assert running.timed_out


def test_parts_of_work_share_one_time_limit() -> None:
    allowance = Allowance(0.05)
    with pytest.raises(InterruptedWork):
        allowance.run(forever, Interruptible())
    with pytest.raises(InterruptedWork):
        allowance.run(lambda: None, Interruptible())
