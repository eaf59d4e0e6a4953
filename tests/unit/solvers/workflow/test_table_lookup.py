"""Look-up of cells by the names of rows and columns, and refusals with suggestions."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolboxes import sample_pages

from quaestor.datasets.formats import read_dataset
from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.document import Document
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant
from quaestor.scoring.gold import read_gold
from quaestor.solvers.workflow.table_lookup import LookupFailure, TableMatch, axes_of, look_up


def page(*grids: Sequence[Sequence[str]]) -> Document:
    return assemble("NORD/2012/page_7.pdf", [TablePart(grid) for grid in grids], lost_dashes=True)


def try_look_up(document: Document, row: str, column: str) -> TableMatch | str:
    """Return the match, or the message of the refusal."""
    try:
        return look_up(document, row, column)
    except LookupFailure as refused:
        return str(refused)


BY_YEAR = page(
    [
        ["( in millions )", "2008", "2007", "change"],
        ["net sales", "$ 100", "$ 90", "11.1%"],
        ["net sales per employee", "5", "4", "25.0%"],
        ["operating income", "20", "-", "-"],
    ]
)
ROLLFORWARD = page(
    [
        ["", "shares", "weighted average price"],
        ["balance at december 31 , 2007", "12", "30.5"],
        ["granted", "3", "31.0"],
        ["balance at december 31 , 2008", "15", "30.6"],
    ]
)
QUARTERS = page(
    [
        ["", "high", "low"],
        ["2009", "", ""],
        ["first quarter", "11", "9"],
        ["second quarter", "12", "10"],
        ["2008", "", ""],
        ["first quarter", "7", "5"],
        ["second quarter", "8", "6"],
    ]
)
TWICE = page([["", "2008", "2007"], ["euro notes", "1", "2"], ["euro notes", "3", "4"], ["other", "5", "6"]])


@pytest.mark.parametrize(
    ("document", "row", "column", "printed"),
    [
        (BY_YEAR, "net sales", "2008", "$ 100"),
        (BY_YEAR, "2007", "net sales", "$ 90"),
        (BY_YEAR, "NET SALES", "fiscal 2007", "$ 90"),
        (BY_YEAR, "net sale", "december 31, 2008", "$ 100"),
        (BY_YEAR, "sales per employee", "2008", "5"),
        (BY_YEAR, "operating incomes", "2008-12-31", "20"),
        (ROLLFORWARD, "balance at december 31, 2008", "shares", "15"),
        (ROLLFORWARD, "balance 2007", "weighted average price", "30.5"),
        (ROLLFORWARD, "shares", "granted", "3"),
        (QUARTERS, "2009 > first quarter", "high", "11"),
        (QUARTERS, "second quarter 2008", "low", "6"),
        (TWICE, "euro notes [2]", "2007", "4"),
    ],
)
def test_finds_the_requested_cell(document: Document, row: str, column: str, printed: str) -> None:
    match = look_up(document, row, column)
    assert match.cell.text == printed
    assert match.runner_up_score < match.score <= 100


@pytest.mark.parametrize(
    ("document", "row", "column", "named"),
    [
        (BY_YEAR, "net sales", "2006", ["'2006'", "'2007'"]),
        (BY_YEAR, "goodwill", "2008", ["'goodwill'"]),
        (BY_YEAR, "operating expenses", "2008", ["", "'operating income'"]),
        (BY_YEAR, "goodwill", "2005", ["'goodwill'", "'2005'"]),
        (ROLLFORWARD, "balance", "shares", ["2", "2007", "2008"]),
        (QUARTERS, "first quarter", "high", ["2", "'2009 > first quarter'", "'2008 > first quarter'"]),
        (TWICE, "euro notes", "2008", ["2", "'euro notes [1]'", "'euro notes [2]'"]),
        (page(), "net sales", "2008", [""]),
    ],
)
def test_missing_or_ambiguous_lookup_is_refused(document: Document, row: str, column: str, named: list[str]) -> None:
    with pytest.raises(LookupFailure) as refused:
        look_up(document, row, column)
    assert all(words in str(refused.value) for words in named), str(refused.value)


def test_a_number_of_a_cell_with_several_is_named() -> None:
    document = page([["", "face value"], ["euro notes", "20ac750 ( approximately $ 1029 )"], ["other", "5"]])
    assert str(look_up(document, "euro notes", "face value (number 2)").quantity.value) == "1029"
    for column in ("face value", "face value (number 3)"):
        with pytest.raises(LookupFailure, match="2"):
            look_up(document, "euro notes", column)


def test_equal_lines_of_two_tables_are_distinguished_by_table() -> None:
    grid = [["", "2008", "2007"], ["net sales", "1", "2"]]
    document = page(grid, [["", "2008", "2007"], ["net sales", "3", "4"]])
    with pytest.raises(LookupFailure, match="2"):
        look_up(document, "net sales", "2008")
    assert look_up(document, "table 2 > net sales", "2008").cell.text == "3"


def test_a_row_by_its_name_needs_no_table_for_its_column() -> None:
    document = page(
        [["", "2008", "2007"], ["total revenues", "1", "2"]], [["", "2008", "2007"], ["revenues", "3", "4"]]
    )
    assert [line.shown for line in axes_of(document)[1].columns.values()] == ["2008", "2007"]
    assert look_up(document, "revenues", "2008").cell.text == "3"
    assert look_up(document, "total revenues", "2007").cell.text == "2"


def test_lost_dash_is_not_a_number() -> None:
    document = page([["", "2008", "2007"], ["net sales", "100", "2014"], ["costs", "80", "70"]])
    with pytest.raises(LookupFailure):
        look_up(document, "net sales", "2007")


def test_every_number_of_the_sample_is_found_by_its_names() -> None:
    for document in sample_pages().values():
        for table, axes in zip(document.tables, axes_of(document), strict=True):
            assert len({line.name for line in axes.rows.values()}) == len(axes.rows)
            for cell in table.body():
                if cell.quantities and not cell.repair:
                    row, column = axes.rows[cell.ref.row].name, axes.columns[cell.ref.column].name
                    for place, quantity in enumerate(cell.quantities, 1):
                        end = f" (number {place})" if len(cell.quantities) > 1 else ""
                        found = look_up(document, row, column + end)
                        assert (found.cell, found.quantity) == (cell, quantity)


@given(row=st.text(max_size=40), column=st.text(max_size=40))
def test_any_words_find_a_number_or_are_refused(row: str, column: str) -> None:
    for document in (BY_YEAR, QUARTERS):
        found = try_look_up(document, row, column)
        assert found if isinstance(found, str) else found.quantity in found.cell.quantities


@pytest.mark.slow
def test_the_operands_of_the_public_file_are_found_by_their_labels(shared_data: Path) -> None:
    path = shared_data / "convfinqa_tune.json"
    golds, found, ambiguous = read_gold(path), 0, 0
    wrong: list[str] = []
    for conversation in read_dataset(path).conversations:
        document = conversation.document
        numbers = {
            operand.value
            for gold in golds[conversation.id]
            for step in parse_program(gold.program).steps
            if isinstance(step, Compute)
            for operand in step.operands
            if isinstance(operand, Constant) and not operand.text.startswith("const_")
        }
        for table, axes in zip(document.tables, axes_of(document), strict=True):
            for cell in table.body():
                if len(cell.quantities) != 1 or cell.repair or abs(cell.quantities[0].value) not in map(abs, numbers):
                    continue
                row, column = axes.rows[cell.ref.row], axes.columns[cell.ref.column]
                assert look_up(document, row.name, column.name).cell == cell
                queries = row.label or row.name, column.label or column.name
                match = try_look_up(document, *queries)
                if isinstance(match, TableMatch):
                    wrong += [] if match.cell == cell else [f"{document.id}: {queries}"]
                    found += 1
                else:
                    assert "cells" in match
                    assert (row.name, column.name) != queries, match
                    ambiguous += 1
    assert wrong == []
    assert found > 400
    assert ambiguous < found * 0.06


def test_names_are_computed_once_per_page() -> None:
    assert axes_of(BY_YEAR) is axes_of(replace(BY_YEAR))


@pytest.mark.parametrize(("elsewhere", "taken"), [("12", True), ("0", False)])
def test_a_dash_is_zero_in_a_table_that_prints_no_zeros(elsewhere: str, taken: bool) -> None:
    document = page([["", "2010", "2009"], ["rent", "-", elsewhere], ["taxes", "5", "4"]])
    if taken:
        assert look_up(document, "rent", "2010").quantity.value == 0
    else:
        with pytest.raises(LookupFailure, match="no cell with a number"):
            look_up(document, "rent", "2010")
