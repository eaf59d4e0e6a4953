"""Coroutines run from synchronous code: within a running loop, in threads, interrupted, and in a fork."""

import asyncio
import signal
import subprocess
import sys
import threading
from functools import partial

import pytest

from quaestor.errors import InputError
from quaestor.library.waiting import run_in_background, run_sync


async def number() -> int:
    await asyncio.sleep(0)
    return 42


def test_error_of_the_loop_thread_is_raised_in_the_caller() -> None:
    async def fail() -> None:
        raise LookupError("not here")

    async def notebook() -> None:
        run_sync(fail())

    with pytest.raises(LookupError):
        run_sync(fail())
    for waited in (notebook(), run_in_background(fail())):
        with pytest.raises(LookupError):
            asyncio.run(waited)


def test_all_plain_calls_share_one_loop() -> None:
    async def where() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    found = {run_sync(where()), asyncio.run(run_in_background(where()))}
    thread = threading.Thread(target=lambda: found.add(run_sync(where())))
    thread.start()
    thread.join()
    assert len(found) == 1


def test_nested_synchronous_calls_are_refused() -> None:
    async def nested() -> int:
        return run_sync(number())

    with pytest.raises(InputError):
        run_sync(nested())

    async def awaited() -> int:
        return await run_in_background(number())

    assert run_sync(awaited()) == 42


def test_work_cleans_up_if_the_call_that_waits_for_it_is_cancelled() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.01)
            ended.set()

    async def cancel() -> None:
        waiting = asyncio.ensure_future(run_in_background(work()))
        await asyncio.to_thread(begun.wait, 10)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(cancel())
    assert ended.wait(10)


def test_work_ends_before_an_interrupt_is_raised(request: pytest.FixtureRequest) -> None:
    # Shells start background jobs with SIGINT ignored, which Python inherits.
    request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT)))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ended: list[str] = []
    main = threading.main_thread().ident
    assert main is not None

    async def work() -> None:
        asyncio.get_running_loop().call_later(0.05, signal.pthread_kill, main, signal.SIGINT)
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("ended")

    with pytest.raises(KeyboardInterrupt):
        run_sync(work())
    assert ended == ["ended"]
    assert run_sync(number()) == 42


@pytest.mark.very_slow
def test_process_exits_cleanly_and_a_fork_has_its_own_loop() -> None:
    code = """
import asyncio, os, sys
import quaestor
from quaestor.library.waiting import run_sync
conversation = quaestor.open("sample#QUIL/2007/page_88.pdf").conversation()
print(conversation.ask("what was the exercise price in 2007?"), flush=True)
async def number():
    return 42
if os.fork() == 0:
    print(run_sync(number()), flush=True)
    sys.exit()
os.wait()
"""
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "$ 48.65\n42\n", "")
