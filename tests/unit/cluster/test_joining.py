import asyncio
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from quaestor.cluster.local_ray import _descendants
from quaestor.cluster.ray_workers import _environment, _preserve_signals, joined_cluster
from quaestor.errors import EngineError, InputError


def join(address: str) -> None:
    async def scenario() -> None:
        async with joined_cluster(1, address):
            pytest.fail("there is none")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "address", ["", "node", "node:", ":6379", "node:port", "node:0", "node:70000", "ray://node:10001"]
)
def test_a_malformed_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(InputError) as caught:
        join(address)
    assert "\n" not in str(caught.value)


def test_a_missing_cluster_is_reported_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(EngineError):
        join(f"127.0.0.1:{port}")


def test_existing_environment_variables_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_TEST_SET", "theirs")
    monkeypatch.delenv("QUAESTOR_TEST_FREE", raising=False)
    with _environment({"QUAESTOR_TEST_SET": "ours", "QUAESTOR_TEST_FREE": "ours"}):
        assert (os.environ["QUAESTOR_TEST_SET"], os.environ["QUAESTOR_TEST_FREE"]) == ("theirs", "ours")
    assert os.environ["QUAESTOR_TEST_SET"] == "theirs"
    assert "QUAESTOR_TEST_FREE" not in os.environ


def test_signal_handlers_of_the_program_are_kept() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with _preserve_signals():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGTERM) == before


def test_all_descendants_of_a_process_are_found() -> None:
    inner = "import time; time.sleep(60)"
    outer = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}]).wait()"
    with subprocess.Popen([sys.executable, "-c", outer]) as child:
        until = time.monotonic() + 30
        while len(found := _descendants(child.pid)) < 1 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(found) == 1
        assert {child.pid, *found} <= set(_descendants(os.getpid()))
        os.kill(found[0], 9)
        assert child.wait(timeout=30) == 0
    assert _descendants(child.pid) == []
