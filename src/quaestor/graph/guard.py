"""Validates queries before the engine sees them, and estimates the number of rows they join.

Only tokens are parsed; the engine decides whether a query is well formed. Anything other than SELECT and ASK is
refused, as are clauses that leave the graph (SERVICE, FROM), escapes that could hide one, and queries too long or too
deeply nested for a recursive parser.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.errors import QueryError

LONGEST = 5_000
"""Limit in characters for a query."""
DEEPEST = 20
"""Limit for nested brackets."""

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
    """A token of a query."""

    kind: str
    text: str
    start: int

    def is_keyword(self, word: str) -> bool:
        """Return whether the token is a keyword."""
        return self.kind == "word" and self.text.upper() == word


@dataclass(frozen=True, slots=True)
class GuardedQuery:
    """A query that is safe to run.

    Attributes:
        text: The query with comments blanked, exactly as sent to the engine.
        patterns: Triple patterns if the query consists only of patterns and filters; else None.
    """

    text: str
    form: str
    tokens: tuple[Token, ...]
    patterns: tuple[Pattern, ...] | None

    @property
    def keywords(self) -> frozenset[str]:
        """Keywords and function names in lower case."""
        return frozenset(token.text.lower() for token in self.tokens if token.kind == "word")


def guard(query: str, form: str) -> GuardedQuery:
    """Validate a query.

    Args:
        form: SELECT or ASK, as the caller expects.

    Raises:
        QueryError: The query is refused; the error has the reason and the position.
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
    return GuardedQuery(text, form, tokens, _patterns(tokens))


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
    """Return the keyword for the form of the query, after the prefixes."""
    position = 0
    while position < len(tokens) and tokens[position].is_keyword("PREFIX"):
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
    """Return the triple patterns of a query with a single group of patterns and filters; None for other queries."""
    opened = [i for i, token in enumerate(tokens) if token.text == "{" and token.kind == "sign"]
    closed = [i for i, token in enumerate(tokens) if token.text == "}" and token.kind == "sign"]
    if len(opened) != 1 or len(closed) != 1 or closed[0] < opened[0]:
        return None
    return _PatternReader(tokens[opened[0] + 1 : closed[0]]).read()


class _PatternReader:
    """Parses patterns and skips filters; gives up at anything else."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens, self._next = tokens, 0

    def read(self) -> tuple[Pattern, ...] | None:
        found: list[Pattern] = []
        while self._next < len(self._tokens):
            if self._at("."):
                self._next += 1
            elif self._tokens[self._next].is_keyword("FILTER"):
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
                return self._next >= len(self._tokens) or self._at(".") or self._tokens[self._next].is_keyword("FILTER")
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
    """Numbers of triples per predicate: in total, at most per subject, and at most per object."""

    total: int
    of: Mapping[str, tuple[int, int, int]]
    subject: int
    object: int


def fan_out_of(triples: Sequence[Triple]) -> FanOut:
    """Count the triples of a graph per predicate, subject and object."""
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
    """Return an upper bound for the number of rows, joining the patterns greedily by cost."""
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
