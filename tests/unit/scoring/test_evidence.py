from decimal import Decimal
from pathlib import Path

import pytest
from filing_questions import FINANCEBENCH, QUESTIONS, write_filings, write_questions

from quaestor.datasets.formats import read_document
from quaestor.documents.table import Table
from quaestor.scoring.filing_answers import Evidence
from quaestor.scoring.gold import read_gold
from quaestor.scoring.verdicts import evidence_rank, first_blocks


def test_evidence_is_counted_among_the_first_results(tmp_path: Path) -> None:
    document = read_document(write_filings(tmp_path) / "alder-2024.md")
    table = next(block.order for block in document.blocks if isinstance(block.content, Table))
    shown = first_blocks(document, "What were net sales in 2024?", (), ())
    assert table in shown
    assert evidence_rank(Evidence(numbers=frozenset({Decimal(4120)})), document, shown) == shown.index(table) + 1
    assert evidence_rank(Evidence(numbers=frozenset({Decimal(4120)})), document, ()) == 0
    assert evidence_rank(Evidence(numbers=frozenset({Decimal(777)})), document, shown) is None
    assert evidence_rank(Evidence(), document, shown) is None


def test_sentence_is_evidence_if_most_of_its_words_are_found(tmp_path: Path) -> None:
    document = read_document(write_filings(tmp_path) / "alder-2024.md")
    evidence = Evidence(text="higher prices for drills and saws")
    why = next(block.order for block in document.blocks if block.content.kind == "paragraph")
    assert evidence_rank(evidence, document, (why,)) == 1


def test_files_give_the_places_of_answers(tmp_path: Path) -> None:
    own = read_gold(write_questions(tmp_path, QUESTIONS))
    assert [turn.filing.evidence for turn in own["alder-01"] if turn.filing] == [
        Evidence(numbers=frozenset({Decimal(4120)})), Evidence(text="higher prices for drills and saws"),
    ]  # fmt: skip
    (turn,) = read_gold(write_questions(tmp_path, FINANCEBENCH))["fb_1"]
    assert turn.filing is not None
    assert turn.filing.evidence == Evidence(pages=frozenset({1}))


@pytest.mark.parametrize("where", ["Note 3, 2024", ""])
def test_years_and_small_numbers_are_not_evidence(tmp_path: Path, where: str) -> None:
    changed = QUESTIONS[3] | {"where": where, "answer": {"value": 4.5, "unit": "percent"}}
    (turn,) = read_gold(write_questions(tmp_path, [changed]))["birch-01"]
    assert turn.filing is not None
    assert turn.filing.evidence == Evidence()
