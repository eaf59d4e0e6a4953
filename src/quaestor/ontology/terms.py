"""Vocabulary of ontologies and graphs: namespaces, names, and the Turtle form of terms."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.core.serial import Triple
from quaestor.core.words import identifier_parts
from quaestor.errors import OntologyError

if TYPE_CHECKING:
    from pyoxigraph import Quad


# Namespaces and terms of documents and ontologies.

KG = "urn:quaestor:kg#"
"""Our namespace: learned and hand-written classes and properties, and the instances in graphs."""

PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "kg": KG,
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""All prefixes except `doc:`, which differs for each document; see `document_namespace`."""

ROOT_CLASS = "kg:FinancialTable"
"""Class of a table without a more specific one."""

AMOUNT = "kg:amount"
"""Property of values whose row or column has no label, or only a period."""

_RESERVED = frozenset(
    "value scale unit period year table row column index text section sentence start end amount property instance "
    "document digest ontology class variant rule score level label caption axis order page minted gap seen "
    "lines mentions known reason place origin into empty".split()
)
_LONGEST_NAME = 80


def document_namespace(document: str) -> str:
    """Return the namespace of a document's nodes; accepts any id.

    >>> document_namespace("MRO/2007/page_134.pdf")
    'urn:quaestor:document:MRO/2007/page_134.pdf#'
    """
    from urllib.parse import quote

    return f"urn:quaestor:document:{quote(document, safe='/._-')}#"


def slug(text: str) -> str:
    """Return the letters and digits of a text, joined by underscores.

    >>> slug("net income (loss), pre-tax")
    'net_income_loss_pre_tax'
    """
    found = identifier_parts(text.casefold().replace("'", ""))
    return "_".join(found)[:_LONGEST_NAME].strip("_")


def property_name(label: str) -> str:
    """Return the local name for a property with a label; it begins with a letter and is not a reserved term.

    >>> property_name("2.5% notes"), property_name("value")
    ('p_2_5_notes', 'value_reported')
    """
    name = slug(label) or "unnamed"
    if name[0].isdigit():
        name = f"p_{name}"
    return f"{name}_reported" if name in _RESERVED else name


def class_name(label: str) -> str:
    """Return the local name for a class with a label.

    >>> class_name("unrecognized tax benefits")
    'UnrecognizedTaxBenefits'
    """
    name = "".join(word.capitalize() for word in identifier_parts(label.casefold()))[:_LONGEST_NAME]
    return name if name and name[0].isalpha() else f"C{name}"


# Turtle form of terms: `kg:StockOption_2007`, `kg:exercise_price`, `"60.94"^^xsd:decimal`.
#
# Each term has exactly one form, so that equal graphs give equal texts. Blank nodes are not used.

XSD = PREFIXES["xsd"]
_STRING, _INTEGER = f"{XSD}string", f"{XSD}integer"
_LOCAL = lazy_regex(r"[A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_CONTROL = lazy_regex(r"[\x00-\x1f\x7f]")
_LITERAL = lazy_regex(r'"((?:[^"\\]|\\.)*)"(?:\^\^(\S+)|@(\S+))?', re.DOTALL)
_ESCAPED = lazy_regex(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Iri(str):
    """Name of a node: with a prefix if there is one (`kg:CashFlow_2008`), else in full without angle brackets."""

    __slots__ = ()


Value = Iri | str | int | bool | Decimal
"""Python value of a term."""


@lru_cache(maxsize=1024)
def text_term(text: str) -> str:
    """Return a text as a literal."""
    escaped = text.translate(_ESCAPES)
    if _CONTROL.search(escaped):
        escaped = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", escaped)
    return f'"{escaped}"'


def decimal_term(value: Decimal) -> str:
    """Return an exact number as a literal, keeping trailing zeros."""
    return f'"{value:f}"^^xsd:decimal'


def read_term(term: str) -> Value:
    """Return the Python value of a term.

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
    """Serialize triples as Turtle, sorted, one block per subject; equal sets give equal texts.

    Args:
        triples: In any order, repetitions allowed.
        namespaces: Additional prefixes such as `doc`.
    """
    ordered = sorted(set(triples), key=_sort_key)
    return "".join(f"{line}\n" for line in _turtle_lines(ordered, namespaces))


def _sort_key(triple: Triple) -> tuple[str, bool, Triple]:
    return triple.s, triple.p != "rdf:type", triple


def _turtle_lines(triples: Iterable[Triple], namespaces: Mapping[str, str]) -> Iterator[str]:
    """Yield Turtle lines for triples in the given order; the last line of each block ends with a full stop."""
    for name, iri in sorted({**PREFIXES, **namespaces}.items()):
        yield f"@prefix {name}: <{iri}> ."
    subject = line = None
    for triple in triples:
        predicate = "a" if triple.p == "rdf:type" else triple.p
        if triple.s != subject:
            if line is not None:
                yield f"{line} ."
            yield ""
            subject, line = triple.s, f"{triple.s} {predicate} {triple.o}"
        else:
            yield f"{line} ;"
            line = f"    {predicate} {triple.o}"
    if line is not None:
        yield f"{line} ."


def digest_of(triples: Iterable[Triple], namespaces: Mapping[str, str]) -> str:
    """Return the SHA-256 of the Turtle of triples, computed without storing either.

    Args:
        triples: Sorted by subject, without repetitions.
    """
    whole = hashlib.sha256()
    by_subject = (sorted(same, key=_sort_key) for _, same in groupby(triples, key=lambda triple: triple.s))
    for line in _turtle_lines(chain.from_iterable(by_subject), namespaces):
        whole.update(f"{line}\n".encode())
    return whole.hexdigest()


def read_turtle(text: str, what: str) -> tuple[tuple[Triple, ...], dict[str, str]]:
    """Return the sorted triples of a Turtle or N-Triples text, and its declared prefixes.

    Args:
        what: Description for error messages ("the ontology core.ttl").

    Raises:
        OntologyError: The text is not Turtle, or has blank nodes.
    """
    quads, declared = _parse(text, what)
    shorten = Shortener({declared["doc"]: "doc"} if "doc" in declared else {})
    read = {Triple(shorten(q.subject), shorten(q.predicate), shorten(q.object)) for q in quads}
    return tuple(sorted(read)), declared


def read_plainly(text: str, what: str) -> Iterator[tuple[str, str, str]]:
    """Yield the statements of a Turtle text in order: subject, predicate, and plain value of the object.

    Much faster than `read_turtle`, for files of the package whose literals are plain text.

    Raises:
        OntologyError: The text is not Turtle, or has blank nodes.
    """
    import pyoxigraph as ox

    shorten = Shortener({})
    for quad in _parse(text, what)[0]:
        node = quad.object
        value = node.value if isinstance(node, ox.Literal) else shorten(node)
        yield shorten(quad.subject), shorten(quad.predicate), value


Nodes = Mapping[str, Mapping[str, Sequence[str]]]
"""The objects of triples by subject and predicate."""


def group_by_subject(triples: Iterable[tuple[str, str, str]]) -> tuple[Nodes, Mapping[str, Sequence[str]]]:
    """Return the nodes that triples describe, and the names of the nodes of each type; empty for an unknown type."""
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    of_type: defaultdict[str, list[str]] = defaultdict(list)
    for subject, predicate, value in triples:
        nodes[subject][predicate].append(value)
        if predicate == "rdf:type":
            of_type[value].append(subject)
    return nodes, of_type


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
    """Converts terms of pyoxigraph to our form, with a cache because graphs repeat names."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        """Add further prefixes, by namespace."""
        import pyoxigraph as ox

        self._names = {**{iri: name for name, iri in PREFIXES.items()}, **namespaces}
        self._written: dict[str, str] = {}
        self._node, self._literal = ox.NamedNode, ox.Literal

    def __call__(self, term: object) -> str:
        """Return the Turtle form of a term.

        Raises:
            OntologyError: The term is a blank node or a quoted triple.
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
