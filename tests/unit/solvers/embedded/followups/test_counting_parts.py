"""References to the parts of earlier answers by position."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from discussed_filing import a_discussed_filing
from remembered import looked_up

import quaestor
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import ValueList
from quaestor.documents.document import Document
from quaestor.plan.steps import Compute, Constant, Plan, Ref
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.embedded.counting_parts import answer_part_count
from quaestor.testing import turn_context

PAGE = """# Alder, annual report

| (in millions) | 2024 | 2023 | 2022 |
|---|---|---|---|
| Operating income | 125 | 100 | 90 |
| Rent | 40 | 50 | 60 |
"""


@pytest.fixture(params=["page", "filing"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Document | Path, str, dict[str, str]]:
    """Return a document, a question for two numbers, and the expected answers to follow-ups."""
    if request.param == "filing":
        shown = {
            "and the second one?": "$ 85 million",
            "the first minus the second": "$ 495 million",
            "ratio of the two": "6.82",
            "sum of both": "$ 665 million",
            "which is larger?": "Net sales",
        }
        return a_discussed_filing(), "net sales and net income in 2023", shown
    (tmp_path / "alder.md").write_text(PAGE, encoding="utf-8")
    shown = {
        "and the second one?": "125 million",
        "the second minus the first": "35 million",
        "sum of the two": "215 million",
        "which is larger?": "2024",
        "the first as a percentage of the second": "72.0 %",
    }
    return tmp_path / "alder.md", "what was operating income in 2022 and 2024?", shown


def test_parts_of_a_list_are_found_by_their_places(opened: tuple[Document | Path, str, dict[str, str]]) -> None:
    document, question, shown = opened
    for follow_up, answer in shown.items():
        listed, found = quaestor.open(document).ask([question, follow_up])
        assert len(listed.sources) == 2
        assert (follow_up, str(found)) == (follow_up, answer)
        assert set(found.sources) <= set(listed.sources)


def test_parts_of_a_follow_up_are_found() -> None:
    questions = [
        "net sales, cost of sales and net income in 2024",
        "sum of the first two",
        "ratio of the two",
        "the third",
    ]
    assert [str(answer) for answer in quaestor.open(a_discussed_filing()).ask(questions)][1:] == [
        "$ 950 million",
        "1.71",
        "$ 90 million",
    ]


def test_last_two_answers_about_a_filing_count_as_parts() -> None:
    questions = ["what was net income in 2024?", "and net sales?", "the first as a percentage of the second"]
    assert str(quaestor.open(a_discussed_filing()).ask(questions)[-1]) == "15.0 %"


SALES, INCOME, COSTS = "what were net sales in 2024?", "what was net income in 2024?", "what was cost of sales in 2024?"


@pytest.mark.parametrize(
    ("follow_ups", "expected"),
    [
        (["the sum of answer 1 and answer 3"], "$ 950 million"),
        (["the average of the last two"], "$ 220 million"),
        (["the sum of the first two"], "$ 690 million"),
        (["answer 2 as a percentage of answer 1"], "15.0 %"),
        (["answer 1 less answer 3", "double that"], "$ 500 million"),
        (["half of answer 2", "that times 4", "and 10% of it?"], "$ 18.0 million"),
        (["the sum of answer 1 and answer 12"], "no answer"),
        (["the sum of answers 1 to 999999999"], "no answer"),
        (["answer 0"], "no answer"),
        (["the ratio of answers 1, 2 and 3"], "no answer"),
        (["answer 1 minus answer 1"], "$ 0 million"),
        (["that divided by 0"], "no answer"),
        (["answer 1 times 1e400"], "no answer"),
        (["answer 1 plus 10%"], "no answer"),
        (["answer 1 plus $ 2.5 million"], "$ 602.5 million"),
        (["1,200 divided by answer 1"], "2"),
        (["double answer 1", *["that plus answer 1"] * 70], "$ 43,200 million"),
    ],
)
def test_calculations_use_answers_by_number(follow_ups: list[str], expected: str) -> None:
    answers = quaestor.open(a_discussed_filing()).ask([SALES, INCOME, COSTS, *follow_ups])
    assert str(answers[-1]) == expected


def test_confidence_of_a_calculation_is_the_lowest_of_its_answers() -> None:
    answers = quaestor.open(a_discussed_filing()).ask([SALES, INCOME, COSTS, "the sum of answers 1 and 2"])
    assert answers[-1].answer.confidence == min(answers[0].answer.confidence or 0, answers[1].answer.confidence or 0)


def test_a_number_is_added_to_each_entry_of_a_list() -> None:
    answers = quaestor.open(a_discussed_filing()).ask(["net sales and net income in 2024", "it plus 5", "it minus 5"])
    listed = [answer.answer.value for answer in answers[1:]]
    numbers = [[item.number for item in value.items] for value in listed if isinstance(value, ValueList)]
    assert numbers == [[605, 95], [600, 90]]


def test_position_beyond_the_list_is_not_answered_from_it() -> None:
    answers = quaestor.open(a_discussed_filing()).ask(["net sales and net income in 2024", "the fifth one?"])
    assert "90" not in str(answers[-1])


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (
            ["net sales, cost of sales and net income in 2024", "net sales and net income in 2023", "the third one?"],
            "no answer",
        ),
        (["net sales and net income in 2024", "why did net sales rise?", "the first one?"], "no answer"),
        (["net sales in 2024?", "net income in 2024?", "cost of sales in 2024?", "the first one?"], "no answer"),
        (["net sales in 2024?", "net income in 2024?", "cost of sales in 2024?", "the last one?"], "350 million"),
        (
            [
                "net sales, cost of sales and net income in 2024",
                "net sales and net income in 2023",
                "the first of the three",
            ],
            "$ 600 million",
        ),
    ],
)
def test_position_refers_only_to_a_matching_list(questions: list[str], expected: str) -> None:
    assert str(quaestor.open(a_discussed_filing()).ask(questions)[-1]) == expected


def test_line_called_other_is_not_a_part(tmp_path: Path) -> None:
    (tmp_path / "alder.md").write_text(f"{PAGE}| Other | 7 | 8 | 9 |\n", encoding="utf-8")
    questions = ["what were operating income and rent in 2024?", "and other?"]
    assert str(quaestor.open(tmp_path / "alder.md").ask(questions)[-1]) == "7 million"


def test_a_list_has_the_order_in_which_it_is_asked_for() -> None:
    (found,) = quaestor.open(a_discussed_filing()).ask(["net sales in 2023 and 2024"])
    assert str(found) == "2023: $ 580 million; 2024: $ 600 million"


@pytest.mark.parametrize("operation", ["add", "items"])
def test_parts_of_a_deeply_nested_plan_are_searched_quickly(operation: str) -> None:
    one, two = Constant(Decimal(1), "1"), Constant(Decimal(2), "2")
    doubling = (Compute(step, "add", (Ref(step - 1), Ref(step - 1))) for step in range(2, 61))
    plan = Plan((Compute(1, operation, (one, two)), *doubling))
    context = turn_context("what is it?")
    turn = replace(looked_up("what is it?", "rent", 2007), answer=answer_from_plan(plan, context))
    context = turn_context("the first one?", memory=Memory((turn,)))
    assert answer_part_count("the first one?", context) is None


@pytest.mark.parametrize(
    ("follow_ups", "expected"),
    [(["the average?"], "107.5 million"), (["average", "and the total?"], "215 million"), (["double that"], "2022")],
)
def test_operation_without_operands_uses_the_last_list(tmp_path: Path, follow_ups: list[str], expected: str) -> None:
    (tmp_path / "alder.md").write_text(PAGE, encoding="utf-8")
    questions = ["what was operating income in 2022 and 2024?", *follow_ups]
    assert expected in str(quaestor.open(tmp_path / "alder.md").ask(questions)[-1])


@pytest.mark.parametrize("follow_up", ["double that", "the average?"])
def test_list_of_an_amount_and_a_percentage_is_not_used_in_calculations(tmp_path: Path, follow_up: str) -> None:
    (tmp_path / "alder.md").write_text(PAGE, encoding="utf-8")
    questions = ["what was rent in 2024 and what was the percentage change from 2023?", follow_up, "double the first"]
    _, none, first = quaestor.open(tmp_path / "alder.md").ask(questions)
    assert none.number is None
    assert "answer 1" in (none.answer.reason or "")
    assert str(first) == "80 million"
