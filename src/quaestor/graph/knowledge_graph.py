"""The graph of one document: its facts, and guarded SPARQL over them."""

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
from typing import TYPE_CHECKING, Any, Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.core.words import search_words
from quaestor.errors import QueryError
from quaestor.graph.facts import (
    HeaderNumber,
    LineFact,
    MentionFact,
    Observation,
    SectionFact,
    SentenceFact,
    TableFact,
    TextCell,
)
from quaestor.ontology.terms import PREFIXES, Iri, Shortener, Value, digest_of, document_namespace, write_turtle

if TYPE_CHECKING:
    import pyoxigraph as ox


# A worker process for queries that may be too large, warm and shared, ended when a query takes too long.
#
# One worker serves all graphs of this process; a fork has its own.


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


# What a query may be, decided before any engine sees it.
#
# Knows the grammar of tokens, not of queries: whether a query is well formed, the engine says.
#
# Refused: everything but SELECT and ASK, every way out of the graph (SERVICE, FROM), escapes that could spell one of
# them, and texts too long or too deep for a recursive parser.


LONGEST = 5_000
"""The most characters of a query."""
DEEPEST = 20
"""The most brackets within brackets."""

_FORMS = ("SELECT", "ASK")
_OTHER_FORMS = frozenset("CONSTRUCT DESCRIBE INSERT DELETE LOAD CLEAR DROP CREATE COPY MOVE ADD WITH USING".split())
_WAYS_OUT = {"SERVICE": "queries can only read this graph", "FROM": "queries always read this graph"}
_TOKEN = lazy_regex(
    r"""(?P<space>\s+) | (?P<comment>\#[^\n]*) | (?P<iri><[^\x00-\x20<>"{}|^`\\]*>)
    | (?P<string>\"{3}(?:"{0,2}(?:[^"\\]|\\.))*\"{3} | '{3}(?:'{0,2}(?:[^'\\]|\\.))*'{3}
        | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<variable>[?$][^\W]\w*) | (?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    | (?P<name>(?:[^\W\d_][\w.-]{0,100})?:(?:[\w:%\\.-]*[\w:%\\-])? )
    | (?P<word>[^\W\d]\w*) | (?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)
    | (?P<sign>\^\^|&&|\|\||[<>!]=|[][{}().;,<>=!+*/|^?&-])""",
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = "([{", ")]}"

Kind = Literal["iri", "string", "variable", "language", "name", "word", "number", "sign"]
Pattern = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a query."""

    kind: str
    text: str
    start: int

    def says(self, word: str) -> bool:
        """Whether it is that keyword."""
        return self.kind == "word" and self.text.upper() == word


@dataclass(frozen=True, slots=True)
class Guarded:
    """A query that may be run.

    Attributes:
        text: As given, comments blanked; the engine gets exactly this.
        patterns: Its triple patterns, where it is nothing but such patterns and filters; else None.
    """

    text: str
    form: str
    tokens: tuple[Token, ...]
    patterns: tuple[Pattern, ...] | None

    @property
    def keywords(self) -> frozenset[str]:
        """Its keywords and names of functions, in lower case."""
        return frozenset(token.text.lower() for token in self.tokens if token.kind == "word")


def guard(query: str, form: str) -> Guarded:
    """Return a query that may be run.

    Args:
        query: As a person or a model wrote it.
        form: SELECT or ASK, what the caller expects.

    Raises:
        QueryError: It is refused; the error says why and where.
    """
    text = query.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        raise QueryError(f"it has {len(text)} characters, more than {LONGEST}; ask for less at once")
    escape = re.search(r"\\[uU]", text)
    if escape:
        raise QueryError(f"write characters as they are, not as {escape[0]} escapes", escape.start())
    tokens = _tokens(text)
    _check_depth(tokens)
    for token in tokens:
        if token.kind == "word" and (reason := _WAYS_OUT.get(token.text.upper())):
            raise QueryError(f"{token.text.upper()} is not allowed: {reason}", token.start)
    found = _form(tokens)
    if found.text.upper() != form:
        raise QueryError(f"expected a query for {form}, not {found.text.upper()}", found.start)
    for match in reversed([m for m in _TOKEN.finditer(text) if m.lastgroup == "comment"]):
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return Guarded(text, form, tokens, _patterns(tokens))


def _tokens(text: str) -> tuple[Token, ...]:
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise QueryError(f"{text[position : position + 20]!r} is not valid SPARQL; is a quote left open?", position)
        if match.lastgroup not in ("space", "comment"):
            tokens.append(Token(match.lastgroup or "", match[0], position))
        position = match.end()
    return tuple(tokens)


def _check_depth(tokens: Sequence[Token]) -> None:
    depth = 0
    for token in tokens:
        if token.kind == "sign" and token.text in _OPENING:
            depth += 1
        elif token.kind == "sign" and token.text in _CLOSING:
            depth -= 1
        if depth > DEEPEST:
            raise QueryError(f"brackets are nested more than {DEEPEST} deep; flatten it", token.start)


def _form(tokens: Sequence[Token]) -> Token:
    """Return the word that says what kind of query it is, after the prefixes."""
    position = 0
    while position < len(tokens) and tokens[position].says("PREFIX"):
        position += 3
    if position >= len(tokens):
        raise QueryError("no query found; write SELECT ... WHERE { ... } or ASK { ... }")
    token = tokens[position]
    if token.text.upper() in _FORMS and token.kind == "word":
        return token
    if token.text.upper() in _OTHER_FORMS:
        raise QueryError(f"{token.text.upper()} is not allowed; use SELECT or ASK", token.start)
    raise QueryError(f"it begins with {token.text[:20]!r}; begin with SELECT or ASK", token.start)


def _patterns(tokens: Sequence[Token]) -> tuple[Pattern, ...] | None:
    """Return the triple patterns of a query that has one group of patterns and filters; None of any other."""
    opened = [i for i, token in enumerate(tokens) if token.text == "{" and token.kind == "sign"]
    closed = [i for i, token in enumerate(tokens) if token.text == "}" and token.kind == "sign"]
    if len(opened) != 1 or len(closed) != 1 or closed[0] < opened[0]:
        return None
    return _PatternReader(tokens[opened[0] + 1 : closed[0]]).read()


class _PatternReader:
    """Reads patterns and skips filters; gives up at anything else."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens, self._next = tokens, 0

    def read(self) -> tuple[Pattern, ...] | None:
        found: list[Pattern] = []
        while self._next < len(self._tokens):
            if self._at("."):
                self._next += 1
            elif self._tokens[self._next].says("FILTER"):
                if not self._skip_filter():
                    return None
            elif not self._statement(found):
                return None
        return tuple(found) or None

    def _at(self, sign: str) -> bool:
        token = self._tokens[self._next] if self._next < len(self._tokens) else None
        return token is not None and token.kind == "sign" and token.text == sign

    def _skip_filter(self) -> bool:
        self._next += 1
        if self._next < len(self._tokens) and self._tokens[self._next].kind == "word":
            if self._tokens[self._next].text.upper() in ("EXISTS", "NOT"):
                return False
            self._next += 1
        if not self._at("("):
            return False
        depth = 0
        while self._next < len(self._tokens):
            depth += self._at("(") - self._at(")")
            self._next += 1
            if depth == 0:
                return True
        return False

    def _statement(self, found: list[Pattern]) -> bool:
        """Read a subject with its predicates and objects."""
        subject = self._term()
        if subject is None:
            return False
        while (predicate := self._term()) is not None:
            while (value := self._term()) is not None:
                found.append((subject, predicate, value))
                if not self._at(","):
                    break
                self._next += 1
            else:
                return False
            if not self._at(";"):
                return self._next >= len(self._tokens) or self._at(".") or self._tokens[self._next].says("FILTER")
            self._next += 1
            if self._at(".") or self._next >= len(self._tokens):
                return True
        return False

    def _term(self) -> str | None:
        if self._next >= len(self._tokens):
            return None
        token = self._tokens[self._next]
        if token.kind == "sign" or (token.kind == "word" and token.text not in ("a", "true", "false")):
            return None
        self._next += 1
        if token.kind == "string":
            if self._next < len(self._tokens) and self._tokens[self._next].kind == "language":
                self._next += 1
            elif self._at("^^"):
                self._next += 2
        return "rdf:type" if token.text == "a" else token.text


@dataclass(frozen=True)
class FanOut:
    """How many triples a predicate has, at most for one subject, at most for one object.

    Attributes:
        subject: The most triples of one subject.
        object: The most triples with one object.
    """

    total: int
    of: Mapping[str, tuple[int, int, int]]
    subject: int
    object: int


def fan_out_of(triples: Sequence[Triple]) -> FanOut:
    """Return the fan-outs of a graph."""
    by_subject: dict[tuple[str, str], int] = {}
    by_object: dict[tuple[str, str], int] = {}
    alone: dict[str, int] = {}
    valued: dict[str, int] = {}
    counts: dict[str, list[int]] = {}
    for s, p, o in triples:
        by_subject[p, s] = out = by_subject.get((p, s), 0) + 1
        by_object[p, o] = into = by_object.get((p, o), 0) + 1
        alone[s] = alone.get(s, 0) + 1
        valued[o] = valued.get(o, 0) + 1
        count = counts.setdefault(p, [0, 0, 0])
        count[0] += 1
        count[1], count[2] = max(count[1], out), max(count[2], into)
    return FanOut(
        len(triples),
        {p: (count[0], count[1], count[2]) for p, count in counts.items()},
        max(alone.values(), default=0),
        max(valued.values(), default=0),
    )


def estimate(patterns: Sequence[Pattern], fans: FanOut) -> int:
    """Return how many rows the patterns can have at most, joined one after the other, the best next one first."""
    bound: set[str] = set()
    waiting = list(patterns)
    rows = 1
    while waiting:
        costs = [_cost(pattern, bound, fans) for pattern in waiting]
        best = costs.index(min(costs))
        rows *= costs[best]
        bound.update(term for term in waiting.pop(best) if term[0] in "?$")
    return rows


def _cost(pattern: Pattern, bound: set[str], fans: FanOut) -> int:
    def known(term: str) -> bool:
        return term[0] not in "?$" or term in bound

    subject, predicate, value = pattern
    if predicate[0] in "?$" or predicate[0] == "<":
        every, out, into = fans.total, fans.subject, fans.object
    else:
        every, out, into = fans.of.get(predicate, (0, 0, 0))
    if known(subject):
        return max(1, 1 if known(value) else out)
    return max(1, into if known(value) else every)


# SPARQL over one graph: guarded, limited in rows and in time.
#
# Small ones, which cannot join many rows or make long texts, run here in a tenth of a millisecond. All others run in
# a worker process that is ended when the time is over: the engine has no time limit of its own, and no thread can be
# stopped within it. Whatever the engine raises, here or there, becomes a `QueryError`.


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
    """How much a query may take.

    Attributes:
        rows: The most rows of its answer.
        seconds: The most time.
    """

    rows: int = 1000
    seconds: float = 2.0


class Sparql:
    """Answers queries over a set of triples."""

    def __init__(self, triples: Sequence[Triple], namespaces: Mapping[str, str]) -> None:
        """Take the triples, and the prefixes besides the vocabulary's."""
        self._triples = triples
        self._namespaces = dict(namespaces)
        self._prefixes = {**PREFIXES, **namespaces}
        self._shorten = Shortener({iri: name for name, iri in namespaces.items()})

    def select(self, query: str, limits: Limits) -> Rows:
        """Return the rows of a SELECT query.

        Raises:
            QueryError: It is refused, malformed, too slow, or has too many rows.
        """
        guarded = guard(query, "SELECT")
        if self._is_small(guarded):
            names, rows = self._run_here(guarded, limits)
        else:
            names, rows = self._run_there(guarded, limits)
        if len(rows) > limits.rows:
            raise QueryError(f"it has more than {limits.rows} rows; add a LIMIT, or narrower patterns")
        return tuple(dict(zip(names, row, strict=True)) for row in rows)

    def ask(self, query: str, limits: Limits) -> bool:
        """Return the answer of an ASK query.

        Raises:
            QueryError: It is refused, malformed or too slow.
        """
        guarded = guard(query, "ASK")
        if self._is_small(guarded):
            with _engine_errors(guarded):
                return bool(self._query(guarded))
        reply = shared_worker().ask(self._request(guarded, limits), self._turtle)
        return bool(_checked(reply, guarded)["answer"])

    def _is_small(self, guarded: Guarded) -> bool:
        patterns = guarded.patterns
        if len(guarded.tokens) > SMALL_TOKENS or not guarded.keywords <= SMALL_KEYWORDS:
            return False
        return patterns is not None and len(patterns) <= SMALL_PATTERNS and estimate(patterns, self._fans) <= SMALL_ROWS

    def _query(self, guarded: Guarded) -> "ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples":
        return self._store.query(guarded.text, prefixes=self._prefixes)

    def _run_here(self, guarded: Guarded, limits: Limits) -> tuple[list[str], list[list[Value | None]]]:
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

    def _run_there(self, guarded: Guarded, limits: Limits) -> tuple[list[str], list[list[Value | None]]]:
        reply = _checked(shared_worker().ask(self._request(guarded, limits), self._turtle), guarded)
        return reply["names"], [[self._received(term) for term in row] for row in reply["rows"]]

    def _received(self, term: Sequence[str] | None) -> Value | None:
        if term is None:
            return None
        return _literal(term[1], term[2]) if term[0] == "literal" else self._node(term[1])

    def _request(self, guarded: Guarded, limits: Limits) -> Request:
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
def _engine_errors(guarded: Guarded) -> Iterator[None]:
    """Turn whatever the engine raises into a `QueryError`; a panic of the engine is not even an `Exception`."""
    try:
        yield
    except (QueryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001
        raise _engine_error(type(error).__name__, str(error), guarded) from None


def _checked(reply: dict[str, Any], guarded: Guarded) -> dict[str, Any]:
    if "error" in reply:
        raise _engine_error(str(reply["kind"]), str(reply["error"]), guarded)
    return reply


def _engine_error(kind: str, message: str, guarded: Guarded) -> QueryError:
    """Return the error for what the engine raised, and logs what it does not raise of a query's own mistakes."""
    if kind not in ("SyntaxError", "ValueError", "RuntimeError"):
        _log.error("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
        return QueryError("the engine failed at it; write it in another way")
    _log.debug("the SPARQL engine raised %s: %s; the query was %r", kind, message, guarded.text)
    return _malformed(message, guarded)


def _malformed(message: str, guarded: Guarded) -> QueryError:
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


def _complaint(message: str, guarded: Guarded, position: int) -> str:
    """Return what is wrong in a few words, out of the list of all that the grammar would have gone on with."""
    if said := _SENTENCE.search(message):
        return said[0][0].lower() + said[0][1:]
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


# The knowledge graph of one document, frozen.
#
# Holds no question and no answer, and changes nothing once built.


Policy = Literal["strict", "extend"]


@dataclass(frozen=True)
class KnowledgeGraph:
    """All facts of a page.

    Attributes:
        ontology: The digest of the ontology that it was built with.
        observations: The numbers in the tables, row by row.
        mentions: The numbers in the text, in reading order.
        labels: The numbers and years that stand only in headings or in the words of a sentence.
        text_cells: The cells of the tables without a number.
        tables: What each table was taken for, and why.
        lines: The property of each row or column, and why.
        sections: The sections that have a heading.
    """

    document: str
    digest_of_document: str
    ontology: str
    observations: tuple[Observation, ...]
    mentions: tuple[MentionFact, ...]
    labels: tuple[HeaderNumber, ...]
    text_cells: tuple[TextCell, ...]
    sentences: tuple[SentenceFact, ...]
    tables: tuple[TableFact, ...]
    lines: tuple[LineFact, ...]
    sections: tuple[SectionFact, ...] = ()

    @cached_property
    def _triples(self) -> tuple[Triple, ...]:
        """Every triple, sorted, no two the same."""
        from quaestor.graph.writing import graph_to_triples

        return graph_to_triples(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over its triples."""
        return digest_of(self._triples, self.namespaces)

    @property
    def namespaces(self) -> Mapping[str, str]:
        """The prefix of the document's own nodes, besides those of the vocabulary."""
        return {"doc": document_namespace(self.document)}

    @property
    def minted(self) -> tuple[LineFact, ...]:
        """The lines that no property of the ontology matched."""
        return tuple(line for line in self.lines if line.minted)

    def triples(self, s: str | None = None, p: str | None = None, o: str | None = None) -> tuple[Triple, ...]:
        """Return the triples that fit a pattern, sorted; None fits all.

        Args:
            s: A subject as triples write it, such as `kg:CashFlow_2008`.
            p: A predicate, such as `kg:year`.
            o: An object as triples write it: a node, or a literal with its quotes (`"2008"`).
        """
        if s is p is o is None:
            return self._triples
        found: Sequence[Triple] = self._triples
        if s is not None:
            found = self._by_subject.get(s, ())
        elif p is not None:
            found = self._by_predicate.get(p, ())
        return tuple(t for t in found if (p is None or t.p == p) and (o is None or t.o == o))

    def select(self, query: str, limits: Limits | None = None) -> Rows:
        """Return the rows of a SPARQL SELECT query; all prefixes are known.

        Raises:
            QueryError: The query is refused, malformed, too slow, or has too many rows.
        """
        return self._sparql.select(query, limits or Limits())

    def ask(self, query: str, limits: Limits | None = None) -> bool:
        """Return the answer of a SPARQL ASK query; all prefixes are known.

        Raises:
            QueryError: The query is refused, malformed or too slow.
        """
        return self._sparql.ask(query, limits or Limits())

    def to_turtle(self) -> str:
        """Return the graph as Turtle; equal graphs give equal texts."""
        return write_turtle(self._triples, self.namespaces)

    def path_of(self, section: str) -> tuple[str, ...]:
        """Return the headings over a section, the outermost first; none if it has none."""
        return self._paths.get(section, ())

    @cached_property
    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        return {section.id: section.path for section in self.sections}

    @cached_property
    def sentence_words(self) -> tuple[frozenset[str], ...]:
        """The words of each sentence, as `search_words` has them."""
        return tuple(frozenset(search_words(sentence.text)) for sentence in self.sentences)

    def statistics(self) -> dict[str, int | str]:
        """Return the counts of what the graph holds, and the classes of its tables."""
        return {
            "entityType": ", ".join(dict.fromkeys(table.name for table in self.tables)),
            "instances": len({o.instance for o in self.observations} | {c.instance for c in self.text_cells}),
            "observations": len(self.observations),
            "mentions": len(self.mentions),
            "labels": len(self.labels),
            "lines": len(self.lines),
            "minted": len(self.minted),
            "triples": len(self._triples),
        }

    @cached_property
    def _by_subject(self) -> Mapping[str, list[Triple]]:
        return _grouped(self._triples, 0)

    @cached_property
    def _by_predicate(self) -> Mapping[str, list[Triple]]:
        return _grouped(self._triples, 1)

    @cached_property
    def _sparql(self) -> Sparql:
        return Sparql(self._triples, self.namespaces)


def _grouped(triples: tuple[Triple, ...], place: int) -> dict[str, list[Triple]]:
    found: dict[str, list[Triple]] = {}
    for triple in triples:
        found.setdefault(triple[place], []).append(triple)
    return found


# Cells that have no value, for whoever asked for one.
#
# A dash is not a value, be it printed as one or, in some files, as a year: no instance has it, so a query for it
# finds nothing.


def empty_cells_named(graph: KnowledgeGraph, query: str, form: str = "SELECT") -> tuple[TextCell, ...]:
    """Return the empty cells of the properties that a query names, of the instances that it names if it names any.

    Raises:
        QueryError: The query is refused.
    """
    names = {token.text for token in guard(query, form).tokens if token.kind == "name"}
    asked = [cell for cell in graph.text_cells if cell.empty and cell.predicate in names]
    instances = names & ({o.instance for o in graph.observations} | {cell.instance for cell in graph.text_cells})
    return tuple(cell for cell in asked if not instances or cell.instance in instances)


def show_empty(cell: TextCell) -> str:
    """Return one line: the property, the instance and why there is no value."""
    return f"{cell.predicate} of {cell.instance} is empty ({cell.why_empty})"
