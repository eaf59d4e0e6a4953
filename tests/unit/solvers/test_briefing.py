"""The conversation so far in prompts."""

from dataclasses import replace
from decimal import Context, Decimal

from discussed_filing import a_discussed_filing
from hypothesis import given
from hypothesis import strategies as st
from remembered import unanswered, ungrounded
from solver_bench import context_of
from values import a_value

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.turn import Memory
from quaestor.documents.document import Section
from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION
from quaestor.plan.steps import Plan
from quaestor.questions.question import read_question
from quaestor.solvers.briefing import heading, history, near_sentences

NUMBERS = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent - len(str(abs(digits))), Context(prec=PRECISION)),
    st.integers(-(10**PRECISION) + 1, 10**PRECISION - 1),
    st.integers(-LARGEST_EXPONENT, LARGEST_EXPONENT),
)


@given(NUMBERS)
def test_any_number_is_formatted_to_twelve_digits(number: Decimal) -> None:
    turn = ungrounded("what was it?")
    context = context_of(memory=Memory((replace(turn, answer=replace(turn.answer, value=a_value(number))),)))
    shown = Decimal(history(context)[0]["answer"].split(" ")[0])
    assert abs(shown - number) <= abs(number) * Decimal("1e-11")


def test_missing_answer_is_shown_with_reason_and_alternatives() -> None:
    turn = unanswered("what was the rent?")
    torn = Answer(None, reason="two fit", other_readings=(OtherReading(Plan(()), "$ 5", "rent in 2008"),))
    memory = Memory((turn, replace(turn, answer=torn), replace(turn, answer=Answer(None), error="too late")))
    first, second, third = (entry["answer"] for entry in history(context_of(memory=memory)))
    assert first == f"no answer: {turn.answer.reason}"
    assert "two fit" in second
    assert "$ 5 (rent in 2008)" in second
    assert third == "no answer: too late"


def test_question_about_a_cause_shows_the_sentences_after_the_last_source() -> None:
    filing = a_discussed_filing()
    table = next(table for table in filing.tables if table.index == 0)
    source = next(cell.ref for cell in table.body() if cell.quantity)
    answered = ungrounded("how much did harbors sell?")
    memory = Memory((replace(answered, answer=replace(answered.answer, sources=(source,))),))
    shown = {block.order for block in filing.blocks if block.section == filing.block(source).section}
    context = context_of(filing.excerpt(shown), memory)
    for text, expected in (("how come?", True), ("and rivers?", False)):
        near = near_sentences(text, replace(context, question=read_question(text)))
        assert any("due primarily to orders" in sentence.text for sentence in near) is expected


def test_uninformative_headings_are_omitted() -> None:
    path = ("Part II", "Item 7. Management's Discussion and Analysis of Financial Condition", "Revenue by region")
    assert heading(Section("s", path)) == "Item 7. Management's Discussion and... > Revenue by region"
    assert heading(Section("s")) == ""
