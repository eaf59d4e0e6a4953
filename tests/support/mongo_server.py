"""A MongoDB server for tests in its own process, on a loopback port, which can be killed and paused.

It is SecantusDB as a standalone server, which has no replica set and therefore no transactions.
"""

import gc
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = Path(sys.executable).with_name("secantusd-py")
_STARTS_WITHIN = 60.0


class MongoServer:
    """A server whose port and folder stay the same when it is restarted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port: int = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"mongodb://127.0.0.1:{self._port}"

    def start(self) -> None:
        data, settings = self._folder / "data", self._folder / "secantusd.toml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.touch()  # an empty settings file, so that no other one is read
        command = [
            str(COMMAND),
            "--standalone",
            "--enable-test-commands",
            "--config",
            str(settings),
            "--storage-path",
            str(data),
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--port", str(self._port), "--cache-size", "64M"], stdout=log, stderr=log
            )
        end = time.monotonic() + _STARTS_WITHIN
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start: {(self._folder / 'log').read_text()}")
            time.sleep(0.05)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def kill(self) -> None:
        """End the server as `kill -9` does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Stop the process; its sockets stay open but nobody answers."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)  # its threads run for a moment after the signal

    def go_on(self) -> None:
        """Resume the paused process."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)


@contextmanager
def sockets_forgotten() -> Iterator[None]:
    """Ignore ResourceWarning: if pymongo is closed while connecting, it leaves the socket to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            yield
        finally:
            gc.collect()


def database_uri(server: str, database: str) -> str:
    """Return the URI of a database on the server of a URI; users still authenticate against the original database."""
    scheme, _, rest = server.partition("://")
    address, _, query = rest.partition("?")
    hosts, _, path = address.partition("/")
    if "@" in hosts and "authsource" not in query.lower():
        query = f"authSource={path or 'admin'}&{query}".rstrip("&")
    return f"{scheme}://{hosts}/{database}?{query}".rstrip("?")
