"""The facts of a graph as triples."""

from collections.abc import Iterable, Sequence

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.triples import Triple
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
    year_of,
)
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.terms import decimal_term, text_term

PAGE = "doc:page"
"""The document's own node."""

BEFORE = "pre_text"
"""The section of the table of a page around one, which is not written."""


def graph_to_triples(graph: KnowledgeGraph) -> tuple[Triple, ...]:
    """Return all facts as triples, sorted, no two the same."""
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
    """Return the node of a cell that prints words."""
    ref = cell.source
    return f"doc:text_{ref.table}_{ref.row}_{ref.column}"


def mention_node(mention: MentionFact) -> str:
    """Return the node of a mention."""
    return f"doc:mention_{mention.source.section}_{mention.source.sentence}_{mention.order}"


def label_node(place: int) -> str:
    """Return the node of a number in a label, by its place among them from 0."""
    return f"doc:label_{place}"


def lead_on_a_page(sentences: Sequence[SentenceFact]) -> tuple[int, int]:
    """Return the places of the sentences that lead to the table of a page around one: all before it.

    A table is in the section before it, too. Neither is written where it is so.
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
    """The value as printed; `kg:scale` and `kg:unit` with what the labels say, the print's own beside them."""
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
