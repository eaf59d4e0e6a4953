"""Reading of pages by the embedded solver."""

from decimal import Decimal

from pages import page

from quaestor.core.quantity import Scale
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.builder import build_ontology
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.page_numbers import LEADS


def graph(*rows: list[str], before: tuple[str, ...] = ()) -> KnowledgeGraph:
    document = page(rows, before)
    return build_graph(document, build_ontology([document]), "strict")


def leaves(*rows: list[str], before: tuple[str, ...] = ()) -> NumberMatrix:
    return build_number_matrix(graph(*rows, before=before))


def test_table_with_properties_in_columns_is_transposed() -> None:
    table = leaves(["year", "net sales", "rent"], ["2008", "435", "31"], ["2007", "401", "30"])
    first, second = table.leaves[0], table.leaves[1]
    assert (first.row, first.year) == (("net", "sale"), 2008)
    assert second.row == ("rent",)
    assert first.line != second.line
    assert first.place == second.place


def test_ends_of_periods_captions_and_scales_describe_a_cell() -> None:
    table = leaves(
        ["( in millions )", "2008"],
        ["balance at january 1", "4"],
        ["balance at december 31", "5"],
        before=("the changes in warranty liabilities were as follows :",),
    )
    cells = [leaf for leaf in table.leaves if leaf.table == 0]
    assert [leaf.boundary for leaf in cells] == [-1, 1]
    assert {leaf.power for leaf in cells} == {6.0}
    assert "warranti" in cells[0].caption


def test_a_cell_is_described_by_row_column_and_year() -> None:
    table = leaves(["( in millions )", "2008", "2007"], ["net sales", "$ 435", "401"], ["rate", "4.5%", "( 2 )"])
    first = table.leaves[0]
    assert first.quantity.value == 435
    assert (first.year, first.row, first.label) == (2008, ("net", "sale"), "net sales, 2008")
    assert [leaf.quantity.value for leaf in table.leaves] == [435, 401, Decimal("4.5"), -2]
    assert table.percent.tolist() == [False, False, True, False]
    assert table.index[first.source, Decimal(435)] == 0


def test_a_percent_in_the_heading_makes_percentages() -> None:
    table = leaves(["", "share ( % )"], ["north", "12.5"], ["south", "87.5"])
    assert {leaf.quantity.scale for leaf in table.leaves} == {Scale.PERCENT}


def test_a_label_with_a_year_of_its_own_keeps_both() -> None:
    table = leaves(["", "2003 program", "total"], ["liability at december 31 2008", "5.7", "29.6"])
    assert [(leaf.year, leaf.other_year) for leaf in table.leaves] == [(2008, 2003), (2008, 0)]


def test_number_in_a_sentence_has_its_leading_word_and_distances() -> None:
    table = leaves(
        ["", "2008"], ["a", "1"], before=("earnings rose from $ 128 million in 2001 to $ 201 million in 2002 .",)
    )
    numbers = {float(leaf.quantity.value): leaf for leaf in table.leaves if leaf.table < 0}
    assert LEADS[numbers[128].lead] == "from"
    assert LEADS[numbers[201].lead] == "to"
    assert (numbers[128].year, numbers[201].year) == (2001, 2002)
    assert dict(numbers[201].distances)["rose"] > dict(numbers[128].distances)["rose"]
