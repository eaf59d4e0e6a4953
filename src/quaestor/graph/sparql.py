"""SPARQL over one graph: guarded, limited in rows and in time.

Small queries, which cannot join many rows or make long texts, run here in a tenth of a millisecond. All others run in a
worker process that is ended when the time is over: the engine has no time limit of its own, and no thread can be
stopped within it. One worker serves all graphs of this process; a fork has its own. Whatever the engine raises becomes
a `QueryError`.
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
        prefixes: Every prefix that it may use.
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
            QueryError: The time is over, or it took too much memory. The worker has ended then; the next query
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
        """End the process, if any."""
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


Rows = tuple[dict[str, Value | None], ...]
"""One dict a row: the value of each variable, None if it is unbound."""

SMALL_ROWS = 20_000
SMALL_PATTERNS = 8
SMALL_TOKENS = 400
SMALL_KEYWORDS = frozenset(
    "a abs as asc ask avg bound by contains count datatype desc distinct false filter group having in isblank isiri "
    "isliteral isnumeric isuri lang lcase limit max min not offset order prefix reduced sameterm sample select str "
    "strends strlen strstarts sum true ucase where".split()
)
"""The words of a small query. Others, such as REPLACE and CONCAT, can make a text of gigabytes out of a short one."""

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
"""A query that every graph answers, for who writes one that none does."""

_PLACE = lazy_regex(r"error at ([0-9]+):([0-9]+): ")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a query may take."""

    rows: int = 1000
    seconds: float = 2.0


class Sparql:
    """Answers queries over a set of triples."""

    def __init__(self, triples: Sequence[Triple], namespaces: Mapping[str, str]) -> None:
        """Take the triples, and the prefixes that the vocabulary lacks."""
        self._triples = triples
        self._namespaces = dict(namespaces)
        self._prefixes = {**PREFIXES, **namespaces}
        self._shorten = Shortener({iri: name for name, iri in namespaces.items()})

    def select(self, query: str, limits: Limits | None = None) -> Rows:
        """Return the rows of a SELECT query.

        Raises:
            QueryError: It is refused, malformed, too slow, or has too many rows.
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
        """Return the answer of an ASK query.

        Raises:
            QueryError: It is refused, malformed or too slow.
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
            # The engine's objects may be dropped by this thread only, and an error carries this frame to another one.
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
    """Return a literal's value, or its text if it is not written as its datatype asks or is too long for a number."""
    if datatype in _NUMBERS and _NUMBER.fullmatch(text):
        return Decimal(text)
    if datatype == _XSD + "integer" and _INTEGER.fullmatch(text):
        return int(text)
    if datatype == _XSD + "boolean" and text in _BOOLEANS:
        return _BOOLEANS[text]
    return text


@contextmanager
def _engine_errors(guarded: GuardedQuery) -> Iterator[None]:
    """Turn whatever the engine raises into a `QueryError`; a panic of the engine is not even an `Exception`."""
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
    """Return the error for what the engine raised, and logs what it does not raise of a query's own mistakes."""
    if kind not in ("SyntaxError", "ValueError", "RuntimeError"):
        _log.error("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
        return QueryError("the engine failed at it; write it in another way")
    _log.debug("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
    return _locate_complaint(message, guarded)


def _locate_complaint(message: str, guarded: GuardedQuery) -> QueryError:
    """Return the engine's complaint with the place in the query that it is about."""
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
    """Return what is wrong in a few words, out of the list of all that the grammar would have gone on with."""
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
    # The engine gives up at the end of a query that is whole but for something in it.
    return f"something before {last.text[:40]!r} is missing or wrong"
