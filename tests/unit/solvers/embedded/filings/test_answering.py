import asyncio
from decimal import Decimal

import pytest
from long_filing import a_long_filing

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Number, Text, ValueList, YesNo, number_of
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.runner import ConversationRunner
from quaestor.plan.steps import Extract
from quaestor.solvers.base import Solver
from quaestor.solvers.registry import make_solver


def ask(*questions: str, solver: Solver | None = None) -> list[Answer]:
    """Return the answers to a conversation about a made-up annual report that is too long to be shown whole."""
    document = a_long_filing()
    excerpts = PlaceExcerpts.of_file(document, 300)
    solver = solver or make_solver("embedded", {"decline": True, "answers": "all"})
    play = ConversationRunner(Conversation("c", document, ()), solver, excerpts=excerpts)
    asyncio.run(_play(play, questions))
    return [turn.answer for turn in play.turns]


async def _play(play: ConversationRunner, questions: tuple[str, ...]) -> None:
    await play.begin()
    for question in questions:
        await play.run_next_turn(question)


def test_a_line_is_found_at_the_latest_time_and_at_others() -> None:
    first, second = ask("what were total net sales?", "and the year before?")
    assert [number_of(answer.value) for answer in (first, second)] == [800, 720]
    assert [answer.period and answer.period.year for answer in (first, second)] == [2023, 2022]


def test_computation_with_last_answers_is_not_a_sentence() -> None:
    *_, change = ask("what was net income in 2023?", "and in 2022?", "what was the change?")
    assert number_of(change.value) == 22


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("embedded", {"answers": "numbers"}),
        ("reflection", {"expert": "embedded"}),
        ("cascade", {"stages": "embedded,embedded"}),
    ],
)
def test_other_solvers_read_the_whole_document(name: str, options: dict[str, object]) -> None:
    first, second = ask(
        "what were total net sales?", "and the long-term debt due in 2026?", solver=make_solver(name, options)
    )
    plain = ask("what were total net sales?", "and the long-term debt due in 2026?")
    assert [first.value, second.value] == [answer.value for answer in plain]
    assert first.sources == plain[0].sources
    assert not first.reason


def test_only_numbers_are_given_if_only_numbers_are_requested() -> None:
    question = "which segment had the highest net sales in 2023?"
    (answer,) = ask(question, solver=make_solver("embedded", {"answers": "numbers"}))
    assert isinstance(answer.value, Number | None)
    (text,) = ask(question)
    assert isinstance(text.value, Text)


def test_an_answer_that_is_not_sure_enough_is_withheld() -> None:
    (answer,) = ask("what were total net sales?", solver=make_solver("embedded", {"abstain_below": 1.0}))
    assert answer.value is None
    assert (answer.reason or "").startswith("withheld")


def test_the_source_is_the_cell_of_the_statement() -> None:
    (answer,) = ask("what was operating income in 2023?")
    (source,) = answer.sources
    assert isinstance(source, CellRef)
    assert a_long_filing().cell(source).text == "136"


def test_question_without_matching_line_or_sentence_is_unanswered() -> None:
    (answer,) = ask("what were net sales in 2015?")
    assert (answer.value, answer.answerable, answer.other_readings) == (None, 0.0, ())
    assert answer.reason is not None
    assert answer.reason.startswith("not on the page")


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (["how much did net income grow in 2023?"], Decimal(98 - 76) / 76),
        (["what was net income in 2023?", "by how much did it rise?"], Decimal(22)),
        (["operating margin in 2022?"], Decimal(106) / 720),
        (["r&d in 2023?", "as a % of total net sales"], Decimal(96) / 800),
        (["gross margin as a percentage of total net sales in 2021?"], Decimal(240) / 660),
    ],
)
def test_answers_are_computed_from_lines(questions: list[str], expected: Decimal) -> None:
    answer = ask(*questions)[-1]
    number = number_of(answer.value)
    assert number is not None
    assert abs(number - expected) < Decimal("0.0001")
    assert answer.plan is not None
    assert all(isinstance(step.source, CellRef) for step in answer.plan.steps if isinstance(step, Extract))


def test_question_beyond_the_report_is_declined() -> None:
    (answer,) = ask("how many barrels of oil did it produce in 2023?")
    assert answer.value is None


def test_unknown_part_is_answered_with_alternatives() -> None:
    (answer,) = ask("sales of boats")
    assert answer.value is None
    assert answer.other_readings


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("change in inventories", 5),
        ("change in long-term debt according to the balance sheet", -10),
        ("what was the dollar change in gross margin?", 50),
        ("inventories at the beginning of the year", 69),
        ("inventories at the beginning of the year in 2023", 69),
    ],
)
def test_opening_balances_and_changes_of_balances(question: str, expected: int) -> None:
    assert number_of(ask(question)[0].value) == expected


def test_each_of_two_lines_has_its_change() -> None:
    (answer,) = ask("how did net income and operating income change in 2023?")
    assert isinstance(answer.value, ValueList)
    assert [item.number for item in answer.value.items] == [22, 30]


def test_every_answer_has_a_kind_of_value_and_a_confidence() -> None:
    answers = ask("list total net sales for each year", "was net income higher in 2023 than in 2022?")
    for answer in answers:
        assert answer.value is None or isinstance(answer.value, Number | Text | ValueList | YesNo)
        assert answer.confidence is None or 0 <= answer.confidence <= 1
