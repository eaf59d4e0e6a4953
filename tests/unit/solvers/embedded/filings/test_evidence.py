"""A question is answerable if a line or sentence of the filing has the required evidence."""

import pytest

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.solvers.embedded.filings.binding import TurnState
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal
from quaestor.solvers.embedded.filings.evidence import (
    count_lines,
    find_evidence,
    measure_coverage,
    measure_joint,
    quote,
)
from quaestor.solvers.embedded.filings.loading import load_filing_weights
from quaestor.solvers.embedded.filings.turns import FilingWeights, understand_turn

MONEY, PERCENT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def weights() -> FilingWeights:
    return load_filing_weights()


@pytest.fixture(scope="module")
def table() -> FactTable:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",)),
        HeadingPart("Business"),
        ParagraphPart(("We have 40 stores in Norway.", "The Boeing 787 is leased from others.")),
        HeadingPart("Income"),
        TablePart([["", "2024", "2023"], ["Fees", "7", "6"], ["Net sales", "110", "100"], ["Goodwill", "12", "11"]]),
    ]
    return build_facts(assemble("10-K", parts))


def ask(text: str, table: FactTable, weights: FilingWeights) -> BoundQuestion:
    return understand_turn(text, TurnState(), table, weights).question


@pytest.mark.parametrize(
    ("text", "kinds", "joint"),
    [
        ("what was goodwill in 2024?", MONEY, True),
        ("what was the goodwill of Norway?", MONEY, False),
        ("how many stores in Norway?", MONEY, False),
        ("how many stores in Norway?", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0), True),
    ],
)
def test_evidence_is_searched_in_one_place_of_its_kind(
    text: str, kinds: tuple[float, ...], joint: bool, table: FactTable, weights: FilingWeights
) -> None:
    question = ask(text, table, weights)
    found = measure_joint(find_evidence(question, ()), question, kinds)
    assert (found["joint_kind"] > 0.99) is joint


def test_a_measure_and_a_member_are_sought_together(table: FactTable, weights: FilingWeights) -> None:
    question = ask("what was the goodwill of Norway?", table, weights)
    found = measure_joint(find_evidence(question, ()), question, MONEY)
    assert (found["member_near"], found["member_there"]) == (0, 1)


def test_number_in_a_name_is_required_evidence(table: FactTable, weights: FilingWeights) -> None:
    assert len(find_evidence(ask("who leases the 787?", table, weights), ()).own) == 2
    assert len(find_evidence(ask("who leases the 797?", table, weights), ()).own) == 1


def test_plan_lacks_terms_that_none_of_its_lines_has(table: FactTable, weights: FilingWeights) -> None:
    understood = understand_turn("what was the goodwill of Norway?", TurnState(), table, weights)
    evidence = find_evidence(understood.question, ())
    (goodwill, *_) = [one for one in understood.proposals if {s.line.label for s in one.series} == {"Goodwill"}]
    (index,) = [place for place, one in enumerate(table.sentences.sentences) if "Norway" in one.text]
    stores = Proposal(quote((index,), table, ""), 0.0, "words", (), ())
    assert 0 < measure_coverage(evidence, goodwill, table)["needs_open_own"] < 1
    assert measure_coverage(evidence, goodwill, table)["contradicted"] == 0
    assert measure_coverage(evidence, stores, table)["rarest_need_open_own"] > 0


def test_lines_named_in_a_question_are_counted_at_its_times(weights: FilingWeights, table: FactTable) -> None:
    def count(text: str) -> tuple[float, float]:
        features = count_lines(ask(text, table, weights))
        return features["lines_named"], features["lines_of_period"]

    there, period = count("what was revenue in 2023?")
    assert there > 0 < period
    assert count("what was revenue in the third quarter of 2023?") == (there, 0)
    assert count("what was inventory in 2023?") == (0, period)
