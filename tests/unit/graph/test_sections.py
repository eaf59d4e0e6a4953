"""The graph of a document of several tables: each has its own type, lead and section, and the triples say so."""

from filings import PARTS, a_filing

from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.graph.builder import build_graph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.labels import contexts_of
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import build_number_matrix

FILING = a_filing()
ONTOLOGY = build_ontology(())
GRAPH = build_graph(FILING, ONTOLOGY)


def test_each_table_has_the_type_of_its_own_surroundings() -> None:
    assert [table.name for table in GRAPH.tables] == ["kg:Debt", "kg:CashFlow", "kg:CashFlow"]
    assert GRAPH.statistics()["entityType"] == "kg:Debt, kg:CashFlow"


def test_the_context_of_a_table_is_under_its_heading() -> None:
    first, second, third = contexts_of(FILING).values()
    assert [text for place, text in first.texts if place == "lead"] == [
        "Borrowings",
        "Maturities",
        "long-term debt of the company is shown below .",
        "debt matures as follows :",
    ]
    assert not any("cash" in text for text in first.around)
    assert third.around is second.around


def test_tables_know_their_section_and_lead() -> None:
    assert [(table.section, table.lead) for table in GRAPH.tables] == [
        ("section_2", (1, 3)),
        ("section_4", (4, 5)),
        ("section_4", (4, 5)),
    ]
    assert GRAPH.path_of("section_4") == ("Liquidity", "Maturities")
    assert GRAPH.path_of("section_0") == ()


def test_the_graph_of_several_tables_comes_back_from_its_triples() -> None:
    assert graph_from_triples(GRAPH.triples()) == GRAPH
    bare = build_graph(assemble("x", [TablePart([["", "2008"], ["a", "1"]]), ParagraphPart(("b .",))]), ONTOLOGY)
    assert graph_from_triples(bare.triples()) == bare


def test_sections_of_one_name_are_two() -> None:
    rows = GRAPH.select("SELECT ?s ?path WHERE { ?s a kg:Section ; kg:sectionPath ?path }")
    assert len(rows) == 4
    found = GRAPH.select('SELECT ?t WHERE { ?t a kg:Table ; kg:section "section_4" }')
    assert len(found) == 2


def test_rows_of_one_label_have_instances_and_nodes_of_their_own() -> None:
    totals = [o for o in GRAPH.observations if o.row.label == "total"]
    assert sorted({o.source.table for o in totals}) == [0, 1]
    assert not {o.instance for o in totals if o.source.table == 0} & {o.instance for o in totals if o.source.table == 1}


def test_a_leaf_has_the_words_that_lead_to_its_own_table() -> None:
    leaves = build_number_matrix(GRAPH).leaves
    captions = {leaf.table: set(leaf.caption) for leaf in leaves if leaf.table >= 0}
    assert set(stems("debt matures as follows")) <= captions[0]
    assert set(stems("cash flows from operating activities")) <= captions[1] & captions[2]
    assert not set(stems("cash")) & captions[0]
    assert all(set(stems("maturities")) <= words for words in captions.values())


def test_a_document_in_another_order_has_another_graph() -> None:
    other = assemble(FILING.id, [*PARTS[6:], *PARTS[:6]])
    assert build_graph(other, ONTOLOGY).digest != GRAPH.digest
    assert other.tables[0].caption == FILING.tables[1].caption


def test_a_heading_alone_decides_the_type() -> None:
    grid = [["", "2008", "2007"], ["first", "1", "2"], ["second", "3", "4"]]
    document = assemble("x", [HeadingPart("income taxes"), TablePart(grid), HeadingPart("leases"), TablePart(grid)])
    first, second = build_graph(document, ONTOLOGY).tables
    assert first.name != second.name
    assert "in the lead" in first.reasons[0]
