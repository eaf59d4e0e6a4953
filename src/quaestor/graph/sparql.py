"""SPARQL queries over one graph, guarded and with limits on rows and time.

Small queries, which cannot join many rows or create long texts, run in this process in a tenth of a millisecond. Others
run in a worker process that is killed after the time limit, because the engine has none and threads cannot be stopped
inside it. One worker serves all graphs of a process; a forked process starts its own. All errors of the engine become
`QueryError`.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.errors import QueryError
from quaestor.graph.guard import FanOut, GuardedQuery, estimate, fan_out_of, guard
from quaestor.ontology.terms import PREFIXES, Iri, Shortener, Value, write_turtle

if TYPE_CHECKING:
    import pyoxigraph as ox


_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """A query for the worker.

    Attributes:
        prefixes: All prefixes that the query may use.
    """

    graph: str
    query: str
    prefixes: Mapping[str, str]
    rows: int
    seconds: float


class Worker:
    """A process that answers queries one at a time."""

    def __init__(self) -> None:
        """Create the worker; the process starts with the first query."""
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, request: Request, turtle: str) -> dict[str, Any]:
        """Send a query and return the reply.

        Args:
            turtle: The graph, sent if the worker does not have it yet.

        Raises:
            QueryError: The query exceeds the limit of time or memory. The process has then ended; the next query starts
                another one.
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
        self._send({"graph": "", "seconds": 1}, _START_SECONDS)  # starting does not count as query time

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
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # the worker exited before reading the request


_shared = Worker()


def shared_worker() -> Worker:
    """Return the worker of this process."""
    return _shared


Rows = tuple[dict[str, Value | None], ...]
"""One dict per row with the value of each variable, None if unbound."""

SMALL_ROWS = 20_000
SMALL_PATTERNS = 8
SMALL_TOKENS = 400
SMALL_KEYWORDS = frozenset(
    "a abs as asc ask avg bound by contains count datatype desc distinct false filter group having in isblank isiri "
    "isliteral isnumeric isuri lang lcase limit max min not offset order prefix reduced sameterm sample select str "
    "strends strlen strstarts sum true ucase where".split()
)
"""Words allowed in small queries; others, such as REPLACE and CONCAT, can create gigabytes of text from a short one."""

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
        """Return the rows of a SELECT query.

        Raises:
            QueryError: The query is refused, malformed, too slow, or has too many rows.
        """
        guarded, limits = guard(query, "SELECT"), limits or Limits()
        if self._is_small(guarded):
            names, rows = self._run_in_process(guarded, limits)
        else:
            names, rows = self._run_in_worker(guarded, limits)
        if len(rows) > limits.rows:
            raise QueryError(f"it has more than {limits.rows} rows; add a LIMIT, or narrower patterns")
        return tuple(dict(zip(names, row, strict=True)) for row in rows)

    def ask(self, query: str, limits: Limits | None = None) -> bool:
        """Return the result of an ASK query.

        Raises:
            QueryError: The query is refused, malformed or too slow.
        """
        guarded = guard(query, "ASK")
        if self._is_small(guarded):
            with _engine_errors(guarded):
                return bool(self._query(guarded))
        reply = shared_worker().ask(self._request(guarded, limits or Limits()), self._turtle)
        return bool(_check_reply(reply, guarded)["answer"])

    def _is_small(self, guarded: GuardedQuery) -> bool:
        patterns = guarded.patterns
        if len(guarded.tokens) > SMALL_TOKENS or not guarded.keywords <= SMALL_KEYWORDS:
            return False
        return patterns is not None and len(patterns) <= SMALL_PATTERNS and estimate(patterns, self._fans) <= SMALL_ROWS

    def _query(self, guarded: GuardedQuery) -> "ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples":
        return self._store.query(guarded.text, prefixes=self._prefixes)

    def _run_in_process(self, guarded: GuardedQuery, limits: Limits) -> tuple[list[str], list[list[Value | None]]]:
        import pyoxigraph as ox

        results = row = None
        try:
            with _engine_errors(guarded):
                results = self._query(guarded)
                assert isinstance(results, ox.QuerySolutions)
                names = [variable.value for variable in results.variables]
                rows, end = list[list[Value | None]](), perf_counter() + limits.seconds
                for row in results:
                    rows.append([self._value(row[i]) for i in range(len(names))])
                    if len(rows) > limits.rows:
                        break
                    if perf_counter() > end:
                        raise QueryError(f"it took more than {limits.seconds:g} seconds; ask for less")
                return names, rows
        finally:
            # Objects of the engine must be released in this thread, but an error may carry this frame to another one.
            del results, row

    def _value(self, term: object) -> Value | None:
        import pyoxigraph as ox

        if term is None:
            return None
        if isinstance(term, ox.Literal):
            return _literal(term.value, term.datatype.value)
        return self._node(term.value if isinstance(term, ox.NamedNode) else str(term))

    def _node(self, iri: str) -> Iri:
        return Iri(self._shorten.iri(iri).strip("<>"))

    def _run_in_worker(self, guarded: GuardedQuery, limits: Limits) -> tuple[list[str], list[list[Value | None]]]:
        reply = _check_reply(shared_worker().ask(self._request(guarded, limits), self._turtle), guarded)
        return reply["names"], [[self._read_term(term) for term in row] for row in reply["rows"]]

    def _read_term(self, term: Sequence[str] | None) -> Value | None:
        if term is None:
            return None
        return _literal(term[1], term[2]) if term[0] == "literal" else self._node(term[1])

    def _request(self, guarded: GuardedQuery, limits: Limits) -> Request:
        return Request(self._key, guarded.text, self._prefixes, limits.rows, limits.seconds)

    @cached_property
    def _turtle(self) -> str:
        return write_turtle(self._triples, self._namespaces)

    @cached_property
    def _key(self) -> str:
        return hashlib.sha256(self._turtle.encode()).hexdigest()

    @cached_property
    def _fans(self) -> FanOut:
        return fan_out_of(self._triples)

    @cached_property
    def _store(self) -> "ox.Store":
        import pyoxigraph as ox

        store = ox.Store()
        header = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in self._prefixes.items())
        body = "".join(f"{s} {p} {o} .\n" for s, p, o in self._triples)
        store.load((header + body).encode(), format=ox.RdfFormat.TURTLE)
        return store


def _literal(text: str, datatype: str) -> Value:
    """Return the value of a literal, or its text if it does not fit the datatype or is too long for a number."""
    if datatype in _NUMBERS and _NUMBER.fullmatch(text):
        return Decimal(text)
    if datatype == _XSD + "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if datatype == _XSD + "boolean" and text in _BOOLEANS:
        return _BOOLEANS[text]
    return text


@contextmanager
def _engine_errors(guarded: GuardedQuery) -> Iterator[None]:
    """Convert any error of the engine to a `QueryError`; a panic is not even an `Exception`."""
    try:
        yield
    except (QueryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001
        raise _engine_error(type(error).__name__, str(error), guarded) from None


def _check_reply(reply: dict[str, Any], guarded: GuardedQuery) -> dict[str, Any]:
    if "error" in reply:
        raise _engine_error(str(reply["kind"]), str(reply["error"]), guarded)
    return reply


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
