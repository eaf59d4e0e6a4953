"""Questions about a named line with cells without a number."""

import pytest
from pages import page

import quaestor

PAGE = page(
    [
        ["( in thousands )", "2023", "2022"],
        ["revenue", "48210", "45115"],
        ["downloads", "many", "few"],
        ["restructuring", "-", "410"],
        ["impairment", "nil", "nil"],
        ["dividends", "n/a", "120"],
        ["adjustments", "", "30"],
        ["cost of revenue", "30110", "28004"],
    ],
    (),
)
UNITS = page(
    [
        ["( in thousands )", "gross", "impairment", "net"],
        ["north", "1200", "-", "1200"],
        ["south", "900", "( 150 )", "750"],
        ["east", "410", "n/a", "410"],
        ["west", "310", "", "310"],
    ],
    (),
)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("what were downloads in 2023?", "many"),
        ("what was restructuring in 2023?", "2023"),
        ("what was impairment in 2022?", "nil"),
        ("what were dividends in 2023?", "n/a"),
        ("what were adjustments in 2023?", "2023"),
        ("what was the change in restructuring from 2022 to 2023?", "restructuring"),
        ("what was the change in impairment?", "impairment"),
    ],
)
def test_a_line_without_a_number_is_not_answered_from_another(question: str, reason: str) -> None:
    answer = quaestor.open(PAGE).ask(question).answer
    assert answer.value is None
    assert reason in (answer.reason or "")


@pytest.mark.parametrize("unit", ["north", "east", "west"])
def test_empty_cell_of_a_row_and_a_column_is_not_answered(unit: str) -> None:
    answer = quaestor.open(UNITS).ask(f"what was the impairment of {unit}?").answer
    assert answer.value is None
    assert unit in (answer.reason or "")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what were dividends in 2022?", 120),
        ("what was restructuring in 2022?", 410),
        ("what was revenue in 2023?", 48210),
    ],
)
def test_a_cell_with_a_number_is_answered(question: str, value: int) -> None:
    assert quaestor.open(PAGE).ask(question).answer.number == value


RESULTS = page(
    [
        ["( in millions , except per share amounts )", "2023", "2022"],
        ["net sales", "640", "600"],
        ["cogs", "410", "395"],
        ["r&d", "22", "20"],
        ["net loss", "( 38 )", "( 30 )"],
        ["eps , diluted", "1.25", "1.02"],
        ["dividends per share", "0.40", "0.36"],
    ],
    (),
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what was cost of goods sold in 2022?", 395),
        ("what was research and development in 2023?", 22),
        ("what was diluted earnings per share in 2023?", 1.25),
    ],
)
def test_abbreviated_labels_are_spelled_out(question: str, value: float) -> None:
    number = quaestor.open(RESULTS).ask(question).answer.number
    assert number is not None
    assert float(number) == value


def test_follow_up_on_a_declined_question_is_declined() -> None:
    answers = quaestor.open(RESULTS).ask(["what was goodwill in 2023?", "and in 2022?"])
    assert [one.answer.value for one in answers] == [None, None]
