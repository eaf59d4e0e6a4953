"""What a document shows of types: labels of properties, and words for classes.

Sees tables and texts; there is no question in a document.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from quaestor.core.provenance import Source
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.ontology.classes import Context, contexts_of
from quaestor.ontology.lines import body_cells, line_of, property_axis, property_lines
from quaestor.ontology.phrases import noun_phrase_in, topics

Range = Literal["xsd:decimal", "xsd:gYear", "xsd:string"]

TEXT = -1
"""The table index of a label that is in a sentence."""

_YEAR_LABEL = re.compile(r"\b(?:years?|maturity|matures|expir\w+|opened|founded|established)\b")
_BARE_YEAR = re.compile(r"(?:19[5-9]|20[0-9])[0-9]")


@dataclass(frozen=True, slots=True)
class LabelSighting:
    """A label of a property.

    Attributes:
        label: Without its period.
        concept: What tags call all numbers of the line, for the company as a whole; or "".
    """

    label: str
    range: Range
    table: int
    concept: str = ""


@dataclass(frozen=True, slots=True)
class LabelEvidence:
    """What the rules saw in one document.

    Attributes:
        labels: Of properties, repeats kept.
        topics: Words for classes.
        contexts: The texts in and around each table, by the table's index; they decide on the labels' class.
    """

    labels: tuple[LabelSighting, ...] = ()
    topics: tuple[str, ...] = ()
    contexts: dict[int, Context] = field(default_factory=dict)


def extract_labels(document: Document) -> LabelEvidence:
    """Find row and column labels, captions, headings and noun phrases by rule."""
    concepts = {tagged.source: tagged.fact.concept for tagged in document.facts if not tagged.fact.dimensions}
    labels = [sighting for table in document.tables for sighting in _labels(table, concepts)]
    labels += [
        LabelSighting(phrase, "xsd:decimal", TEXT)
        for sentence in document.sentences
        for _, phrase in noun_phrase_in(sentence)
    ]
    named = (topic for sentence in document.sentences for topic in topics(sentence.text))
    return LabelEvidence(tuple(labels), tuple(dict.fromkeys(named)), contexts_of(document))


def _labels(table: Table, concepts: Mapping[Source, str]) -> list[LabelSighting]:
    axis = property_axis(table)
    cells: dict[int, list[Cell]] = {}
    for cell in body_cells(table):
        cells.setdefault(line_of(cell, axis), []).append(cell)
    found = []
    for line in property_lines(table):
        own = cells.get(line.index, [])
        numeric = any(cell.quantities for cell in own)
        called = {concepts.get(cell.ref, "") for cell in own if cell.quantities}
        concept = called.pop() if len(called) == 1 else ""
        kind = _range(line.label, [cell.text for cell in own], numeric)
        found.append(LabelSighting(line.label, kind, table.index, concept))
    return found


def _range(label: str, texts: list[str], numeric: bool) -> Range:
    if not numeric:
        return "xsd:string"
    years = all(_BARE_YEAR.fullmatch(text.strip()) for text in texts)
    return "xsd:gYear" if years and _YEAR_LABEL.search(label.casefold()) else "xsd:decimal"
