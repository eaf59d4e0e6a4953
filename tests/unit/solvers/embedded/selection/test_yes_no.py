"""Yes-no answers from the cells of a line."""

import pytest
from choices import REGIONS, answer_texts

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.choice_plans import read_two_years


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("did it rise from 2010 to 2012?", (2010, 2012)),
        ("did it rise in 2011?", (2010, 2011)),
        ("has it risen since 2010?", (2010, 2012)),
        ("did it rise?", (2011, 2012)),
        ("did it rise in 2010?", None),
        ("has it risen since 2012?", None),
    ],
)
def test_years_of_a_change_are_read(text: str, years: tuple[int, int] | None) -> None:
    assert read_two_years([2010, 2011, 2012], read_question(text)) == years


@pytest.mark.parametrize(
    ("questions", "answers"),
    [
        (["was freight more than wages in 2012?"], ["no"]),
        (["was there a loss in any year?"], ["yes"]),
        (["has the tax rate gone up since 2010?"], ["no"]),
        (["was the tax rate above 30% in 2011?"], ["no"]),
        (["what were wages in 2012?", "was that more than in 2011?", "did it fall?"], ["-330", "no", "yes"]),
        (["what were total net sales in 2012?", "was that more than in the prior year?"], ["920", "yes"]),
    ],
)
def test_yes_or_no(questions: list[str], answers: list[str]) -> None:
    found = answer_texts(REGIONS, *questions)
    assert [answer.removeprefix("-") for answer in found] == [answer.removeprefix("-") for answer in answers]
