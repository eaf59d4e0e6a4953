"""Serialization of graphs as triples."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
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
from quaestor.ontology.fields import (
    NODE,
    NUMBER,
    SCORE,
    TEXT,
    WHOLE,
    Field,
    Node,
    TermForm,
    only_object,
    read_fields,
    read_text,
    write_fields,
)
from quaestor.ontology.terms import decimal_term, read_term, text_term

PAGE = "doc:page"
"""Node of the document."""

BEFORE = "pre_text"
"""The section that contains the table of a benchmark page; it is not written."""

_TRUE, _FALSE = '"true"^^xsd:boolean', '"false"^^xsd:boolean'
_SCALE = TermForm(lambda scale: text_term(scale.value), lambda term: Scale(read_text(term)))
_PERIOD = TermForm(lambda period: text_term(period_code(period)), lambda term: read_period_code(read_text(term)))
_PERIODS = TermForm(
    lambda periods: text_term(" ".join(map(period_code, periods))),
    lambda term: tuple(map(read_period_code, read_text(term).split())),
)
_LINES = TermForm(lambda lines: text_term("\n".join(lines)), lambda term: tuple(read_text(term).split("\n")))
_TRUTH = TermForm(lambda truth: _TRUE if truth else _FALSE, lambda term: read_term(term) is True)
_BY_TAG = TermForm(lambda _: text_term("tag"), lambda _: True)


_HEADINGS = {
    name: (Field("label", f"kg:{name}Label", TEXT), Field("levels", f"kg:{name}Levels", _LINES, ()))
    for name in ("row", "column")
}
_PERIOD_FIELD = Field("period", "kg:period", _PERIOD, None)
_FIELDS: dict[type, tuple[Field, ...]] = {
    SectionFact: (Field("id", "kg:section", TEXT), Field("path", "kg:sectionPath", _LINES)),
    SentenceFact: (
        Field("section", "kg:section", TEXT), Field("index", "kg:index", WHOLE),
        Field("place", "kg:place", WHOLE), Field("text", "kg:text", TEXT),
    ),
    TableFact: (
        Field("index", "kg:index", WHOLE), Field("axis", "kg:axis", TEXT), Field("name", "kg:class", NODE),
        Field("score", "kg:score", SCORE), Field("caption", "kg:caption", TEXT, ""),
        Field("section", "kg:section", TEXT, BEFORE),
    ),
    LineFact: (
        Field("table", "kg:table", WHOLE), Field("axis", "kg:axis", TEXT), Field("index", "kg:index", WHOLE),
        Field("label", "kg:label", TEXT), Field("predicate", "kg:property", NODE),
        Field("rule", "kg:rule", TEXT), Field("score", "kg:score", SCORE), Field("known", "kg:known", TEXT),
    ),
    Observation: (
        _PERIOD_FIELD, Field("predicate", "kg:property", NODE), Field("instance", "kg:instance", NODE),
        Field("order", "kg:order", WHOLE), Field("caption", "kg:caption", TEXT, ""),
        Field("label_scale", "kg:labelScale", _SCALE, None), Field("label_unit", "kg:labelUnit", TEXT, None),
        Field("concept", "kg:concept", TEXT, ""), Field("exact", "kg:exactValue", NUMBER, None),
        Field("period_by_tag", "kg:periodBy", _BY_TAG, False),
    ),
    TextCell: (
        Field("text", "kg:printedText", TEXT), Field("predicate", "kg:property", NODE),
        Field("instance", "kg:instance", NODE), Field("repair", "kg:repair", TEXT, None),
        Field("empty", "kg:empty", _TRUTH, False),
    ),
    MentionFact: (
        _PERIOD_FIELD, Field("other_periods", "kg:otherPeriods", _PERIODS, ()), Field("order", "kg:order", WHOLE),
        Field("predicate", "kg:property", NODE, None),
    ),
    HeaderNumber: (
        _PERIOD_FIELD, Field("label", "rdfs:label", TEXT), Field("year", "kg:namesYear", _TRUTH),
    ),
    Quantity: (
        Field("value", "kg:value", NUMBER), Field("text", "kg:printedText", TEXT),
        Field("scale", "kg:printedScale", _SCALE, Scale.ONE), Field("unit", "kg:printedUnit", TEXT, None),
    ),
    CellRef: tuple(Field(name, f"kg:{name}", WHOLE) for name in ("table", "row", "column")),
    SentenceRef: tuple(Field(name, f"kg:{name}", WHOLE) for name in ("start", "end")),
}  # fmt: skip
"""The stored attributes of each kind of fact."""


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
    yield from write_fields(node, fact, _FIELDS[type(fact)])
    if isinstance(fact, Observation | TextCell):
        for name, heading in (("row", fact.row), ("column", fact.column)):
            yield from write_fields(node, heading, _HEADINGS[name])
    if isinstance(fact, Observation | MentionFact | HeaderNumber):
        yield from write_fields(node, fact.quantity, _FIELDS[Quantity])
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
        yield from write_fields(cell.instance, cell, (_PERIOD_FIELD,))
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
        self._document = read_text(only_object(page, "dcterms:identifier"))
        sentences = [SentenceFact(**read_fields(node, _FIELDS[SentenceFact])) for node in self._kinds["kg:Sentence"]]
        sentences.sort(key=lambda sentence: sentence.place)
        self._sentences = {f"doc:{s.section}_{s.index}": s for s in sentences}
        page_lead = lead_on_a_page(sentences)
        tables = [_load_table(node, page_lead) for node in self._kinds["kg:Table"]]
        lines = [LineFact(**read_fields(node, _FIELDS[LineFact])) for node in self._kinds["kg:Line"]]
        sections = sorted(self._kinds["kg:Section"], key=lambda node: int(only_object(node, "kg:index")))
        observations = [
            Observation(**self._cell_fact(node, Observation), quantity=_quantity(node))
            for node in self._kinds["kg:Observation"]
        ]
        texts = [TextCell(**self._cell_fact(node, TextCell)) for node in self._kinds["kg:TextCell"]]
        mentions = [self._mention(node) for node in self._kinds["kg:Mention"]]
        labels = sorted(self._kinds["kg:HeaderNumber"], key=lambda node: int(only_object(node, "kg:order")))
        return KnowledgeGraph(
            document=self._document,
            digest_of_document=read_text(only_object(page, "kg:digest")),
            ontology=read_text(only_object(page, "kg:ontology")),
            observations=tuple(sorted(observations, key=lambda o: (*_order(o.source), o.order))),
            mentions=tuple(sorted(mentions, key=lambda m: (m.place, m.order))),
            labels=tuple(self._label(node) for node in labels),
            text_cells=tuple(sorted(texts, key=lambda cell: _order(cell.source))),
            sentences=tuple(sentences),
            tables=tuple(sorted(tables, key=lambda table: table.index)),
            lines=tuple(sorted(lines, key=lambda line: (line.table, line.index))),
            sections=tuple(SectionFact(**read_fields(node, _FIELDS[SectionFact])) for node in sections),
        )

    def _cell_fact(self, node: Node, kind: type) -> dict[str, Any]:
        headings = {name: Heading(**read_fields(node, fields)) for name, fields in _HEADINGS.items()}
        return {**read_fields(node, _FIELDS[kind]), **headings, "source": self._cell(node)}

    def _mention(self, node: Node) -> MentionFact:
        source, sentence = self._span(node)
        fields = read_fields(node, _FIELDS[MentionFact])
        return MentionFact(
            **fields, quantity=_quantity(node), source=source, place=sentence.place, sentence=sentence.text
        )

    def _label(self, node: Node) -> HeaderNumber:
        in_cell = only_object(node, "prov:wasDerivedFrom").startswith("doc:cell_")
        source = self._cell(node) if in_cell else self._span(node)[0]
        return HeaderNumber(**read_fields(node, _FIELDS[HeaderNumber]), quantity=_quantity(node), source=source)

    def _cell(self, node: Node) -> CellRef:
        return CellRef(self._document, **read_fields(self._place(node), _FIELDS[CellRef]))

    def _span(self, node: Node) -> tuple[SentenceRef, SentenceFact]:
        span = self._place(node)
        sentence = self._sentences[only_object(span, "kg:sentence")]
        fields = read_fields(span, _FIELDS[SentenceRef])
        return SentenceRef(self._document, sentence.section, sentence.index, **fields), sentence

    def _place(self, node: Node) -> Node:
        return self._nodes.get(only_object(node, "prov:wasDerivedFrom"), {})


def _order(ref: CellRef) -> tuple[int, int, int]:
    return ref.table, ref.row, ref.column


def _quantity(node: Node) -> Quantity:
    return Quantity(**read_fields(node, _FIELDS[Quantity]))


def _load_table(node: Node, page_lead: tuple[int, int]) -> TableFact:
    lead = page_lead
    if "kg:leadFrom" in node:
        lead = int(only_object(node, "kg:leadFrom")), int(only_object(node, "kg:leadTo"))
    numbered = (read_text(term).partition(": ") for term in node.get("kg:reason", ()))
    reasons = tuple(reason for _, _, reason in sorted(numbered, key=lambda parts: int(parts[0])))
    return TableFact(**read_fields(node, _FIELDS[TableFact]), reasons=reasons, lead=lead)
