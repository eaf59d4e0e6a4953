from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from reports import a_report

from quaestor.core.provenance import CellRef
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.questions.question import read_question
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import FindingContext


@pytest.fixture(scope="module")
def index() -> PlaceIndex:
    return PlaceIndex.of(a_report())


def find(index: PlaceIndex, question: str, *earlier: str, source: CellRef | None = None) -> tuple[Place, ...]:
    sources = ((source,),) if source else ()
    return find_places(index, read_question(question), FindingContext(tuple(map(read_question, earlier)), sources))


@pytest.mark.parametrize(
    ("question", "table", "row"),
    [
        ("what were net sales in 2022?", 2, 1),
        ("what was the gross profit in 2024?", 2, 3),
        ("what were inventories at the end of 2023?", 3, 2),
        ("what were net sales overseas in 2024?", 1, 2),
        ("what was the total of pensions in 2024?", 5, 2),
        ("what was the total of the lease cost in 2024?", 6, 1),
        ("what were sales of services in 2023?", 4, 2),
    ],
)
def test_the_table_and_the_row_are_found_first(index: PlaceIndex, question: str, table: int, row: int) -> None:
    best = find(index, question)[0]
    assert (best.table, best.rows[0]) == (table, row)


def test_a_line_is_found_by_another_of_its_names(index: PlaceIndex) -> None:
    best = find(index, "what was revenue in 2022?")[0]
    assert best.table == 2
    assert any(reason.kind == "line" for reason in best.why)


def test_place_has_its_location_and_reason(index: PlaceIndex) -> None:
    best = find(index, "what was cash and cash equivalents in 2024?")[0]
    assert (best.page, best.anchor, best.kind) == (6, "balance", "table")
    assert best.section == ("Item 8. Financial statements", "Consolidated balance sheets")
    assert [(reason.kind, reason.text) for reason in best.why][:2] == [
        ("row", "Cash and cash equivalents"),
        ("year", "2024"),
    ]
    assert "35" in best.text


def test_question_with_only_a_reference_stays_in_its_table(index: PlaceIndex) -> None:
    source = CellRef("NORD/2024/10-K", 4, 1, 1)
    best = find(index, "and how much more than in 2023?", "what were net sales of paper in 2024?", source=source)[0]
    assert best.table == 4
    assert best.why[-1].kind == "earlier"


def test_new_subject_is_added_to_the_previous_table(index: PlaceIndex) -> None:
    source = CellRef("NORD/2024/10-K", 5, 1, 1)
    places = find(index, "and the inventories in 2023?", "what was the service cost in 2024?", source=source)
    assert places[0].table == 3
    assert 5 in [place.table for place in places]


def test_omitted_part_comes_from_the_previous_question(index: PlaceIndex) -> None:
    source = CellRef("NORD/2024/10-K", 4, 1, 1)
    best = find(index, "the same for services", "what were net sales of paper in 2024?", source=source)[0]
    assert (best.table, best.rows[0]) == (4, 2)


def tagged_rows(document: Document) -> dict[str, set[int]]:
    """Return questions for labels with a single concept, and the tables that print the concept's numbers."""
    tables: defaultdict[Fact, set[int]] = defaultdict(set)
    concepts: defaultdict[str, set[str]] = defaultdict(set)
    questions: dict[str, tuple[str, Fact]] = {}
    for tagged in document.facts:
        if isinstance(tagged.source, CellRef):
            at, fact = tagged.source, replace(tagged.fact, scale=0, decimals=None, label="")
            table = document.table(at.table)
            label, period = table.rows[at.row].label, table.period_at(at.row, at.column)
            tables[fact].add(at.table)
            concepts[label].add(f"{fact.concept} {fact.dimensions}")
            if label and period is not None and fact.value is not None:
                questions[f"what was {label} in {period.year}?"] = label, fact
    return {question: tables[fact] for question, (label, fact) in questions.items() if len(concepts[label]) == 1}


@pytest.mark.very_slow
@pytest.mark.parametrize("name", ["nke-10-k-2025-07-17.html.gz", "ba-10-q-2025-07-29.html.gz"])
def test_tagged_numbers_of_a_filing_are_among_the_first_five(shared_data: Path, name: str) -> None:
    document = read_document(shared_data / "filings" / name)
    index = PlaceIndex.of(document)
    rows = sorted(tagged_rows(document).items())[::3]
    found = [not tables.isdisjoint({p.table for p in find(index, question)}) for question, tables in rows]
    assert len(rows) > 50
    assert sum(found) >= 0.95 * len(found)
