"""Validation of queries before they are passed to an engine.

Only tokens are parsed; the engine decides whether a query is well formed. Anything other than SELECT and ASK is
refused, as are clauses that leave the graph (SERVICE, FROM), escapes that could hide one, and queries too long or too
deeply nested for a recursive parser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
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
    """A query that is safe to run."""

    text: str
    tokens: tuple[Token, ...]


def guard(query: str, form: str) -> GuardedQuery:
    """Validate a query."""
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
    return GuardedQuery(text, tokens)


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
