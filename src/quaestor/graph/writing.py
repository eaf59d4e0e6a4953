"""Serialization of graphs as triples."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.serial import Triple
from quaestor.errors import GraphError
from quaestor.graph.facts import (
    Axis,
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
from quaestor.ontology.terms import Value, decimal_term, read_term, text_term

PAGE = "doc:page"
"""Node of the document."""

BEFORE = "pre_text"
"""The section that contains the table of a benchmark page; it is not written."""


def graph_to_triples(graph: KnowledgeGraph) -> tuple[Triple, ...]:
    """Return all facts as triples, sorted, without repetitions."""
    found: set[Triple] = set()
    found.update(
        (
            Triple(PAGE, "rdf:type", "kg:Document"),
            Triple(PAGE, "dcterms:identifier", text_term(graph.document)),
            Triple(PAGE, "kg:digest", text_term(graph.digest_of_document)),
            Triple(PAGE, "kg:ontology", text_term(graph.ontology)),
        )
    )
    page_lead = lead_on_a_page(graph.sentences)
    found.update(t for fact in graph.tables for t in _table(fact, page_lead))
    found.update(t for place, section in enumerate(graph.sections) for t in _section(place, section))
    found.update(t for line in graph.lines for t in _line(line))
    classes = {table.index: table.name for table in graph.tables}
    cells: tuple[Observation | TextCell, ...] = (*graph.observations, *graph.text_cells)
    for cell in cells:
        found.update(_instance(cell, classes[cell.source.table]))
    found.update(t for observation in graph.observations for t in _observation(observation))
    found.update(t for cell in graph.text_cells for t in _text_cell(cell))
    found.update(t for sentence in graph.sentences for t in _sentence(sentence))
    found.update(t for mention in graph.mentions for t in _mention(mention))
    found.update(t for i, label in enumerate(graph.labels) for t in _label(i, label))
    return tuple(sorted(found))


def cell_node(ref: CellRef) -> str:
    """Return the node of a cell."""
    return f"doc:cell_{ref.table}_{ref.row}_{ref.column}"


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


def _section(place: int, section: SectionFact) -> Iterable[Triple]:
    node = f"doc:{section.id}"
    yield Triple(node, "rdf:type", "kg:Section")
    yield Triple(node, "kg:index", str(place))
    yield Triple(node, "kg:section", text_term(section.id))
    yield Triple(node, "kg:sectionPath", text_term("\n".join(section.path)))


def _table(fact: TableFact, page_lead: tuple[int, int]) -> Iterable[Triple]:
    node = f"doc:table_{fact.index}"
    yield Triple(node, "rdf:type", "kg:Table")
    yield Triple(node, "kg:index", str(fact.index))
    yield Triple(node, "kg:axis", text_term(fact.axis))
    yield Triple(node, "kg:class", fact.name)
    yield Triple(node, "kg:score", f'"{fact.score}"^^xsd:decimal')
    if fact.caption:
        yield Triple(node, "kg:caption", text_term(fact.caption))
    if fact.section != BEFORE:
        yield Triple(node, "kg:section", text_term(fact.section))
    if fact.lead != page_lead:
        yield Triple(node, "kg:leadFrom", str(fact.lead[0]))
        yield Triple(node, "kg:leadTo", str(fact.lead[1]))
    for place, reason in enumerate(fact.reasons):
        yield Triple(node, "kg:reason", text_term(f"{place}: {reason}"))


def _line(line: LineFact) -> Iterable[Triple]:
    node = f"doc:line_{line.table}_{line.axis}_{line.index}"
    yield Triple(node, "rdf:type", "kg:Line")
    yield Triple(node, "kg:table", str(line.table))
    yield Triple(node, "kg:axis", text_term(line.axis))
    yield Triple(node, "kg:index", str(line.index))
    yield Triple(node, "kg:label", text_term(line.label))
    yield Triple(node, "kg:property", line.predicate)
    yield Triple(node, "kg:rule", text_term(line.rule))
    yield Triple(node, "kg:score", f'"{line.score}"^^xsd:decimal')
    yield Triple(node, "kg:known", text_term(line.known))
    if line.minted:
        yield Triple(line.predicate, "rdf:type", "owl:DatatypeProperty")
        yield Triple(line.predicate, "rdfs:label", text_term(line.label))
        yield Triple(line.predicate, "kg:minted", '"true"^^xsd:boolean')


def _instance(cell: Observation | TextCell, class_: str) -> Iterable[Triple]:
    yield Triple(cell.instance, "rdf:type", class_)
    yield Triple(cell.instance, "prov:wasDerivedFrom", f"doc:table_{cell.source.table}")
    if isinstance(cell, Observation):
        yield Triple(cell.instance, cell.predicate, decimal_term(cell.quantity.value))
        yield from _period(cell.instance, cell.period)
    elif not cell.empty:
        yield Triple(cell.instance, cell.predicate, text_term(cell.text))


def _period(node: str, period: Period | None) -> Iterable[Triple]:
    if period is not None:
        yield Triple(node, "kg:period", text_term(period_code(period)))
        yield Triple(node, "kg:year", f'"{year_of(period)}"')


def _quantity(node: str, quantity: Quantity, scale: Scale, unit: str | None) -> Iterable[Triple]:
    """Yield the printed value and text, and scale and unit both as printed and including those of labels."""
    yield Triple(node, "kg:value", decimal_term(quantity.value))
    yield Triple(node, "kg:printedText", text_term(quantity.text))
    yield Triple(node, "kg:scale", f'"{scale.value}"')
    if quantity.scale is not Scale.ONE:
        yield Triple(node, "kg:printedScale", f'"{quantity.scale.value}"')
    if unit is not None:
        yield Triple(node, "kg:unit", text_term(unit))
    if quantity.unit is not None:
        yield Triple(node, "kg:printedUnit", text_term(quantity.unit))


def _headings(node: str, row: Heading, column: Heading) -> Iterable[Triple]:
    for name, heading in (("row", row), ("column", column)):
        yield Triple(node, f"kg:{name}Label", text_term(heading.label))
        if heading.levels:
            yield Triple(node, f"kg:{name}Levels", text_term("\n".join(heading.levels)))


def _cell(ref: CellRef) -> Iterable[Triple]:
    node = cell_node(ref)
    yield Triple(node, "rdf:type", "kg:Cell")
    yield Triple(node, "kg:table", str(ref.table))
    yield Triple(node, "kg:row", str(ref.row))
    yield Triple(node, "kg:column", str(ref.column))


def _observation(o: Observation) -> Iterable[Triple]:
    node = observation_node(o)
    yield Triple(node, "rdf:type", "kg:Observation")
    yield from _quantity(node, o.quantity, o.scale, o.unit)
    yield from _period(node, o.period)
    yield from _headings(node, o.row, o.column)
    yield Triple(node, "kg:property", o.predicate)
    yield Triple(node, "kg:instance", o.instance)
    yield Triple(node, "kg:order", str(o.order))
    if o.caption:
        yield Triple(node, "kg:caption", text_term(o.caption))
    if o.label_scale is not None:
        yield Triple(node, "kg:labelScale", f'"{o.label_scale.value}"')
    if o.label_unit is not None:
        yield Triple(node, "kg:labelUnit", text_term(o.label_unit))
    if o.concept:
        yield Triple(node, "kg:concept", text_term(o.concept))
    if o.exact is not None:
        yield Triple(node, "kg:exactValue", decimal_term(o.exact))
    if o.period_by_tag:
        yield Triple(node, "kg:periodBy", text_term("tag"))
    yield Triple(node, "prov:wasDerivedFrom", cell_node(o.source))
    yield from _cell(o.source)


def _text_cell(cell: TextCell) -> Iterable[Triple]:
    ref, node = cell.source, text_node(cell)
    yield Triple(node, "rdf:type", "kg:TextCell")
    yield Triple(node, "kg:printedText", text_term(cell.text))
    yield from _headings(node, cell.row, cell.column)
    yield Triple(node, "kg:property", cell.predicate)
    yield Triple(node, "kg:instance", cell.instance)
    if cell.repair:
        yield Triple(node, "kg:repair", text_term(cell.repair))
    if cell.empty:
        yield Triple(node, "kg:empty", '"true"^^xsd:boolean')
    yield Triple(node, "prov:wasDerivedFrom", cell_node(ref))
    yield from _cell(ref)


def _sentence(sentence: SentenceFact) -> Iterable[Triple]:
    node = f"doc:{sentence.section}_{sentence.index}"
    yield Triple(node, "rdf:type", "kg:Sentence")
    yield Triple(node, "kg:section", text_term(sentence.section))
    yield Triple(node, "kg:index", str(sentence.index))
    yield Triple(node, "kg:place", str(sentence.place))
    yield Triple(node, "kg:text", text_term(sentence.text))


def _span(ref: SentenceRef) -> Iterable[Triple]:
    node = span_node(ref)
    yield Triple(node, "rdf:type", "kg:Span")
    yield Triple(node, "kg:sentence", f"doc:{ref.section}_{ref.sentence}")
    yield Triple(node, "kg:start", str(ref.start))
    yield Triple(node, "kg:end", str(ref.end))


def span_node(ref: SentenceRef) -> str:
    """Return the node of a span of a sentence."""
    return f"doc:{ref.section}_{ref.sentence}_{ref.start}_{ref.end}"


def _mention(m: MentionFact) -> Iterable[Triple]:
    node = mention_node(m)
    yield Triple(node, "rdf:type", "kg:Mention")
    yield from _quantity(node, m.quantity, m.quantity.scale, m.quantity.unit)
    yield from _period(node, m.period)
    if m.other_periods:
        yield Triple(node, "kg:otherPeriods", text_term(" ".join(map(period_code, m.other_periods))))
    yield Triple(node, "kg:order", str(m.order))
    yield Triple(node, "kg:wordsBefore", text_term(m.before))
    yield Triple(node, "kg:wordsAfter", text_term(m.after))
    if m.predicate is not None:
        yield Triple(node, "kg:property", m.predicate)
    yield Triple(node, "prov:wasDerivedFrom", span_node(m.source))
    yield from _span(m.source)


def _label(place: int, label: HeaderNumber) -> Iterable[Triple]:
    node = label_node(place)
    yield Triple(node, "rdf:type", "kg:HeaderNumber")
    yield from _quantity(node, label.quantity, label.quantity.scale, label.quantity.unit)
    yield from _period(node, label.period)
    yield Triple(node, "rdfs:label", text_term(label.label))
    yield Triple(node, "kg:order", str(place))
    yield Triple(node, "kg:namesYear", f'"{"true" if label.year else "false"}"^^xsd:boolean')
    if isinstance(label.source, CellRef):
        yield Triple(node, "prov:wasDerivedFrom", cell_node(label.source))
        yield from _cell(label.source)
    else:
        yield Triple(node, "prov:wasDerivedFrom", span_node(label.source))
        yield from _span(label.source)


# Reading of graphs from triples.
#
# Triples other than those of exactly one graph are an error, so that a loaded graph equals the one written.


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


class _Node:
    """Statements about one subject."""

    def __init__(self, predicates: Mapping[str, list[str]]) -> None:
        self.predicates = predicates

    def term(self, predicate: str) -> str:
        """Return the single object of a predicate, as written."""
        found = self.predicates.get(predicate, [])
        if len(found) != 1:
            raise ValueError(f"{len(found)} values of {predicate}")
        return found[0]

    def value(self, predicate: str) -> Value:
        return read_term(self.term(predicate))

    def text(self, predicate: str) -> str:
        return str(self.value(predicate))

    def text_or_none(self, predicate: str) -> str | None:
        return self.text(predicate) if predicate in self.predicates else None

    def whole(self, predicate: str) -> int:
        return int(self.term(predicate))

    def number(self, predicate: str) -> Decimal:
        return Decimal(self.text(predicate))

    def scale(self, predicate: str) -> Scale | None:
        text = self.text_or_none(predicate)
        return None if text is None else Scale(text)

    def period(self) -> Period | None:
        code = self.text_or_none("kg:period")
        return None if code is None else read_period_code(code)

    def quantity(self) -> Quantity:
        scale, unit = self.scale("kg:printedScale") or Scale.ONE, self.text_or_none("kg:printedUnit")
        return Quantity(self.number("kg:value"), scale, unit, self.text("kg:printedText"))

    def heading(self, name: str) -> Heading:
        levels = self.text_or_none(f"kg:{name}Levels")
        return Heading(self.text(f"kg:{name}Label"), () if levels is None else tuple(levels.split("\n")))


class _Loader:
    """Reads the nodes of a graph by type."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        by_subject: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        for s, p, o in triples:
            by_subject[s].setdefault(p, []).append(o)
        self._nodes = {name: _Node(predicates) for name, predicates in by_subject.items()}
        self._kinds: defaultdict[str, list[_Node]] = defaultdict(list)
        for node in self._nodes.values():
            for kind in node.predicates.get("rdf:type", ()):
                self._kinds[kind].append(node)

    def graph(self) -> KnowledgeGraph:
        page = self._nodes[PAGE]
        self._document = page.text("dcterms:identifier")
        sentences = sorted((_loading_sentence(node) for node in self._kinds["kg:Sentence"]), key=lambda s: s.place)
        self._sentences = {f"doc:{s.section}_{s.index}": s for s in sentences}
        page_lead = lead_on_a_page(sentences)
        tables = sorted((_loading_table(node, page_lead) for node in self._kinds["kg:Table"]), key=lambda t: t.index)
        sections = sorted(self._kinds["kg:Section"], key=lambda node: node.whole("kg:index"))
        self._captions = {table.index: table.caption for table in tables}
        lines = sorted((_loading_line(node) for node in self._kinds["kg:Line"]), key=lambda x: (x.table, x.index))
        observations = [self._observation(node) for node in self._kinds["kg:Observation"]]
        texts = [self._text_cell(node) for node in self._kinds["kg:TextCell"]]
        mentions = [self._mention(node) for node in self._kinds["kg:Mention"]]
        labels = sorted(self._kinds["kg:HeaderNumber"], key=lambda node: node.whole("kg:order"))
        return KnowledgeGraph(
            document=self._document,
            digest_of_document=page.text("kg:digest"),
            ontology=page.text("kg:ontology"),
            observations=tuple(sorted(observations, key=lambda o: (*_place(o.source), o.order))),
            mentions=tuple(sorted(mentions, key=lambda m: (m.place, m.order))),
            labels=tuple(self._label(node) for node in labels),
            text_cells=tuple(sorted(texts, key=lambda t: _place(t.source))),
            sentences=tuple(sentences),
            tables=tuple(tables),
            lines=tuple(lines),
            sections=tuple(map(_loading_section, sections)),
        )

    def _observation(self, node: _Node) -> Observation:
        source = self._cell(node)
        return Observation(
            quantity=node.quantity(),
            source=source,
            order=node.whole("kg:order"),
            row=node.heading("row"),
            column=node.heading("column"),
            caption=self._captions[source.table],
            label_scale=node.scale("kg:labelScale"),
            label_unit=node.text_or_none("kg:labelUnit"),
            period=node.period(),
            predicate=node.term("kg:property"),
            instance=node.term("kg:instance"),
            concept=node.text_or_none("kg:concept") or "",
            exact=node.number("kg:exactValue") if "kg:exactValue" in node.predicates else None,
            period_by_tag="kg:periodBy" in node.predicates,
        )

    def _text_cell(self, node: _Node) -> TextCell:
        return TextCell(
            text=node.text("kg:printedText"),
            source=self._cell(node),
            row=node.heading("row"),
            column=node.heading("column"),
            predicate=node.term("kg:property"),
            instance=node.term("kg:instance"),
            repair=node.text_or_none("kg:repair"),
            empty="kg:empty" in node.predicates,
        )

    def _mention(self, node: _Node) -> MentionFact:
        source, sentence = self._span(node)
        return MentionFact(
            quantity=node.quantity(),
            source=source,
            order=node.whole("kg:order"),
            place=sentence.place,
            sentence=sentence.text,
            period=node.period(),
            predicate=node.term("kg:property") if "kg:property" in node.predicates else None,
            other_periods=tuple(map(read_period_code, (node.text_or_none("kg:otherPeriods") or "").split())),
        )

    def _label(self, node: _Node) -> HeaderNumber:
        origin = node.term("prov:wasDerivedFrom")
        source = self._cell(node) if origin.startswith("doc:cell_") else self._span(node)[0]
        year = node.value("kg:namesYear") is True
        return HeaderNumber(node.quantity(), source, node.text("rdfs:label"), node.period(), year)

    def _cell(self, node: _Node) -> CellRef:
        cell = self._nodes[node.term("prov:wasDerivedFrom")]
        return CellRef(self._document, cell.whole("kg:table"), cell.whole("kg:row"), cell.whole("kg:column"))

    def _span(self, node: _Node) -> tuple[SentenceRef, SentenceFact]:
        span = self._nodes[node.term("prov:wasDerivedFrom")]
        sentence = self._sentences[span.term("kg:sentence")]
        start, end = span.whole("kg:start"), span.whole("kg:end")
        return SentenceRef(self._document, sentence.section, sentence.index, start, end), sentence


def _place(ref: CellRef) -> tuple[int, int, int]:
    return ref.table, ref.row, ref.column


def _loading_sentence(node: _Node) -> SentenceFact:
    return SentenceFact(node.text("kg:section"), node.whole("kg:index"), node.whole("kg:place"), node.text("kg:text"))


def _loading_section(node: _Node) -> SectionFact:
    return SectionFact(node.text("kg:section"), tuple(node.text("kg:sectionPath").split("\n")))


def _loading_table(node: _Node, page_lead: tuple[int, int]) -> TableFact:
    reasons = sorted((str(read_term(reason)) for reason in node.predicates.get("kg:reason", ())), key=_reason_place)
    return TableFact(
        index=node.whole("kg:index"),
        caption=node.text_or_none("kg:caption") or "",
        axis=_axis(node),
        name=node.term("kg:class"),
        score=float(node.number("kg:score")),
        reasons=tuple(reason.partition(": ")[2] for reason in reasons),
        section=node.text_or_none("kg:section") or BEFORE,
        lead=(node.whole("kg:leadFrom"), node.whole("kg:leadTo")) if "kg:leadFrom" in node.predicates else page_lead,
    )


def _reason_place(reason: str) -> int:
    return int(reason.partition(":")[0])


def _loading_line(node: _Node) -> LineFact:
    return LineFact(
        table=node.whole("kg:table"),
        axis=_axis(node),
        index=node.whole("kg:index"),
        label=node.text("kg:label"),
        predicate=node.term("kg:property"),
        rule=node.text("kg:rule"),
        score=float(node.number("kg:score")),
        known=node.text("kg:known"),
    )


def _axis(node: _Node) -> Axis:
    return "rows" if node.text("kg:axis") == "rows" else "columns"
