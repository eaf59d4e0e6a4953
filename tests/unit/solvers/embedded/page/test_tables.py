"""Numbers of tables, with the labels of their lines."""

from pages import page

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.solvers.embedded.page_numbers import read_table_numbers


def test_amounts_in_a_line_without_a_label_are_a_total() -> None:
    document = page([["", "2019", "2018"], ["rent", "5", "4"], ["wages", "2", "3"], ["", "7", "7"]], ())
    found = list(read_table_numbers(build_graph(document, build_ontology([document]), "strict")))
    assert [(leaf.row, leaf.total) for leaf in found] == [
        (("rent",), False),
        (("rent",), False),
        (("wage",), False),
        (("wage",), False),
        (("total",), True),
        (("total",), True),
    ]


def test_a_column_without_a_heading_is_no_total() -> None:
    document = page([["year", ""], ["2019", "5"], ["2018", "4"]], ())
    found = list(read_table_numbers(build_graph(document, build_ontology([document]), "strict")))
    assert found
    assert not any(leaf.total for leaf in found)
