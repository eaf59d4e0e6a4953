"""Corrected numbers, applied to plans, to a document and to its graph.

A corrected cell has the new number, and keeps the text as it was read before. A sentence keeps its words, so that spans
in it stay valid, and gets a note at its end. Both change the digest of the document, so that data derived from the
original is not used for it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quaestor.conversation.turn import Correction, NumberCorrection, active_corrections
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Document, Mention, Paragraph, Sentence
from quaestor.documents.table import Cell, Table
from quaestor.errors import OperandError
from quaestor.graph.facts import MentionFact, Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Plan, RowRef, Step

Place = tuple[Source, Quantity | None]
"""The place of a number in the document, and the number as it was read; None if no number was read there."""


@dataclass(frozen=True)
class Numbers:
    """The corrected numbers at one time, and the corrections that set them."""

    now: Mapping[Place, Quantity] = field(default_factory=dict)
    by: Mapping[Place, int] = field(default_factory=dict)

    @classmethod
    def of(cls, corrections: Iterable[Correction]) -> "Numbers":
        """Collect the numbers of corrections; later ones take precedence."""
        now: dict[Place, Quantity] = {}
        by: dict[Place, int] = {}
        for correction in corrections:
            if isinstance(correction.act, NumberCorrection):
                place = correction.act.source, correction.act.was
                now[place], by[place] = correction.act.now, correction.number
        return cls(now, by)

    def at(self, place: Place) -> Quantity | None:
        """Return the current number at a place, or None if there is none."""
        return self.now.get(place, place[1])


def with_numbers(plan: Plan, before: Numbers, now: Numbers) -> Plan:
    """Return a plan with the current numbers; numbers that no longer exist are left unchanged."""
    if before.now == now.now:
        return plan
    return replace(plan, steps=tuple(_step(step, before, now) for step in plan.steps))


def require_numbers(plan: Plan, before: Numbers, now: Numbers) -> None:
    """Raise an error if a number of a plan no longer exists."""
    for source, quantity in _printed_numbers(plan):
        place = _place(source, quantity, before, now)
        if place is not None and now.at(place) is None:
            raise OperandError(f"the number {quantity.text or quantity.value} used here no longer exists")


def changed_places(plan: Plan, before: Numbers, now: Numbers) -> Iterator[Place]:
    """Yield the places of a plan whose number has changed."""
    for source, quantity in _printed_numbers(plan):
        place = _place(source, quantity, before, now)
        if place is not None and before.at(place) != now.at(place):
            yield place


def _printed_numbers(plan: Plan) -> Iterator[tuple[Source, Quantity]]:
    for step in plan.steps:
        if isinstance(step, Extract):
            if step.quantity is not None:
                yield step.source, step.quantity
            continue
        for operand in step.operands:
            if isinstance(operand, RowRef | CellGroup):
                yield from zip(operand.sources, operand.values, strict=False)


def _step(step: Step, before: Numbers, now: Numbers) -> Step:
    if isinstance(step, Extract):
        if step.quantity is None:
            return step
        return replace(step, quantity=_quantity(step.source, step.quantity, before, now))
    return _operands(step, before, now)


def _operands(step: Compute, before: Numbers, now: Numbers) -> Compute:
    def updated(operand: Operand) -> Operand:
        if not isinstance(operand, RowRef | CellGroup):
            return operand
        pairs = zip(operand.sources, operand.values, strict=True)
        return replace(operand, values=tuple(_quantity(source, value, before, now) for source, value in pairs))

    return replace(step, operands=tuple(map(updated, step.operands)))


def _place(source: Source, quantity: Quantity, before: Numbers, now: Numbers) -> Place | None:
    """Return the place of a number that is or was corrected, else None."""
    for place in (*before.now, *now.now):
        earlier = before.at(place) if place[0] == source else None
        if earlier is not None and earlier.value == quantity.value:
            return place
    return None


def _quantity(source: Source, quantity: Quantity, before: Numbers, now: Numbers) -> Quantity:
    place = _place(source, quantity, before, now)
    if place is None:
        return quantity
    earlier, current = before.at(place), now.at(place)
    if earlier is None or current is None or earlier == current:
        return quantity
    # The operations on rows read cells differently, without their unit.
    return replace(
        quantity,
        value=current.value,
        text=current.text,
        scale=current.scale if quantity.scale == earlier.scale else quantity.scale,
        unit=current.unit if quantity.unit == earlier.unit else quantity.unit,
    )


Changes = Mapping[Source, Sequence[tuple[Quantity | None, Quantity]]]
"""By place: pairs of the number as it was read and as it is corrected."""


def corrected_document(document: Document, numbers: Numbers) -> Document:
    """Return a document with the corrected numbers, or the same object if there are none."""
    if not numbers.now:
        return document
    found: defaultdict[Source, list[tuple[Quantity | None, Quantity]]] = defaultdict(list)
    for (source, was), now in numbers.now.items():
        found[source].append((was, now))
    tables = {source.table for source in found if isinstance(source, CellRef)}
    sentences = {(source.section, source.sentence) for source in found if isinstance(source, SentenceRef)}
    blocks = list(document.blocks)
    for place, block in enumerate(blocks):
        content = block.content
        if isinstance(content, Table) and content.index in tables:
            blocks[place] = replace(block, content=_table(content, found))
        elif isinstance(content, Paragraph) and any((s.section, s.index) in sentences for s in content.sentences):
            corrected_sentences = tuple(_sentence(sentence, found) for sentence in content.sentences)
            blocks[place] = replace(block, content=Paragraph(corrected_sentences))
    return replace(document, blocks=tuple(blocks))


def _table(table: Table, found: Changes) -> Table:
    return table.with_cells(
        {
            (source.row, source.column): _cell(table.cells[source.row][source.column], changes)
            for source, changes in found.items()
            if isinstance(source, CellRef) and source.table == table.index
        }
    )


def _cell(cell: Cell, changes: Sequence[tuple[Quantity | None, Quantity]]) -> Cell:
    text, quantities = cell.text, cell.quantities
    for was, now in changes:
        alone = was is None or not was.text or len(quantities) < 2 or was.text not in text
        text = now.text if alone or was is None else text.replace(was.text, now.text, 1)
        quantities = tuple(now if one == was else one for one in quantities) if was is not None else (now,)
    return replace(cell, text=text, quantities=quantities, repair=None, misread=cell.text)


def _sentence(sentence: Sentence, found: Changes) -> Sentence:
    mentions, notes = list(sentence.mentions), []
    for place, mention in enumerate(mentions):
        for was, now in found.get(mention.ref, ()):
            if was == mention.quantity:
                mentions[place] = Mention(now, mention.ref)
                notes.append(f" [corrected: {now.text} instead of {was.text}]")
    return replace(sentence, text=sentence.text + "".join(notes), mentions=tuple(mentions))


def corrected_graph(graph: KnowledgeGraph, corrections: Iterable[Correction]) -> KnowledgeGraph:
    """Return a graph with the current numbers; its facts may have those of any earlier correction."""
    cell_corrections = tuple(corrections)
    known: defaultdict[Place, list[Quantity]] = defaultdict(list)
    for correction in cell_corrections:
        if isinstance(correction.act, NumberCorrection):
            place = correction.act.source, correction.act.was
            known[place] += [*([correction.act.was] if correction.act.was else []), correction.act.now]
    if not known:
        return graph
    numbers = Numbers.of(active_corrections(cell_corrections))

    def now(fact: Observation | MentionFact) -> Quantity:
        for place, values in known.items():
            current = numbers.at(place) if place[0] == fact.source and fact.quantity in values else None
            if current is not None:
                return current
        return fact.quantity

    observed = [replace(fact, quantity=now(fact)) for fact in graph.observations]
    seen = {fact.source for fact in observed}
    # A cell in which no number was read may have one now.
    for cell in graph.text_cells:
        place = (cell.source, None)
        if (corrected := numbers.now.get(place)) is not None and cell.source not in seen:
            where = (cell.row, cell.column, "", None, None, None, cell.predicate, cell.instance)
            observed.append(Observation(corrected, cell.source, 0, *where))
    mentions = tuple(replace(fact, quantity=now(fact)) for fact in graph.mentions)
    return replace(graph, observations=tuple(observed), mentions=mentions)
