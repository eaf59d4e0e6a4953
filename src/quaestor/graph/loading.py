"""Triples of a graph, back as its facts.

A set of triples that says anything else than one graph is an error, so a graph that was loaded is the graph that was
written.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.triples import Triple
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
    read_period_code,
)
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import BEFORE, PAGE, lead_on_a_page
from quaestor.ontology.terms import Value, read_term, read_turtle


def graph_from_turtle(text: str, what: str = "the graph") -> KnowledgeGraph:
    """Return the graph that a Turtle or N-Triples text says.

    Raises:
        OntologyError: The text is not Turtle.
        GraphError: It says something else than one graph.
    """
    return graph_from_triples(read_turtle(text, what)[0], what)


def graph_from_triples(triples: Iterable[Triple], what: str = "the graph") -> KnowledgeGraph:
    """Return the graph that triples say.

    Raises:
        GraphError: They say something else than one graph.
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
    """What is said of one subject."""

    def __init__(self, said: Mapping[str, list[str]]) -> None:
        self.said = said

    def term(self, predicate: str) -> str:
        """Return the only object of a predicate, as written."""
        found = self.said.get(predicate, [])
        if len(found) != 1:
            raise ValueError(f"{len(found)} values of {predicate}")
        return found[0]

    def value(self, predicate: str) -> Value:
        return read_term(self.term(predicate))

    def text(self, predicate: str) -> str:
        return str(self.value(predicate))

    def text_or_none(self, predicate: str) -> str | None:
        return self.text(predicate) if predicate in self.said else None

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
    """Reads the nodes of a graph by their type."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        said: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        for s, p, o in triples:
            said[s].setdefault(p, []).append(o)
        self._nodes = {name: _Node(predicates) for name, predicates in said.items()}
        self._kinds: defaultdict[str, list[_Node]] = defaultdict(list)
        for node in self._nodes.values():
            for kind in node.said.get("rdf:type", ()):
                self._kinds[kind].append(node)

    def graph(self) -> KnowledgeGraph:
        page = self._nodes[PAGE]
        self._document = page.text("dcterms:identifier")
        sentences = sorted((_sentence(node) for node in self._kinds["kg:Sentence"]), key=lambda s: s.place)
        self._sentences = {f"doc:{s.section}_{s.index}": s for s in sentences}
        page_lead = lead_on_a_page(sentences)
        tables = sorted((_table(node, page_lead) for node in self._kinds["kg:Table"]), key=lambda t: t.index)
        sections = sorted(self._kinds["kg:Section"], key=lambda node: node.whole("kg:index"))
        self._captions = {table.index: table.caption for table in tables}
        lines = sorted((_line(node) for node in self._kinds["kg:Line"]), key=lambda x: (x.table, x.index))
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
            sections=tuple(map(_section, sections)),
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
            exact=node.number("kg:exactValue") if "kg:exactValue" in node.said else None,
            period_by_tag="kg:periodBy" in node.said,
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
            empty="kg:empty" in node.said,
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
            predicate=node.term("kg:property") if "kg:property" in node.said else None,
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


def _sentence(node: _Node) -> SentenceFact:
    return SentenceFact(node.text("kg:section"), node.whole("kg:index"), node.whole("kg:place"), node.text("kg:text"))


def _section(node: _Node) -> SectionFact:
    return SectionFact(node.text("kg:section"), tuple(node.text("kg:sectionPath").split("\n")))


def _table(node: _Node, page_lead: tuple[int, int]) -> TableFact:
    reasons = sorted((str(read_term(reason)) for reason in node.said.get("kg:reason", ())), key=_reason_place)
    return TableFact(
        index=node.whole("kg:index"),
        caption=node.text_or_none("kg:caption") or "",
        axis=_axis(node),
        name=node.term("kg:class"),
        score=float(node.number("kg:score")),
        reasons=tuple(reason.partition(": ")[2] for reason in reasons),
        section=node.text_or_none("kg:section") or BEFORE,
        lead=(node.whole("kg:leadFrom"), node.whole("kg:leadTo")) if "kg:leadFrom" in node.said else page_lead,
    )


def _reason_place(reason: str) -> int:
    return int(reason.partition(":")[0])


def _line(node: _Node) -> LineFact:
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
