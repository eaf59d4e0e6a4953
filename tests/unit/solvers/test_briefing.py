"""What a model is told of the conversation so far."""

from dataclasses import replace
from decimal import Context, Decimal

import pytest
from discussed_filing import a_discussed_filing
from hypothesis import given
from hypothesis import strategies as st
from long_filing import a_long_filing
from remembered import Cell, computed, looked_up, unanswered, ungrounded
from solver_bench import context_of
from values import a_value

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.quantity import Scale
from quaestor.documents.document import Section
from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION
from quaestor.plan.steps import Plan
from quaestor.questions.question import read_question
from quaestor.solvers.briefing import heading, history, near_sentences, references, rules, with_hints

NUMBERS = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent - len(str(abs(digits))), Context(prec=PRECISION)),
    st.integers(-(10**PRECISION) + 1, 10**PRECISION - 1),
    st.integers(-LARGEST_EXPONENT, LARGEST_EXPONENT),
)


@given(NUMBERS)
def test_any_number_that_can_be_held_is_told_to_twelve_digits(number: Decimal) -> None:
    turn = ungrounded("what was it?")
    context = context_of(memory=Memory((replace(turn, answer=replace(turn.answer, value=a_value(number))),)))
    told = Decimal(history(context)[0]["answer"].split(" ")[0])
    assert abs(told - number) <= abs(number) * Decimal("1e-11")


def test_a_computed_percentage_is_told_in_percent_and_an_amount_with_its_scale() -> None:
    turn = ungrounded("what was it?")
    answers = [
        replace(turn.answer, value=a_value("0.141363"), metric_type="percentage_change"),
        replace(turn.answer, value=a_value("13.4"), scale=Scale.PERCENT),
        replace(turn.answer, value=a_value(7385), scale=Scale.MILLION, unit="USD"),
    ]
    told = history(context_of(memory=Memory(tuple(replace(turn, answer=answer) for answer in answers))))
    assert [said["answer"] for said in told] == ["14.1363 percent", "13.4 percent", "7385 million USD"]


def test_a_percentage_counts_no_dollars() -> None:
    turn = ungrounded("what was the change?")
    answer = replace(turn.answer, value=a_value("-0.2405"), metric_type="percentage_change", unit="USD")
    assert history(context_of(memory=Memory((replace(turn, answer=answer),))))[0]["answer"] == "-24.05 percent"


def test_no_answer_is_told_with_its_reason_and_what_it_may_be() -> None:
    turn = unanswered("what was the rent?")
    torn = Answer(None, reason="two fit", other_readings=(OtherReading(Plan(()), "$ 5", "rent in 2008"),))
    memory = Memory((turn, replace(turn, answer=torn), replace(turn, answer=Answer(None), error="too late")))
    first, second, third = (said["answer"] for said in history(context_of(memory=memory)))
    assert first == f"no answer: {turn.answer.reason}"
    assert "two fit" in second
    assert "$ 5 (rent in 2008)" in second
    assert third == "no answer: too late"


def test_a_formula_is_told_of_what_is_computed_alone() -> None:
    found, made = looked_up("rent in 2008?", "rent", 2008), computed("its change?", "subtract", -1, Cell("rent", 2007))
    turns = (replace(turn, answer=replace(turn.answer, formula="7 - 5")) for turn in (found, made))
    assert [said["formula"] for said in history(context_of(memory=Memory(tuple(turns))))] == ["", "7 - 5"]


def test_calculations_are_told_on_pages_of_benchmarks_alone_and_of_no_question_for_words() -> None:
    memory = Memory((looked_up("rent in 2008?", "rent", 2008), looked_up("rent in 2007?", "rent", 2007)))
    page, filing = context_of(memory=memory), context_of(a_long_filing(), memory)
    for text, at, told in (
        ("what was the change?", page, True),
        ("what was the change?", filing, False),
        ("why the change?", page, False),
    ):
        asked = read_question(text)
        context = replace(at, question=asked, references=resolve(asked, memory))
        assert bool(references(context, str)) is told


def test_the_sentence_of_the_last_answer_is_shown_with_what_follows_in_a_long_document() -> None:
    filing = a_long_filing()
    source = next(s for s in filing.sentences if "3200 employees" in s.text).mentions[0].ref
    answered = ungrounded("how many work there?")
    memory = Memory((replace(answered, answer=replace(answered.answer, sources=(source,))),))
    shown = context_of(filing.excerpt({filing.block(source).order}), memory)
    assert [s.text for s in near_sentences("which function has most?", shown)] == [filing.sentence(source).text]
    assert near_sentences("which function has most?", context_of(filing, memory)) == ()


def test_of_a_cause_the_sentences_behind_the_table_of_the_last_answer_are_shown() -> None:
    filing = a_discussed_filing()
    table = next(table for table in filing.tables if table.index == 0)
    source = next(cell.ref for cell in table.body() if cell.quantity)
    answered = ungrounded("how much did harbors sell?")
    memory = Memory((replace(answered, answer=replace(answered.answer, sources=(source,))),))
    shown = {block.order for block in filing.blocks if block.section == filing.block(source).section}
    context = context_of(filing.excerpt(shown), memory)
    for text, told in (("how come?", True), ("and rivers?", False)):
        near = near_sentences(text, replace(context, question=read_question(text)))
        assert any("due primarily to orders" in sentence.text for sentence in near) is told


def test_how_far_something_fell_is_a_size_but_on_pages_of_benchmarks() -> None:
    filing, page = a_long_filing(), context_of().document
    for question, filed, on_page in (("percentage drop?", True, False), ("percentage change?", False, False)):
        assert ("without a sign" in with_hints(question, filing)) is filed
        assert ("without a sign" in with_hints(question, page)) is on_page


def test_of_headings_those_are_told_that_say_what_stands_below() -> None:
    path = ("Part II", "Item 7. Management's Discussion and Analysis of Financial Condition", "Revenue by region")
    assert heading(Section("s", path)) == "Item 7. Management's Discussion and... > Revenue by region"
    assert heading(Section("s")) == ""


ALWAYS = {"Sign", "Magnitude", "AsPrinted"}
"""The rules of every question: it may ask for a number as it is printed."""


def names_of_rules(question: str, *turns: Turn) -> set[str]:
    context = replace(context_of(memory=Memory(turns)), question=read_question(question))
    return {rule.name.removeprefix("kg:Rule") for rule in rules(question, context)}


@pytest.mark.parametrize(
    ("question", "needed", "others"),
    [
        ("what was the rent in 2008?", set(), {"Change", "Percent", "MixedScales", "Supposed"}),
        ("by what percent did sales grow from 2007 to 2008?", {"PercentageChange", "Percent"}, {"Average", "Sum"}),
        ("and yoy, how fast has it grown?", {"PercentageChange", "Percent"}, {"Sum"}),
        ("what is that change over 100?", {"Change", "ChangeOverBase"}, {"Product"}),
        ("what share of sales is that?", {"PartOverWhole", "Percent"}, {"Sum"}),
        ("how much were the two together?", {"Sum", "MixedScales"}, {"PercentageChange", "AskedScale"}),
        ("what is that in dollars?", {"AskedScale"}, {"Sum"}),
        ("by how much did cash decline?", {"Decline", "Change"}, {"Balance"}),
        ("what was cash at the beginning of 2008?", {"Balance"}, {"Change"}),
        ("what was the average of the two margins?", {"Average", "Percent"}, {"Change"}),
        ("if rent had doubled, what would it be?", {"Supposed"}, {"Change"}),
    ],
)
def test_a_question_is_told_with_the_rules_that_it_needs(question: str, needed: set[str], others: set[str]) -> None:
    told = names_of_rules(question)
    assert told >= needed | ALWAYS
    assert told.isdisjoint(others)


def test_a_question_that_asks_the_last_one_again_needs_its_rules() -> None:
    change = computed("its change?", "subtract", -1, Cell("rent", 2007))
    change = replace(change, answer=replace(change.answer, metric_type="change"))
    assert names_of_rules("and in 2009?", change) >= {"Change", "AskedAgain"}
    assert "Change" in names_of_rules("the second plan's?", change)
    assert "Change" not in names_of_rules("and in 2009?", looked_up("rent in 2008?", "rent", 2008))


def test_rules_are_told_by_their_kinds() -> None:
    question = "what was the change in the opening balance?"
    context = replace(context_of(), question=read_question(question))
    assert {rule.kind for rule in rules(question, context, "reading")} == {"reading"}
    assert len(rules(question, context)) > len(rules(question, context, "calculation", "reading")) >= 2
