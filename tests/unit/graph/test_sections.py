"""Graphs of documents with several tables: each table has its own type, lead and section, also in the triples."""

from filings import a_filing

from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.graph.builder import build_graph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.labels import contexts_of
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import build_number_matrix

FILING = a_filing()
ONTOLOGY = build_ontology(())
GRAPH = build_graph(FILING, ONTOLOGY)


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


def test_the_graph_of_several_tables_comes_back_from_its_triples() -> None:
    assert graph_from_triples(GRAPH.triples()) == GRAPH
    bare = build_graph(assemble("x", [TablePart([["", "2008"], ["a", "1"]]), ParagraphPart(("b .",))]), ONTOLOGY)
    assert graph_from_triples(bare.triples()) == bare


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
