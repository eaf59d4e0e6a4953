"""Instructions of a question about the form of its answer."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.table import TableRole
from quaestor.questions.instructions import RequestedForm, is_instruction, read_instructions, with_instructions_last


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("what was rent in 2012? answer in usd millions.", RequestedForm(Scale.MILLION)),
        ("what was rent (in thousands)?", RequestedForm(Scale.THOUSAND)),
        ("what was the margin? round your answer to one decimal place.", RequestedForm(None, 1)),
        ("what was the margin, rounded to 2 decimals, in percent?", RequestedForm(Scale.PERCENT, 2)),
        ("what was rent, to the nearest million?", RequestedForm(Scale.MILLION, 0)),
        ("what was rent in 2012? in billions, one decimal", RequestedForm(Scale.BILLION, 1)),
        ("what was rent, in millions with no decimals?", RequestedForm(Scale.MILLION, 0)),
        ("what was the margin without decimals?", RequestedForm(None, 0)),
        ("what was rent in 2012?", None),
        ("what were millions of shares?", None),
    ],
)
def test_scale_and_rounding_are_read(text: str, form: RequestedForm | None) -> None:
    assert read_instructions(text).form == form


def test_statement_named_in_an_instruction_is_not_part_of_the_question() -> None:
    instructions = read_instructions("what was depreciation in 2012? use the cash flow statement.")
    assert instructions.role is TableRole.CASH_FLOWS
    assert "cash" not in instructions.rest


@pytest.mark.parametrize(
    ("sentence", "instruction"),
    [
        ("Calculate it from the averages.", True),
        ("If it is not meaningful, say so and explain why.", True),
        ("Turnover is defined as: cost over inventory.", True),
        ("Give me the growth too?", False),
        ("Was it higher than in 2011?", False),
        ("thanks", False),
    ],
)
def test_instructions_are_not_questions(sentence: str, instruction: bool) -> None:
    assert is_instruction(sentence) == instruction


@pytest.mark.parametrize(
    ("question", "behind"),
    [
        ("Round to one decimal: what was rent in 2012?", "what was rent in 2012? Round to one decimal."),
        ("Two questions: what was rent?", "Two questions: what was rent?"),
        ("What was rent? Answer in: millions", "What was rent? Answer in: millions"),
    ],
)
def test_leading_instruction_is_moved_behind_the_question(question: str, behind: str) -> None:
    assert with_instructions_last(question) == behind
