"""Selection of several cells by the words for their rows and columns."""

from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.workflow import table_lookup
from quaestor.solvers.workflow.table_lookup import MOST_CELLS, MOST_QUERIES, LookupFailure, SelectedCells

PAGE = page(
    [
        ["( in millions )", "2012", "2011", "2010"],
        ["power cables", "642.3", "598.7", "561.0"],
        ["data cables", "318.6", "-", "251.9"],
        ["total net sales", "1036.8", "969.7", "893.7"],
    ]
)
RENT = [["", "2012", "2011"], ["rent", "5", "4"]]
TWO = assemble("two", [TablePart(RENT), TablePart([*RENT, ["wages", "1", "2"]])])


@lru_cache(maxsize=4)
def graph_of(document: Document) -> KnowledgeGraph:
    return GraphProvider.of([document]).graph(document)


def select_cells(document: Document, rows: list[str], columns: list[str]) -> SelectedCells:
    return table_lookup.select_cells(document, graph_of(document), rows, columns)


@pytest.mark.parametrize(
    ("rows", "columns", "labels"),
    [
        (["power cables"], ["all"], ("2012", "2011", "2010")),
        (["Power cable"], ["all columns"], ("2012", "2011", "2010")),
        (["all"], ["2010"], ("power cables", "data cables", "total net sales")),
        (["power cables", "total net sales"], ["fiscal 2011"], ("power cables", "total net sales")),
        (["data cables"], ["all"], ("2012", "2010")),
        (["2010"], ["power cables", "data cables"], ("power cables", "data cables")),
        (["power cables", "power cables"], ["2012"], ("2012",)),
        (["power cables", "data cables"], ["2012", "2010"], (
            "power cables, 2012", "power cables, 2010", "data cables, 2012", "data cables, 2010")),
    ],
)  # fmt: skip
def test_cells_are_found_by_words(rows: list[str], columns: list[str], labels: tuple[str, ...]) -> None:
    assert select_cells(PAGE, rows, columns).group.labels == labels


def test_lines_under_a_heading_are_selected() -> None:
    labels = ["assets :", "cash", "land", "liabilities :", "notes", "loans"]
    sections = page([["", "2012"], *([line, "" if ":" in line else "5"] for line in labels)])
    assert select_cells(sections, ["liabilities > all"], ["2012"]).group.labels == ("notes", "loans")


def test_table_with_all_lines_is_selected() -> None:
    assert select_cells(TWO, ["wages"], ["all"]).group.table == 1
    assert select_cells(TWO, ["table 2 > all"], ["table 2 > 2011"]).group.labels == ("rent", "wages")
    with pytest.raises(LookupFailure, match="1"):
        select_cells(TWO, ["rent"], ["all"])


@pytest.mark.parametrize(
    ("rows", "columns", "named"),
    [
        (["barges"], ["all"], "'barges'"),
        (["cables"], ["all"], "'cables'"),
        (["all"], ["1999"], "'1999'"),
        (["data cables"], ["2011"], ""),
        (["all"] * (MOST_QUERIES + 1), ["all"], f"more than {MOST_QUERIES}"),
    ],
)
def test_selection_of_no_line_or_several_is_refused(rows: list[str], columns: list[str], named: str) -> None:
    with pytest.raises(LookupFailure) as caught:
        select_cells(PAGE, rows, columns)
    assert named in str(caught.value)


def test_page_without_a_table_and_selection_of_too_many_cells_are_refused() -> None:
    with pytest.raises(LookupFailure):
        select_cells(page([]), ["all"], ["all"])
    wide = page([["", *map(str, range(1, 31))], *([f"line {n}", *["1"] * 30] for n in range(MOST_CELLS // 30 + 1))])
    with pytest.raises(LookupFailure):
        select_cells(wide, ["all"], ["all"])


_QUERIES = st.lists(st.text(max_size=20) | st.sampled_from(["all", "2012", "> all", "power > all", "*"]), max_size=5)


@given(_QUERIES, _QUERIES)
def test_any_selection_finds_cells_or_is_refused(rows: list[str], columns: list[str]) -> None:
    try:
        found = select_cells(PAGE, rows, columns).group
    except LookupFailure:
        return
    assert len(found.labels) == len(found.values) == len(found.sources) > 0
