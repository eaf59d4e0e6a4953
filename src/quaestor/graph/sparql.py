"""SPARQL queries over one graph, guarded and with limits on rows and time.

Queries run in a worker process, which is killed at the time limit, since the engine has no time limit and a thread in
it cannot be stopped. One worker serves all graphs of this process; a fork starts another one. All exceptions of the
engine become a `QueryError`.
"""

import atexit
import hashlib
import json
import logging
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.errors import QueryError
from quaestor.graph.guard import GuardedQuery, guard
from quaestor.ontology.terms import PREFIXES, Iri, Shortener, Value, write_turtle

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 30.0
"""Time limit for starting the worker and for loading a graph, which do not count against a query."""


class Worker:
    """A process that answers queries one at a time."""

    def __init__(self) -> None:
        """Create the worker; the process starts with the first query."""
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, request: Mapping[str, Any], turtle: str) -> dict[str, Any]:
        """Return the worker's reply."""
        seconds = request["seconds"]
        with self._lock:
            self._start()
            fields = {**request, "seconds": math.ceil(seconds) + 1}
            reply = self._send(fields, seconds)
            if "missing" in reply:
                self._send({"graph": request["graph"], "turtle": turtle}, _START_SECONDS)
                reply = self._send(fields, seconds)
            return reply

    def close(self) -> None:
        """End the process if it is running."""
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
        self._send({"graph": ""}, _START_SECONDS)

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
        if not line.endswith("\n"):  # a worker that is killed while writing leaves an incomplete line
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
        for pipe in filter(None, (process.stdin, process.stdout)):
            with suppress(BrokenPipeError):  # the worker exited before reading the request
                pipe.close()


WORKER = Worker()
"""The worker of this process."""

Rows = tuple[dict[str, Value | None], ...]
"""One dict per row with the value of each variable, None if unbound."""

_XSD = PREFIXES["xsd"]
_NUMBERS = {_XSD + name for name in ("decimal", "double", "float")}
_NUMBER = lazy_regex(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_INTEGER = lazy_regex(r"[+-]?[0-9]{1,400}")
_log = logging.getLogger("quaestor.graph")
_SENTENCE = lazy_regex(r"\bThe [\w ]+")
_LONGEST_COMPLAINT = 300
_ONE_SIGN = lazy_regex(r": expected (\"[^\"]+\")$")
EXAMPLE = "SELECT ?row ?value WHERE { ?o kg:rowLabel ?row ; kg:value ?value }"
"""A query that works for every graph, shown as an example in error messages."""

_PLACE = lazy_regex(r"error at ([0-9]+):([0-9]+): ")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for a query."""

    rows: int = 1000
    seconds: float = 2.0


class Sparql:
    """Runs queries over a set of triples."""

    def __init__(self, triples: Sequence[Triple], namespaces: Mapping[str, str]) -> None:
        """Create the query interface; `namespaces` are prefixes in addition to those of the vocabulary."""
        self._triples = triples
        self._namespaces = dict(namespaces)
        self._prefixes = {**PREFIXES, **namespaces}
        self._shorten = Shortener({iri: name for name, iri in namespaces.items()})

    def select(self, query: str, limits: Limits | None = None) -> Rows:
        """Return the rows of a SELECT query."""
        limits = limits or Limits()
        reply = self._ask_worker(guard(query, "SELECT"), limits)
        if len(reply["rows"]) > limits.rows:
            raise QueryError(f"it has more than {limits.rows} rows; add a LIMIT, or narrower patterns")
        return tuple(dict(zip(reply["names"], map(self._value, row), strict=True)) for row in reply["rows"])

    def ask(self, query: str, limits: Limits | None = None) -> bool:
        """Return the result of an ASK query."""
        return bool(self._ask_worker(guard(query, "ASK"), limits or Limits())["answer"])

    def _ask_worker(self, guarded: GuardedQuery, limits: Limits) -> dict[str, Any]:
        request = {"graph": self._key, "query": guarded.text, "prefixes": self._prefixes, **asdict(limits)}
        reply = WORKER.ask(request, self._turtle)
        if "error" in reply:
            raise _engine_error(str(reply["kind"]), str(reply["error"]), guarded)
        return reply

    def _value(self, term: Sequence[str] | None) -> Value | None:
        if term is None:
            return None
        kind, text, datatype = term
        return _literal(text, datatype) if kind == "literal" else Iri(self._shorten.iri(text).strip("<>"))

    @cached_property
    def _turtle(self) -> str:
        return write_turtle(self._triples, self._namespaces)

    @cached_property
    def _key(self) -> str:
        return hashlib.sha256(self._turtle.encode()).hexdigest()


def _literal(text: str, datatype: str) -> Value:
    """Return the value of a literal, or its text if it does not fit the datatype or is too long for a number."""
    if datatype in _NUMBERS and _NUMBER.fullmatch(text):
        return Decimal(text)
    if datatype == _XSD + "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if datatype == _XSD + "boolean" and text in _BOOLEANS:
        return _BOOLEANS[text]
    return text


def _engine_error(kind: str, message: str, guarded: GuardedQuery) -> QueryError:
    """Return a `QueryError` for an error of the engine; log errors that are not due to the query."""
    if kind not in ("SyntaxError", "ValueError", "RuntimeError"):
        _log.error("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
        return QueryError("the engine failed at it; write it in another way")
    _log.debug("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
    return _locate_complaint(message, guarded)


def _locate_complaint(message: str, guarded: GuardedQuery) -> QueryError:
    """Return a syntax error of the engine with its position in the query."""
    place = _PLACE.search(message)
    if place is None:
        return QueryError(message[:_LONGEST_COMPLAINT])
    line, column = int(place[1]), int(place[2])
    lines = guarded.text.split("\n")
    position = sum(len(text) + 1 for text in lines[: line - 1]) + column - 1
    unknown = re.search(r"(?<![\w-])([\w-]++):[^\s:]*$", guarded.text[:position].split(" ")[-1])
    known = {"kg", "doc", *PREFIXES}
    if unknown and unknown[1] not in known:
        return QueryError(f"unknown prefix {unknown[1]!r}; known prefixes: {', '.join(sorted(known))}", position)
    found = " ".join(guarded.text[max(0, position - 25) : position].split())
    return QueryError(
        f"line {line}, column {column}, after {found!r}: {_complaint(message, guarded, position)}; example: {EXAMPLE}",
        position,
    )


def _complaint(message: str, guarded: GuardedQuery, position: int) -> str:
    """Summarize a syntax error, instead of listing everything that the grammar expects."""
    if sentence := _SENTENCE.search(message):
        return sentence[0][0].lower() + sentence[0][1:]
    wanted = _ONE_SIGN.search(message)
    hint = f", expected {wanted[1]}" if wanted else ""
    token = next((token for token in guarded.tokens if token.start + len(token.text) > position), None)
    if token is not None:
        return f"unexpected {token.text[:40]!r}{hint}"
    last, texts = guarded.tokens[-1], [token.text for token in guarded.tokens if token.kind == "sign"]
    if last.kind == "word" or texts.count("{") > texts.count("}") or texts.count("(") > texts.count(")"):
        return f"unexpected end{hint}"
    # The engine reports the end of a complete query if something inside it is wrong.
    return f"something before {last.text[:40]!r} is missing or wrong"
