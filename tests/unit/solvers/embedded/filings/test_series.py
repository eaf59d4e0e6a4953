"""The candidates of an operand are series of tables and of sentences, each with features."""

import numpy as np
import pytest

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.errors import ModelError
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, build_facts
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.embedded.filings.binding import OperandQuery, QuestionProbabilities, TurnState
from quaestor.solvers.embedded.filings.loading import load_filing_weights
from quaestor.solvers.embedded.filings.series import find_candidates, find_unasked_members


def a_report() -> FactTable:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",)),
        HeadingPart("Business"),
        ParagraphPart(
            (
                "We have 1,200 full-time employees, and own 40 restaurants in Canada.",
                "We paid $5 in fees.",
            )
        ),
        HeadingPart("Consolidated Statements of Income"),
        TablePart([["", "2024", "2023"], ["Fees", "7", "6"], ["Net sales", "110", "100"], ["Net income", "12", "11"]]),
        HeadingPart("Debt"),
        TablePart([["", "Notes"], ["2025", "9"], ["2026", "8"], ["2027", "4"]]),
    ]
    return build_facts(assemble("10-K", parts))


def find(text: str, *moments: Moment, table: FactTable | None = None) -> dict[float, dict[str, float]]:
    """Return the features of the candidates of a question by the number that each takes first."""
    reading = read_filing_question(text)
    (operand,) = reading.operands
    likely = QuestionProbabilities(np.zeros(len(INTENTS)), np.zeros(0))
    query = OperandQuery(operand, reading, moments, TurnState(), likely, count="how many" in text)
    found = find_candidates(query, table or a_report())
    rows = (dict(zip(found.names, row, strict=True)) for row in found.features.tolist())
    return {float(series.first.quantity.value): row for series, row in zip(found.series, rows, strict=True)}


def test_numbers_of_tables_and_of_sentences_are_candidates() -> None:
    found = find("what were the fees?")
    assert {value: found[value]["of_text"] for value in (7, 5)} == {7: 0, 5: 1}


def test_words_near_a_number_count_for_it() -> None:
    found = find("how many restaurants are there?")
    assert found[40]["nearness"] > found[1200]["nearness"] > 0
    assert (found[40]["counted"], found[1200]["counted"]) == (1, 0)


def test_synonyms_lead_to_candidates() -> None:
    found = find("headcount?")
    assert found[1200]["phrase_nearby"] > 0.9


def test_misspelled_words_lead_to_printed_ones() -> None:
    table = TablePart([["", "2024"], ["Litigation settlements", "30"], ["Goodwill", "50"]])
    found = find("what did lawsuits cost?", table=build_facts(assemble("10-K", [table])))
    assert (found[30]["label_recall"], found[30]["meant_label_recall"] > 0) == (0, True)


def test_lines_with_similar_words_are_candidates() -> None:
    table = TablePart([["", "2024"], ["Number of transactions", "30"], ["Goodwill", "50"]])
    found = find("customer tickets?", table=build_facts(assemble("10-K", [table])))
    assert set(found) == {30}
    assert found[30]["similar"] > 0 == found[30]["label_recall"]


def test_a_rate_may_be_the_name_of_a_line() -> None:
    table = TablePart([["", "2024"], ["4.875% notes", "30"], ["3.625% notes", "50"]])
    found = find("carrying value of the 4.875% notes?", table=build_facts(assemble("10-K", [table])))
    assert found[30]["label_recall"] > found[50]["label_recall"]


def test_later_maturities_are_in_a_schedule() -> None:
    assert set(find("what falls due then?", Moment(2026, 4, 12))) == {9}


def test_weights_of_other_features_are_refused() -> None:
    weights = load_filing_weights()
    with pytest.raises(ModelError):
        weights.ranker.scores_of(("label_recall",), np.zeros((1, 1), np.float32))


def test_a_table_below_the_heading_of_a_line_is_of_that_member_alone() -> None:
    rows = (
        (("(in millions)", "2024", "2023"), ("Net sales", "$ 600", "$ 580"), ("Harbors", "420", "380"),
         ("Rivers", "180", "200")),
        (("(in millions)", "2024", "2023"), ("Total net sales", "$ 420", "$ 380"), ("Operating income", "90", "80")),
    )  # fmt: skip
    parts = (HeadingPart("Results"), TablePart(rows[0]), HeadingPart("Harbors"), TablePart(rows[1]))
    table = build_facts(assemble("a", parts))
    of_harbors = [series for series in table.series if series.line.table == 1]
    assert find_unasked_members(of_harbors, {"net", "sale"}, table).all()
    assert not find_unasked_members(of_harbors, {"harbor", "sale"}, table).any()
    assert not find_unasked_members([one for one in table.series if one.line.table == 0], {"sale"}, table).any()
