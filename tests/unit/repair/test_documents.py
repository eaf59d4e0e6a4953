"""Documents and graphs with corrected numbers."""

from dataclasses import replace

from corrected import a_ledger, at, cell, misread, the_page

from quaestor.conversation.display import show_source
from quaestor.conversation.turn import Correction, NumberCorrection, Undo, active_corrections
from quaestor.core.parsing import parse_quantity
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.repair.numbers import Numbers, corrected_document, corrected_graph

MENTION = next(mention for sentence in the_page().sentences for mention in sentence.mentions)


def record(number: int, act: NumberCorrection | Undo) -> Correction:
    return Correction(number, act, 0, "Ada", at(number))


def numbers(*acts: NumberCorrection) -> Numbers:
    return Numbers.of(active_corrections(record(number, act) for number, act in enumerate(acts, start=1)))


def graph() -> KnowledgeGraph:
    return GraphProvider.of([the_page()]).graph(the_page())


def test_a_corrected_cell_prints_the_new_number_and_notes_the_old() -> None:
    page = corrected_document(the_page(), numbers(misread(1, 1, "200,000")))
    found = page.cell(cell(1, 1))
    assert (found.text, found.quantities, found.misread) == ("200,000", (parse_quantity("200,000"),), "206588")
    assert show_source(cell(1, 1), page).text.startswith("200,000 (")
    assert show_source(cell(1, 1), page).span == "200,000"
    assert page.cell(cell(1, 2)) == the_page().cell(cell(1, 2))
    assert page.digest != the_page().digest
    assert the_page().cell(cell(1, 1)).text == "206588"


def test_a_corrected_sentence_keeps_its_words_and_spans_and_notes_the_correction() -> None:
    was, ref = MENTION.quantity, MENTION.ref
    page = corrected_document(the_page(), numbers(NumberCorrection(ref, was, parse_quantity("$ 19 million"))))
    sentence, before = page.sentence(ref), the_page().sentence(ref)
    assert sentence.text == f"{before.text} [corrected: $ 19 million instead of {was.text}]"
    assert [mention.ref for mention in sentence.mentions] == [mention.ref for mention in before.mentions]
    assert parse_quantity("$ 19 million") in [mention.quantity for mention in sentence.mentions]


def test_document_without_corrections_is_the_same_object() -> None:
    assert corrected_document(the_page(), Numbers()) is the_page()
    ledger = a_ledger()
    ledger.correct(misread(1, 1, "5"), "Ada")
    ledger.undo("Ada")
    assert ledger.document.digest == the_page().digest


def test_facts_are_current_before_and_after_building_the_graph() -> None:
    correction = record(1, misread(1, 1, "200,000"))
    text = record(2, NumberCorrection(MENTION.ref, MENTION.quantity, parse_quantity("$ 19 million")))
    corrected = corrected_graph(graph(), [correction, text])
    by_source: dict[Source, str] = {fact.source: fact.quantity.text for fact in corrected.observations}
    by_source |= {fact.source: fact.quantity.text for fact in corrected.mentions}
    sources: tuple[CellRef, SentenceRef] = cell(1, 1), MENTION.ref
    assert [by_source[source] for source in sources] == ["200,000", "$ 19 million"]
    assert corrected_graph(corrected, [correction, text]) == corrected
    assert corrected_graph(corrected, [correction, text, record(3, Undo(1)), record(4, Undo(2))]) == graph()
    assert corrected_graph(graph(), []) == graph()


def test_a_number_in_a_cell_that_had_none_is_a_fact_of_the_page() -> None:
    grid = the_page().tables[0]
    emptied = replace(grid.cells[1][1], text="-", quantities=())
    cells = (grid.cells[0], (grid.cells[1][0], emptied, *grid.cells[1][2:]), *grid.cells[2:])
    blocks = tuple(
        replace(block, content=replace(grid, cells=cells)) if block.content is grid else block
        for block in the_page().blocks
    )
    page = replace(the_page(), blocks=blocks)
    facts = GraphProvider.of([page]).graph(page)
    put = record(1, NumberCorrection(cell(1, 1), None, parse_quantity("12")))
    found = [fact for fact in corrected_graph(facts, [put]).observations if fact.source == cell(1, 1)]
    assert [(fact.quantity.text, fact.label) for fact in found] == [("12", "net revenue, 2008")]
