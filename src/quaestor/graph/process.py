"""A worker process for queries that may be too large, warm and shared, ended when a query takes too long.

One worker serves all graphs of this process; a fork has its own.
"""

import atexit
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.errors import QueryError

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """A query for the worker.

    Attributes:
        prefixes: Every prefix that it may use.
        rows: The most rows.
        seconds: The most time.
    """

    graph: str
    query: str
    prefixes: Mapping[str, str]
    rows: int
    seconds: float


class Worker:
    """A process that answers one query after the other."""

    def __init__(self) -> None:
        """Start nothing: the first query does."""
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, request: Request, turtle: str) -> dict[str, Any]:
        """Return the worker's reply.

        Args:
            turtle: The graph, sent when the worker does not have it.

        Raises:
            QueryError: The time is over, or it took too much memory. The worker is gone then; the next query
                starts another one.
        """
        with self._lock:
            self._start()
            fields: dict[str, Any] = {
                "graph": request.graph,
                "query": request.query,
                "prefixes": dict(request.prefixes),
                "rows": request.rows,
                "seconds": math.ceil(request.seconds) + 1,
            }
            reply = self._send(fields, request.seconds)
            return self._send({**fields, "turtle": turtle}, request.seconds) if "missing" in reply else reply

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return
        if self._owner == os.getpid():
            self._stop()
        self._process = subprocess.Popen(
            [sys.executable, str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        self._owner = os.getpid()
        atexit.unregister(self.close)
        atexit.register(self.close)
        self._send({"graph": "", "seconds": 1}, _START_SECONDS)  # the time of starting counts against no query

    def _send(self, fields: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(json.dumps(fields) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line.endswith("\n"):  # a worker that is ended while it writes leaves half a line
            self._stop()
            if late.is_set():
                raise QueryError(f"it took more than {seconds:g} seconds; join its patterns, or ask for less")
            raise QueryError("it took too much memory or is too deeply nested; join its patterns, or ask for less")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # the worker left before it read what was sent


_shared = Worker()


def shared_worker() -> Worker:
    """Return the worker of this process."""
    return _shared
