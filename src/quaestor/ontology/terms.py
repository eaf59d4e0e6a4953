"""The terms of triples as words of Turtle: `kg:StockOption_2007`, `kg:exercise_price`, `"60.94"^^xsd:decimal`.

Every term of a graph has exactly one such form, so that equal graphs are equal texts. Blank nodes are not used.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from quaestor.core.triples import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.vocabulary import PREFIXES

if TYPE_CHECKING:
    from pyoxigraph import Quad

XSD = PREFIXES["xsd"]
_STRING, _INTEGER = f"{XSD}string", f"{XSD}integer"
_LOCAL = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\^\^(\S+)|@(\S+))?', re.DOTALL)
_ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Iri(str):
    """The name of a node: prefixed where a prefix fits (`kg:CashFlow_2008`), else in full without brackets."""

    __slots__ = ()


Value = Iri | str | int | bool | Decimal
"""What a term says in Python."""


@lru_cache(maxsize=1024)
def text_term(text: str) -> str:
    """Return a text as a term."""
    escaped = text.translate(_ESCAPES)
    if _CONTROL.search(escaped):
        escaped = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", escaped)
    return f'"{escaped}"'


def decimal_term(value: Decimal) -> str:
    """Return an exact number as a term, its trailing zeros kept."""
    return f'"{value:f}"^^xsd:decimal'


def read_term(term: str) -> Value:
    """Return what a term says.

    >>> read_term('"60.94"^^xsd:decimal'), read_term("kg:StockOption"), read_term("3")
    (Decimal('60.94'), 'kg:StockOption', 3)
    """
    if not term.startswith('"'):
        return int(term) if term.lstrip("-").isdigit() else Iri(term.strip("<>"))
    found = _LITERAL.fullmatch(term)
    if found is None:
        raise OntologyError(f"cannot read the term {term[:80]!r}: it is not a Turtle literal")
    text = _ESCAPED.sub(_unescape, found[1]) if "\\" in found[1] else found[1]
    if found[2] == "xsd:decimal":
        return Decimal(text)
    return text == "true" if found[2] == "xsd:boolean" else text


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _UNESCAPES.get(code, code)


def write_turtle(triples: Iterable[Triple], namespaces: Mapping[str, str]) -> str:
    """Return triples as Turtle, sorted, one subject a block: equal sets of triples give equal texts.

    Args:
        triples: Any order, repeats allowed.
        namespaces: Prefixes besides those of the vocabulary, such as `doc`.
    """
    ordered = sorted(set(triples), key=_order)
    return "".join(f"{line}\n" for line in _lines(ordered, namespaces))


def _order(triple: Triple) -> tuple[str, bool, Triple]:
    return triple.s, triple.p != "rdf:type", triple


def _lines(triples: Iterable[Triple], namespaces: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a Turtle of triples in their order; the last one of each block ends in a full stop."""
    for name, iri in sorted({**PREFIXES, **namespaces}.items()):
        yield f"@prefix {name}: <{iri}> ."
    subject = held = None
    for triple in triples:
        predicate = "a" if triple.p == "rdf:type" else triple.p
        if triple.s != subject:
            if held is not None:
                yield f"{held} ."
            yield ""
            subject, held = triple.s, f"{triple.s} {predicate} {triple.o}"
        else:
            yield f"{held} ;"
            held = f"    {predicate} {triple.o}"
    if held is not None:
        yield f"{held} ."


def digest_of(triples: Iterable[Triple], namespaces: Mapping[str, str]) -> str:
    """Return the SHA-256 of triples, which is that of their Turtle; neither is ever held whole.

    Args:
        triples: Sorted by subject, each once.
    """
    whole = hashlib.sha256()
    by_subject = (sorted(same, key=_order) for _, same in groupby(triples, key=lambda triple: triple.s))
    for line in _lines(chain.from_iterable(by_subject), namespaces):
        whole.update(f"{line}\n".encode())
    return whole.hexdigest()


def read_turtle(text: str, what: str) -> tuple[tuple[Triple, ...], dict[str, str]]:
    """Return the triples of a Turtle or N-Triples text, sorted, and the prefixes that it declares.

    Args:
        what: What it is, for an error ("the ontology core.ttl").

    Raises:
        OntologyError: It is not Turtle, or has blank nodes.
    """
    quads, declared = _parse(text, what)
    names = {iri: name for name, iri in ({"doc": declared["doc"]} if "doc" in declared else {}).items()}
    shorten = Shortener(names)
    read = {Triple(shorten(q.subject), shorten(q.predicate), shorten(q.object)) for q in quads}
    return tuple(sorted(read)), declared


def read_plainly(text: str, what: str) -> Iterator[tuple[str, str, str]]:
    """Yield the statements of a Turtle text in the text's order: subject, predicate, and what a literal says.

    A fraction of the work of `read_turtle`, for texts of the package whose literals are words for people.

    Raises:
        OntologyError: It is not Turtle, or has blank nodes.
    """
    import pyoxigraph as ox

    shorten = Shortener({})
    for quad in _parse(text, what)[0]:
        said = quad.object
        value = said.value if isinstance(said, ox.Literal) else shorten(said)
        yield shorten(quad.subject), shorten(quad.predicate), value


def _parse(text: str, what: str) -> "tuple[list[Quad], dict[str, str]]":
    import pyoxigraph as ox

    try:
        parser = ox.parse(text.encode(), format=ox.RdfFormat.TURTLE)
        return list(parser), dict(parser.prefixes)
    except SyntaxError as error:
        raise OntologyError(f"cannot read {what} as Turtle: {error}") from None
    except UnicodeEncodeError as error:
        raise OntologyError(f"cannot read {what} as Turtle: half a character at {error.start + 1}") from None


class Shortener:
    """Writes the terms of pyoxigraph in our form. Remembers what it wrote of each name: graphs repeat few of them."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        """Take further prefixes by namespace."""
        import pyoxigraph as ox

        self._names = {**{iri: name for name, iri in PREFIXES.items()}, **namespaces}
        self._written: dict[str, str] = {}
        self._node, self._literal = ox.NamedNode, ox.Literal

    def __call__(self, term: object) -> str:
        """Return a term as Turtle writes it.

        Raises:
            OntologyError: It is a blank node or a quoted triple.
        """
        if isinstance(term, self._node):
            return self.iri(term.value)
        if not isinstance(term, self._literal):
            raise OntologyError(f"cannot use the term {str(term)[:80]!r}: blank nodes cannot be named")
        text, datatype = term.value, term.datatype.value
        if datatype == _STRING:
            return text_term(text)
        if datatype == _INTEGER:
            return str(int(text))
        return f"{text_term(text)}@{term.language}" if term.language else f"{text_term(text)}^^{self.iri(datatype)}"

    def iri(self, iri: str) -> str:
        """Return an IRI with its prefix, or in angle brackets."""
        written = self._written.get(iri)
        if written is None:
            cut = max(iri.rfind("#"), iri.rfind("/")) + 1
            prefix, local = self._names.get(iri[:cut]), iri[cut:]
            written = f"{prefix}:{local}" if prefix and _LOCAL.fullmatch(local) else f"<{iri}>"
            self._written[iri] = written
        return written
