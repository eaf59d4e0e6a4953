"""Questions and pages as the embedded solver reads them."""

from decimal import Decimal

import pytest
from pages import page

from quaestor.core.quantity import Scale
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.builder import build_ontology
from quaestor.solvers.embedded.leaves import LeafTable, leaf_table
from quaestor.solvers.embedded.question import read_question
from quaestor.solvers.embedded.sides import read_sides
from quaestor.solvers.embedded.text_leaves import LEADS
from quaestor.solvers.words import shapes, stems


def graph(*rows: list[str], before: tuple[str, ...] = ()) -> KnowledgeGraph:
    document = page(rows, before)
    return build_graph(document, build_ontology([document]), "strict")


def leaves(*rows: list[str], before: tuple[str, ...] = ()) -> LeafTable:
    return leaf_table(graph(*rows, before=before))


def test_years_numbers_and_counts_are_told_apart() -> None:
    read = read_question("What was the average of those two values from 2007 to 2009, divided by 1,000?")
    assert read.years == (2007, 2009)
    assert read.numbers == (1000.0,)
    assert read.counts == (2.0, 3.0)
    assert "kg:PatternDividedBy" in read.patterns


@pytest.mark.parametrize(("text", "offset"), [("and in the previous year?", -1), ("and in the following year?", 1)])
def test_relative_periods(text: str, offset: int) -> None:
    assert read_question(text).offsets == (offset,)


def test_stems_keep_the_words_of_meaning() -> None:
    assert stems("what were the net sales in 2008?") == ("net", "sale")
    assert shapes("in 2008, times 100") == ("in", "YEAR", "time", "NUM")


def test_a_number_or_letter_that_is_part_of_a_name_is_kept() -> None:
    assert stems("tier 2 capital of class a and class b-3") == (
        "tier", "capit", "class", "class", "b", "tier2", "classa", "classb3",
    )  # fmt: skip
    assert "high" in stems("the highest price")


@pytest.mark.parametrize(
    ("text", "power"), [("in millions?", 6), ("in thousands", 3), ("in full dollars", 0), ("", None)]
)
def test_the_scale_that_is_asked_for(text: str, power: float | None) -> None:
    assert read_question(f"what is that {text}").power == power


@pytest.mark.parametrize(
    ("question", "kind", "first", "second"),
    [
        ("what is the ratio of sales to income?", "ratio", {"sale"}, {"incom"}),
        ("what is the rent as a percentage of the debt?", "share", {"rent"}, {"debt"}),
        ("what percentage of the debt is due to notes?", "share", {"due", "note"}, {"debt"}),
        ("what share of assets did goodwill represent?", "share", {"goodwil"}, {"asset"}),
        ("what is the revenue less the costs?", "less", {"revenu"}, {"cost"}),
        ("what was the rent in 2008?", "", set(), set()),
    ],
)
def test_the_sides_of_a_comparison(question: str, kind: str, first: set[str], second: set[str]) -> None:
    sides = read_sides(question)
    assert (sides.kind, set(sides.first.stems), set(sides.second.stems)) == (kind, first, second)


def test_sides_know_years_ends_and_what_points_back() -> None:
    sides = read_sides("what was the change from the start of 2010 to the end of 2012?")
    assert (set(sides.first.years), set(sides.second.years)) == ({2012}, {2010})
    assert (sides.first.boundary, sides.second.boundary) == (1, -1)
    assert read_sides("what is that change divided by the rent?").first.back


def test_a_table_whose_columns_name_the_properties_is_read_turned() -> None:
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


def test_a_number_in_a_sentence_knows_the_words_that_lead_to_it() -> None:
    table = leaves(
        ["", "2008"], ["a", "1"], before=("earnings rose from $ 128 million in 2001 to $ 201 million in 2002 .",)
    )
    told = {float(leaf.quantity.value): leaf for leaf in table.leaves if leaf.table < 0}
    assert LEADS[told[128].lead] == "from"
    assert LEADS[told[201].lead] == "to"
    assert (told[128].year, told[201].year) == (2001, 2002)
    assert dict(told[201].distances)["rose"] > dict(told[128].distances)["rose"]
