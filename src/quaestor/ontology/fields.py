"""Tables of the stored attributes of records: each attribute with its predicate, and its form as a term."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quaestor.core.serial import Triple
from quaestor.ontology.terms import decimal_term, read_term, text_term

Node = Mapping[str, Sequence[str]]
"""The objects of each predicate of a subject."""


@dataclass(frozen=True, slots=True)
class TermForm:
    """Conversion of a kind of values to terms and back."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]


def read_text(term: str) -> str:
    """Return the text of a literal."""
    return str(read_term(term))


TEXT, WHOLE, NODE = TermForm(text_term, read_text), TermForm(str, int), TermForm(str, str)
NUMBER = TermForm(decimal_term, lambda term: Decimal(read_text(term)))
SCORE = TermForm(lambda score: f'"{score}"^^xsd:decimal', lambda term: float(read_text(term)))
_ALWAYS = object()


@dataclass(frozen=True, slots=True)
class Field:
    """Attribute of a record with its predicate.

    Attributes:
        absent: The value that is not written.
        many: Whether the value is a sorted tuple, written as one triple for each entry.
    """

    name: str
    predicate: str
    form: TermForm
    absent: object = _ALWAYS
    many: bool = False


def write_fields(node: str, value: object, fields: Sequence[Field]) -> Iterator[Triple]:
    """Yield the triples of some attributes of a record."""
    for field in fields:
        found = getattr(value, field.name)
        for one in found if field.many else [found] if found != field.absent else []:
            yield Triple(node, field.predicate, field.form.write(one))


def read_fields(node: Node, fields: Sequence[Field]) -> dict[str, Any]:
    """Return the attributes written by `write_fields`; raise ValueError if one is missing or has several values."""
    return {field.name: _read_field(node, field) for field in fields}


def _read_field(node: Node, field: Field) -> object:
    if field.many:
        return tuple(sorted(map(field.form.read, node.get(field.predicate, ()))))
    if field.predicate not in node and field.absent is not _ALWAYS:
        return field.absent
    return field.form.read(only_object(node, field.predicate))


def only_object(node: Node, predicate: str) -> str:
    """Return the only object of a predicate."""
    found = node.get(predicate, ())
    if len(found) != 1:
        raise ValueError(f"{len(found)} values of {predicate}")
    return found[0]
