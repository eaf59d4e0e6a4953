"""Serialization of graphs as triples."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.serial import Triple
from quaestor.errors import GraphError
from quaestor.graph.facts import (
    HeaderNumber,
    Heading,
    LineFact,
    MentionFact,
    Observation,
    SectionFact,
    SentenceFact,
    TableFact,
    TextCell,
    period_code,
    read_period_code,
    year_of,
)
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.terms import decimal_term, read_term, text_term

PAGE = "doc:page"
"""Node of the document."""

BEFORE = "pre_text"
"""The section that contains the table of a benchmark page; it is not written."""

Node = Mapping[str, Sequence[str]]
"""The objects of each predicate of a subject."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Conversion of a kind of values to terms and back."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]


def _text(term: str) -> str:
    return str(read_term(term))


_ALWAYS = object()
_TRUE, _FALSE = '"true"^^xsd:boolean', '"false"^^xsd:boolean'
_TEXT, _WHOLE, _NODE = _Kind(text_term, _text), _Kind(str, int), _Kind(str, str)
_NUMBER = _Kind(decimal_term, lambda term: Decimal(_text(term)))
_SCORE = _Kind(lambda score: f'"{score}"^^xsd:decimal', lambda term: float(_text(term)))
_SCALE = _Kind(lambda scale: text_term(scale.value), lambda term: Scale(_text(term)))
_PERIOD = _Kind(lambda period: text_term(period_code(period)), lambda term: read_period_code(_text(term)))
_PERIODS = _Kind(
    lambda periods: text_term(" ".join(map(period_code, periods))),
    lambda term: tuple(map(read_period_code, _text(term).split())),
)
_LINES = _Kind(lambda lines: text_term("\n".join(lines)), lambda term: tuple(_text(term).split("\n")))
_TRUTH = _Kind(lambda truth: _TRUE if truth else _FALSE, lambda term: read_term(term) is True)
_BY_TAG = _Kind(lambda _: text_term("tag"), lambda _: True)


@dataclass(frozen=True, slots=True)
class _Field:
    """Attribute of a fact with its predicate; the value `absent` is not written."""

    name: str
    predicate: str
    kind: _Kind
    absent: object = _ALWAYS


_HEADINGS = {
    name: (_Field("label", f"kg:{name}Label", _TEXT), _Field("levels", f"kg:{name}Levels", _LINES, ()))
    for name in ("row", "column")
}
_PERIOD_FIELD = _Field("period", "kg:period", _PERIOD, None)
_FIELDS: dict[type, tuple[_Field, ...]] = {
    SectionFact: (_Field("id", "kg:section", _TEXT), _Field("path", "kg:sectionPath", _LINES)),
    SentenceFact: (
        _Field("section", "kg:section", _TEXT), _Field("index", "kg:index", _WHOLE),
        _Field("place", "kg:place", _WHOLE), _Field("text", "kg:text", _TEXT),
    ),
    TableFact: (
        _Field("index", "kg:index", _WHOLE), _Field("axis", "kg:axis", _TEXT), _Field("name", "kg:class", _NODE),
        _Field("score", "kg:score", _SCORE), _Field("caption", "kg:caption", _TEXT, ""),
        _Field("section", "kg:section", _TEXT, BEFORE),
    ),
    LineFact: (
        _Field("table", "kg:table", _WHOLE), _Field("axis", "kg:axis", _TEXT), _Field("index", "kg:index", _WHOLE),
        _Field("label", "kg:label", _TEXT), _Field("predicate", "kg:property", _NODE),
        _Field("rule", "kg:rule", _TEXT), _Field("score", "kg:score", _SCORE), _Field("known", "kg:known", _TEXT),
    ),
    Observation: (
        _PERIOD_FIELD, _Field("predicate", "kg:property", _NODE), _Field("instance", "kg:instance", _NODE),
        _Field("order", "kg:order", _WHOLE), _Field("caption", "kg:caption", _TEXT, ""),
        _Field("label_scale", "kg:labelScale", _SCALE, None), _Field("label_unit", "kg:labelUnit", _TEXT, None),
        _Field("concept", "kg:concept", _TEXT, ""), _Field("exact", "kg:exactValue", _NUMBER, None),
        _Field("period_by_tag", "kg:periodBy", _BY_TAG, False),
    ),
    TextCell: (
        _Field("text", "kg:printedText", _TEXT), _Field("predicate", "kg:property", _NODE),
        _Field("instance", "kg:instance", _NODE), _Field("repair", "kg:repair", _TEXT, None),
        _Field("empty", "kg:empty", _TRUTH, False),
    ),
    MentionFact: (
        _PERIOD_FIELD, _Field("other_periods", "kg:otherPeriods", _PERIODS, ()), _Field("order", "kg:order", _WHOLE),
        _Field("predicate", "kg:property", _NODE, None),
    ),
    HeaderNumber: (
        _PERIOD_FIELD, _Field("label", "rdfs:label", _TEXT), _Field("year", "kg:namesYear", _TRUTH),
    ),
    Quantity: (
        _Field("value", "kg:value", _NUMBER), _Field("text", "kg:printedText", _TEXT),
        _Field("scale", "kg:printedScale", _SCALE, Scale.ONE), _Field("unit", "kg:printedUnit", _TEXT, None),
    ),
    CellRef: tuple(_Field(name, f"kg:{name}", _WHOLE) for name in ("table", "row", "column")),
    SentenceRef: tuple(_Field(name, f"kg:{name}", _WHOLE) for name in ("start", "end")),
}  # fmt: skip
"""The stored attributes of each kind of fact."""


def _write(node: str, value: object, fields: Sequence[_Field]) -> Iterable[Triple]:
    for field in fields:
        if (found := getattr(value, field.name)) != field.absent:
            yield Triple(node, field.predicate, field.kind.write(found))


def _read(node: Node, fields: Sequence[_Field]) -> dict[str, Any]:
    return {
        field.name: field.absent
        if field.predicate not in node and field.absent is not _ALWAYS
        else field.kind.read(_only(node, field.predicate))
        for field in fields
    }


def _only(node: Node, predicate: str) -> str:
    """Return the only object of a predicate."""
    found = node.get(predicate, ())
    if len(found) != 1:
        raise ValueError(f"{len(found)} values of {predicate}")
    return found[0]


def graph_to_triples(graph: KnowledgeGraph) -> tuple[Triple, ...]:
    """Return all facts as sorted triples without duplicates."""
    found = {
        Triple(PAGE, "rdf:type", "kg:Document"),
        Triple(PAGE, "dcterms:identifier", text_term(graph.document)),
        Triple(PAGE, "kg:digest", text_term(graph.digest_of_document)),
        Triple(PAGE, "kg:ontology", text_term(graph.ontology)),
    }
    page_lead = lead_on_a_page(graph.sentences)
    classes = {table.index: table.name for table in graph.tables}
    for table in graph.tables:
        found.update(_table(table, page_lead))
    for place, section in enumerate(graph.sections):
        found.update(_fact(f"doc:{section.id}", "kg:Section", section))
        found.add(Triple(f"doc:{section.id}", "kg:index", str(place)))
    for line in graph.lines:
        found.update(_line(line))
    for observation in graph.observations:
        found.update(_instance(observation, classes[observation.source.table]))
        found.update(_fact(observation_node(observation), "kg:Observation", observation))
    for cell in graph.text_cells:
        found.update(_instance(cell, classes[cell.source.table]))
        found.update(_fact(text_node(cell), "kg:TextCell", cell))
    for sentence in graph.sentences:
        found.update(_fact(f"doc:{sentence.section}_{sentence.index}", "kg:Sentence", sentence))
    for mention in graph.mentions:
        node = mention_node(mention)
        found.update(_fact(node, "kg:Mention", mention))
        found.add(Triple(node, "kg:wordsBefore", text_term(mention.before)))
        found.add(Triple(node, "kg:wordsAfter", text_term(mention.after)))
    for place, label in enumerate(graph.labels):
        found.update(_fact(label_node(place), "kg:HeaderNumber", label))
        found.add(Triple(label_node(place), "kg:order", str(place)))
    return tuple(sorted(found))


def observation_node(observation: Observation) -> str:
    """Return the node of an observation."""
    ref = observation.source
    return f"doc:obs_{ref.table}_{ref.row}_{ref.column}_{observation.order}"


def text_node(cell: TextCell) -> str:
    """Return the node of a text cell."""
    ref = cell.source
    return f"doc:text_{ref.table}_{ref.row}_{ref.column}"


def mention_node(mention: MentionFact) -> str:
    """Return the node of a mention."""
    return f"doc:mention_{mention.source.section}_{mention.source.sentence}_{mention.order}"


def label_node(place: int) -> str:
    """Return the node of a number in a label, by its index."""
    return f"doc:label_{place}"


def lead_on_a_page(sentences: Sequence[SentenceFact]) -> tuple[int, int]:
    """Return the range of sentences that lead to the table of a benchmark page: all before it.

    This default and the table's section are not written.
    """
    return 0, sum(sentence.section == BEFORE for sentence in sentences)


def _fact(node: str, kind: str, fact: object) -> Iterable[Triple]:
    """Yield the triples of a fact: its fields, headings, printed number and place."""
    yield Triple(node, "rdf:type", kind)
    yield from _write(node, fact, _FIELDS[type(fact)])
    if isinstance(fact, Observation | TextCell):
        for name, heading in (("row", fact.row), ("column", fact.column)):
            yield from _write(node, heading, _HEADINGS[name])
    if isinstance(fact, Observation | MentionFact | HeaderNumber):
        yield from _write(node, fact.quantity, _FIELDS[Quantity])
        yield from _year(node, fact.period)
        counted = fact if isinstance(fact, Observation) else fact.quantity
        yield Triple(node, "kg:scale", text_term(counted.scale.value))
        if counted.unit is not None:
            yield Triple(node, "kg:unit", text_term(counted.unit))
    if isinstance(fact, Observation | TextCell | MentionFact | HeaderNumber):
        yield from _place(node, fact.source)


def _place(node: str, ref: CellRef | SentenceRef) -> Iterable[Triple]:
    if isinstance(ref, CellRef):
        place, kind = f"doc:cell_{ref.table}_{ref.row}_{ref.column}", "kg:Cell"
    else:
        place, kind = f"doc:{ref.section}_{ref.sentence}_{ref.start}_{ref.end}", "kg:Span"
        yield Triple(place, "kg:sentence", f"doc:{ref.section}_{ref.sentence}")
    yield Triple(node, "prov:wasDerivedFrom", place)
    yield from _fact(place, kind, ref)


def _year(node: str, period: Period | None) -> Iterable[Triple]:
    if period is not None:
        yield Triple(node, "kg:year", f'"{year_of(period)}"')


def _table(fact: TableFact, page_lead: tuple[int, int]) -> Iterable[Triple]:
    node = f"doc:table_{fact.index}"
    yield from _fact(node, "kg:Table", fact)
    if fact.lead != page_lead:
        yield Triple(node, "kg:leadFrom", str(fact.lead[0]))
        yield Triple(node, "kg:leadTo", str(fact.lead[1]))
    for place, reason in enumerate(fact.reasons):
        yield Triple(node, "kg:reason", text_term(f"{place}: {reason}"))


def _line(line: LineFact) -> Iterable[Triple]:
    yield from _fact(f"doc:line_{line.table}_{line.axis}_{line.index}", "kg:Line", line)
    if line.minted:
        yield Triple(line.predicate, "rdf:type", "owl:DatatypeProperty")
        yield Triple(line.predicate, "rdfs:label", text_term(line.label))
        yield Triple(line.predicate, "kg:minted", _TRUE)


def _instance(cell: Observation | TextCell, class_: str) -> Iterable[Triple]:
    yield Triple(cell.instance, "rdf:type", class_)
    yield Triple(cell.instance, "prov:wasDerivedFrom", f"doc:table_{cell.source.table}")
    if isinstance(cell, Observation):
        yield Triple(cell.instance, cell.predicate, decimal_term(cell.quantity.value))
        yield from _write(cell.instance, cell, (_PERIOD_FIELD,))
        yield from _year(cell.instance, cell.period)
    elif not cell.empty:
        yield Triple(cell.instance, cell.predicate, text_term(cell.text))


# ---- From triples back to facts.
#
# Triples other than those of exactly one graph are an error, so that a loaded graph equals the stored one.


def graph_from_triples(triples: Iterable[Triple], what: str = "the graph") -> KnowledgeGraph:
    """Return the graph for triples.

    Raises:
        GraphError: The triples are not exactly one graph.
    """
    given = frozenset(triples)
    try:
        graph = _Loader(given).graph()
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise GraphError(f"cannot read {what}: a fact is incomplete ({error})") from None
    if frozenset(graph.triples()) != given:
        extra = sorted(given ^ frozenset(graph.triples()))[0]
        raise GraphError(f"cannot read {what}: {' '.join(extra)[:120]} is not part of a complete fact")
    return graph


class _Loader:
    """Reads the nodes of a graph by type."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._nodes: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        for s, p, o in triples:
            self._nodes[s].setdefault(p, []).append(o)
        self._kinds: defaultdict[str, list[Node]] = defaultdict(list)
        for node in self._nodes.values():
            for kind in node.get("rdf:type", ()):
                self._kinds[kind].append(node)

    def graph(self) -> KnowledgeGraph:
        page = self._nodes.get(PAGE, {})
        self._document = _text(_only(page, "dcterms:identifier"))
        sentences = [SentenceFact(**_read(node, _FIELDS[SentenceFact])) for node in self._kinds["kg:Sentence"]]
        sentences.sort(key=lambda sentence: sentence.place)
        self._sentences = {f"doc:{s.section}_{s.index}": s for s in sentences}
        page_lead = lead_on_a_page(sentences)
        tables = [_load_table(node, page_lead) for node in self._kinds["kg:Table"]]
        lines = [LineFact(**_read(node, _FIELDS[LineFact])) for node in self._kinds["kg:Line"]]
        sections = sorted(self._kinds["kg:Section"], key=lambda node: int(_only(node, "kg:index")))
        observations = [
            Observation(**self._cell_fact(node, Observation), quantity=_quantity(node))
            for node in self._kinds["kg:Observation"]
        ]
        texts = [TextCell(**self._cell_fact(node, TextCell)) for node in self._kinds["kg:TextCell"]]
        mentions = [self._mention(node) for node in self._kinds["kg:Mention"]]
        labels = sorted(self._kinds["kg:HeaderNumber"], key=lambda node: int(_only(node, "kg:order")))
        return KnowledgeGraph(
            document=self._document,
            digest_of_document=_text(_only(page, "kg:digest")),
            ontology=_text(_only(page, "kg:ontology")),
            observations=tuple(sorted(observations, key=lambda o: (*_order(o.source), o.order))),
            mentions=tuple(sorted(mentions, key=lambda m: (m.place, m.order))),
            labels=tuple(self._label(node) for node in labels),
            text_cells=tuple(sorted(texts, key=lambda cell: _order(cell.source))),
            sentences=tuple(sentences),
            tables=tuple(sorted(tables, key=lambda table: table.index)),
            lines=tuple(sorted(lines, key=lambda line: (line.table, line.index))),
            sections=tuple(SectionFact(**_read(node, _FIELDS[SectionFact])) for node in sections),
        )

    def _cell_fact(self, node: Node, kind: type) -> dict[str, Any]:
        headings = {name: Heading(**_read(node, fields)) for name, fields in _HEADINGS.items()}
        return {**_read(node, _FIELDS[kind]), **headings, "source": self._cell(node)}

    def _mention(self, node: Node) -> MentionFact:
        source, sentence = self._span(node)
        fields = _read(node, _FIELDS[MentionFact])
        return MentionFact(
            **fields, quantity=_quantity(node), source=source, place=sentence.place, sentence=sentence.text
        )

    def _label(self, node: Node) -> HeaderNumber:
        in_cell = _only(node, "prov:wasDerivedFrom").startswith("doc:cell_")
        source = self._cell(node) if in_cell else self._span(node)[0]
        return HeaderNumber(**_read(node, _FIELDS[HeaderNumber]), quantity=_quantity(node), source=source)

    def _cell(self, node: Node) -> CellRef:
        return CellRef(self._document, **_read(self._place(node), _FIELDS[CellRef]))

    def _span(self, node: Node) -> tuple[SentenceRef, SentenceFact]:
        span = self._place(node)
        sentence = self._sentences[_only(span, "kg:sentence")]
        fields = _read(span, _FIELDS[SentenceRef])
        return SentenceRef(self._document, sentence.section, sentence.index, **fields), sentence

    def _place(self, node: Node) -> Node:
        return self._nodes.get(_only(node, "prov:wasDerivedFrom"), {})


def _order(ref: CellRef) -> tuple[int, int, int]:
    return ref.table, ref.row, ref.column


def _quantity(node: Node) -> Quantity:
    return Quantity(**_read(node, _FIELDS[Quantity]))


def _load_table(node: Node, page_lead: tuple[int, int]) -> TableFact:
    lead = page_lead
    if "kg:leadFrom" in node:
        lead = int(_only(node, "kg:leadFrom")), int(_only(node, "kg:leadTo"))
    numbered = (_text(term).partition(": ") for term in node.get("kg:reason", ()))
    reasons = tuple(reason for _, _, reason in sorted(numbered, key=lambda parts: int(parts[0])))
    return TableFact(**_read(node, _FIELDS[TableFact]), reasons=reasons, lead=lead)
