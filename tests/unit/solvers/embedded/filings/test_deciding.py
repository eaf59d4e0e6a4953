"""The answer is the most probable result according to the learned model."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList
from quaestor.core.quantity import Scale
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.plan.steps import Plan
from quaestor.solvers.embedded.filings.composing import Proposal
from quaestor.solvers.embedded.filings.confidence_features import measure_agreements
from quaestor.solvers.embedded.filings.deciding import (
    ConfidenceModel,
    combine_parts,
    decide_question,
    decide_without_ranges,
)
from quaestor.solvers.embedded.filings.loading import load_filing_weights
from quaestor.solvers.embedded.filings.results import PlanResult
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn


class _Trees:
    """A model that scores the first result 0, the next one 1, and so on."""

    def scores(self, rows: np.ndarray) -> np.ndarray:
        return np.arange(len(rows), dtype=np.float64)


@pytest.fixture(scope="module")
def weights() -> FilingWeights:
    return load_filing_weights()


@pytest.fixture(scope="module")
def table() -> FactTable:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",)),
        HeadingPart("Income"),
        TablePart([["", "2024", "2023"], ["Fees", "7", "6"], ["Other fees", "9", "8"], ["Net sales", "110", "100"]]),
    ]
    return build_facts(assemble("10-K", parts))


def test_results_are_ordered_by_probability(weights: FilingWeights, table: FactTable) -> None:
    model = ConfidenceModel(("share",), _Trees(), _Trees())  # type: ignore[arg-type]
    decision = decide_question("what were the fees?", [], table, replace(weights, confidence=model))
    rights = [result.right for result in decision.results[: len(decision.features)]]
    assert len(rights) > 1
    assert rights == sorted(rights, reverse=True)
    assert decision.right == rights[0] > 0.5


def test_without_a_model_the_likeliest_plan_comes_first(weights: FilingWeights, table: FactTable) -> None:
    decision = decide_question("what were net sales in 2023?", [], table, replace(weights, confidence=None))
    assert isinstance(decision.results[0].value, Number)
    assert [result.share for result in decision.results] == sorted((r.share for r in decision.results), reverse=True)


def test_a_rounded_number_supports_the_exact_one(weights: FilingWeights) -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("Fourth-quarter revenue was $14.0 billion in 2024.",)),
        HeadingPart("Income"),
        TablePart([["", "2024", "2023"], ["Net revenue", "$14,042", "$20,528"]], "(In millions)", header_rows=1),
    ]
    found = build_facts(assemble("release", parts, filing=True))
    decision = decide_question("what was revenue in 2024?", [], found, replace(weights, confidence=None))
    amounts = [result.value.value for result in decision.results if isinstance(result.value, Number)]
    assert amounts.count(Decimal(14042)) == 1
    assert Decimal("14.0") not in amounts
    assert len(decision.results[0].proposals) > 1


def test_the_ends_of_a_range_are_one_result(weights: FilingWeights) -> None:
    parts: list[DocumentPart] = [ParagraphPart(("We expect revenue to be between $2.2 and $2.4 billion in 2025.",))]
    found = build_facts(assemble("release", parts, filing=True))
    weights = replace(weights, confidence=None)
    ends = decide_without_ranges("what revenue is expected in 2025?", [], found, weights)
    ranges = decide_question("what revenue is expected in 2025?", [], found, weights)
    numbers = [result for result in ends.results if isinstance(result.value, Number)]
    assert isinstance(ranges.results[0].value, ValueList)
    assert len(ranges.features) == len(ranges.results) < len(ends.results)
    assert ranges.right >= max(result.right for result in numbers)


@pytest.mark.parametrize("question", ["what were Lowe's net sales in 2024?", "how many zeppelins?"])
def test_question_with_unknown_words_is_unanswered(question: str, weights: FilingWeights, table: FactTable) -> None:
    model = ConfidenceModel(("share",), _Trees(), _Trees())  # type: ignore[arg-type]
    known = decide_question("what were net sales in 2024?", [], table, replace(weights, confidence=model))
    other = decide_question(question, [], table, replace(weights, confidence=model))
    assert known.answerable == 0.5
    assert other.answerable < 0.1


@pytest.mark.parametrize(
    ("question", "feature", "there"),
    [
        ("what were the fees in 2024?", "span_apart", 0),
        ("what were the fees in the fourth quarter of 2024?", "span_apart", 1),
        ("what were net sales in 2024?", "unmet", 0),
        ("what was the r&d spend in 2024?", "unmet", 1),
        ("how many gpus were sold with fees?", "counted_rarity", 1),
    ],
)
def test_terms_of_the_question_that_a_result_lacks_are_found(
    question: str, feature: str, there: float, weights: FilingWeights, table: FactTable
) -> None:
    decision = decide_question(question, [], table, replace(weights, confidence=None))
    assert all((features[feature] > 0) == (there > 0) for features in decision.features[:1])


def test_one_number_does_not_answer_two_parts_if_another_is_likely() -> None:
    sales, same, profit = (
        PlanResult(Number(Decimal(value)), scale, (), share)
        for value, scale, share in ((642, Scale.MILLION, 0.9), ("642.3", Scale.MILLION, 0.5), (70, Scale.MILLION, 0.3))
    )
    assert combine_parts([[(0.9, sales)], [(0.5, same), (0.3, profit)]])[0][1] == (sales, profit)
    assert combine_parts([[(0.9, sales)], [(0.5, same)]])[0][1] == (sales, same)


def test_numbers_of_one_line_answer_parts_rather_than_numbers_printed_apart(table: FactTable) -> None:
    def result(place: int, value: int) -> PlanResult:
        proposal = Proposal(Plan(()), 0.0, "value", table.series_of_line[place][:1], ())
        return PlanResult(Number(Decimal(value)), Scale.ONE, (proposal,), 0.5)

    first, *others = (line.place for line in table.lines if table.series_of_line.get(line.place))
    count, price, other = result(first, 8), result(first, 70), result(others[-1], 90)
    assert combine_parts([[(0.5, count)], [(0.4, other), (0.3, price)]])[0][1] == (count, price)


def test_a_number_and_a_sentence_that_prints_it_support_each_other() -> None:
    def result(value: AnswerValue, form: str, share: float) -> PlanResult:
        return PlanResult(value, Scale.MILLION, (Proposal(Plan(()), 0.0, form, (), ()),), share)

    stated = result(Text("Sales rose to $1.2 billion."), "words", 0.3)
    agreeing, other = result(Number(Decimal(1198)), "value", 0.5), result(Number(Decimal(70)), "value", 0.2)
    assert measure_agreements([agreeing, other, stated]) == [0.3, 0.0, 0.5]


def test_sentence_about_another_measure_does_not_replace_a_computation(weights: FilingWeights) -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",)),
        ParagraphPart(("Our gross profit margin increased to 61.1% in 2024 from 59.5% in 2023.",)),
        HeadingPart("CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart([["", "2024", "2023"], ["Net sales", "200", "150"], ["Net income", "50", "30"]]),
    ]
    table = build_facts(assemble("10-K", parts))
    decision = decide_question("what was the profit margin in 2024?", [], table, weights)
    assert decision.results[0].value == Number(Decimal("0.25"))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what was the change in Income before provision for income taxes from 2023 to 2024?", 20),
        ("what was Total property, plant and equipment, net in 2023?", 60),
        ("what was Other assets in 2024 according to Note 8 - Leases?", 4),
    ],
)
def test_lines_are_found_by_their_names_word_for_word(weights: FilingWeights, question: str, value: int) -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",)),
        HeadingPart("CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart(
            [
                ["", "2024", "2023"],
                ["Income before provision for income taxes", "120", "100"],
                ["Provision for income taxes", "30", "22"],
            ]
        ),
        HeadingPart("CONSOLIDATED BALANCE SHEETS"),
        TablePart(
            [
                ["", "2024", "2023"],
                ["Total property, plant and equipment, net", "70", "60"],
                ["Other assets", "30", "20"],
            ]
        ),
        HeadingPart("Note 8 - Leases"),
        TablePart([["", "2024", "2023"], ["Other assets", "4", "3"], ["Lease liabilities", "9", "8"]]),
    ]
    decision = decide_question(question, [], build_facts(assemble("10-K", parts)), weights)
    assert decision.results[0].value == Number(Decimal(value))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what were total assets in 2024?", 80),
        ("what were total assets in 2025?", 90),
        ("what was the change in total assets from 2024 to 2025?", 10),
        ("what was revenue in 2024?", 6),
    ],
)
def test_a_year_alone_means_the_last_balance_of_it_in_an_interim_report(
    weights: FilingWeights, question: str, value: int
) -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("Quarterly report for the quarterly period ended June 30, 2025",)),
        HeadingPart("CONSOLIDATED STATEMENTS OF OPERATIONS"),
        TablePart(
            [["", "Three months ended June 30, 2025", "Three months ended June 30, 2024"], ["Revenue", "7", "6"]],
        ),
        HeadingPart("CONSOLIDATED BALANCE SHEETS"),
        TablePart([["", "June 30, 2025", "December 31, 2024"], ["Total assets", "90", "80"]]),
    ]
    decision = decide_question(question, [], build_facts(assemble("10-Q", parts)), weights)
    assert decision.results[0].value == Number(Decimal(value))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what were total assets in 2025?", 30),
        ("what were total assets in fiscal 2024?", 30),
        ("what was the change in total assets from 2024 to 2025?", 10),
    ],
)
def test_fiscal_year_is_also_named_by_the_year_in_which_it_ends(
    weights: FilingWeights, question: str, value: int
) -> None:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended February 2, 2025 (fiscal 2024)",)),
        HeadingPart("CONSOLIDATED STATEMENTS OF EARNINGS"),
        TablePart(
            [
                ["", "Fiscal 2024", "Fiscal 2023"],
                ["Net sales", "$70.0", "$60.0"],
                ["Cost of sales", "41.5", "39.1"],
                ["Net earnings", "$9.3", "$8.2"],
            ],
            title="CONSOLIDATED STATEMENTS OF EARNINGS",
        ),
        HeadingPart("CONSOLIDATED BALANCE SHEETS"),
        TablePart(
            [
                ["", "February 2, 2025", "January 28, 2024"],
                ["Merchandise inventories", "$6.5", "$6.2"],
                ["Total assets", "$30", "$20"],
                ["Accounts payable", "3.1", "2.8"],
            ],
            title="CONSOLIDATED BALANCE SHEETS",
        ),
    ]
    decision = decide_question(question, [], build_facts(assemble("10-K", parts)), weights)
    assert decision.results[0].value == Number(Decimal(value))


def test_a_correction_asks_the_corrected_question_again(weights: FilingWeights, table: FactTable) -> None:
    asked = decide_question("what were net sales in 2024?", [], table, weights)
    past = [PastTurn("what were net sales in 2024?", asked.results[0].proposal.plan, asked.right)]
    corrected = decide_question("sorry, I meant 2023", past, table, weights)
    assert corrected.results[0].value == Number(Decimal(100))
    assert corrected.right == decide_question("what were net sales in 2023", [], table, weights).right
