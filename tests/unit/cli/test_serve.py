"""`quaestor serve` as a process, and arguments of `quaestor mcp`; `tests/unit/mcp_server` tests its sessions."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from command_line import Quaestor, refused

from quaestor.web.serving import bind


@contextmanager
def start_server(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the server, and yield the process and the first line that it prints."""
    code = "from quaestor.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline()
        finally:
            process.kill()


def address_in(line: str) -> str:
    return next(word for word in line.split() if word.startswith("http://"))


@pytest.mark.very_slow
def test_server_prints_its_address_and_stops_cleanly_on_interrupt(tmp_path: Path) -> None:
    with start_server(tmp_path) as (process, line):
        with urlopen(address_in(line), timeout=30) as answer:
            assert b"quaestor" in answer.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (0, "", "")


@pytest.mark.slow
def test_token_is_printed_once_if_required(tmp_path: Path) -> None:
    with start_server(tmp_path, "--host", "0.0.0.0") as (_, line):
        address, _, token = address_in(line).partition("?token=")
        assert len(token) > 40
        local = f"http://127.0.0.1:{address.rstrip('/').rpartition(':')[2]}/"
        with pytest.raises(HTTPError) as refused:
            urlopen(local, timeout=30)
        refused.value.close()
        assert refused.value.code == 401


@pytest.mark.very_slow
@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_configured_token_is_not_printed(tmp_path: Path, command: str) -> None:
    token = "canary-0123456789"
    more = ["--http"] if command == "mcp" else []
    code = "from quaestor.cli import main; raise SystemExit(main())"
    started = [sys.executable, "-u", "-c", code, command, "--port", "0", "--host", "0.0.0.0", "--token", token, *more]
    with subprocess.Popen(
        started, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=30)[0]
    assert "http://" in first
    assert token not in first + rest


def test_occupied_port_is_reported_in_one_line(quaestor: Quaestor) -> None:
    with bind("127.0.0.1", 0) as taken:
        refused(quaestor("serve", "--port", str(taken.getsockname()[1])))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("serve --port 0 --store sqlite://", "in memory"),
        ("serve --port 0 --token short", "16 ASCII"),
        ("serve --port 0 --trusted-proxies 10.0.0.1,example.com", "example.com"),
        ("serve --port 0 --trusted-proxies *", "*"),
        ("serve --port 0 --host 'no such host'", "quaestor: "),
        ("serve --port 0 --solver nobody", "nobody"),
        ("serve --port 0 missing.htm", "missing.htm"),
        ("mcp missing", "quaestor: "),
        ("mcp --exports missing", "quaestor: "),
        ("mcp --store sqlite://", "in memory"),
        ("mcp --solver nobody", "nobody"),
        ("mcp --http --token short", "16 ASCII"),
        ("mcp --http --port 0 --host 'no such host'", "quaestor: "),
        ("mcp --store /dev/null/runs.db", "/dev/null"),
    ],
)
def test_serve_errors_are_one_line(quaestor: Quaestor, command: str, message: str) -> None:
    assert message in refused(quaestor(command))
