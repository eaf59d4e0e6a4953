from dataclasses import replace

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from remembered import TableCell, computed, looked_up, memory_of, unanswered

from quaestor.conversation.references.expressions import Coreference, References
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory
from quaestor.core import serial
from quaestor.core.periods import Period
from quaestor.questions.question import read_question

SHARE, INDEX = "delivery company", "stock index"
SHARE_AND_INDEX = memory_of(
    computed(
        "what was the change in the performance of the delivery company from 2004 to 2009?",
        "subtract", TableCell(SHARE, 2009), TableCell(SHARE, 2004), entity=SHARE,
    ),
    computed("and how much does it represent in relation to 2004?", "divide", -1, TableCell(SHARE, 2004), entity=SHARE),
    looked_up("what was the performance of the stock index in 2009?", INDEX, 2009),
    computed(
        "what was, then, the change in that performance from 2004 to 2009?",
        "subtract", -1, TableCell(INDEX, 2004), entity=INDEX,
    ),
)  # fmt: skip
RENT = memory_of(
    looked_up("what was the rent in 2007?", "rent", 2007), looked_up("and what was it in 2008?", "rent", 2008)
)
CHANGED = RENT.add(computed("what was the change?", "subtract", -1, -2, entity="rent"))


def resolved(question: str, memory: Memory) -> References:
    return resolve(read_question(question), memory)


def expression(found: References, words: str) -> Coreference:
    (one,) = [reference for reference in found.expressions if reference.text == words]
    return one


def best(found: References, words: str) -> int:
    return expression(found, words).candidates[0].turn


def test_this_change_is_the_latest_change_of_the_entity_in_focus() -> None:
    found = resolved(
        "and how much does this change represent in relation to that performance in 2004?", SHARE_AND_INDEX
    )
    candidate = expression(found, "this change").candidates[0]
    assert candidate.turn == 3
    assert "change" in candidate.reason
    assert (found.focus, found.switched, found.used) == (INDEX, False, (3,))


def test_this_change_follows_the_entity_that_the_question_names() -> None:
    found = resolved("how much does this change represent for the delivery company, in percentage?", SHARE_AND_INDEX)
    assert best(found, "this change") == 0
    assert (found.focus, found.switched) == (SHARE, True)


def test_new_entity_resets_the_focus() -> None:
    found = resolved("what was the goodwill in 2009?", SHARE_AND_INDEX)
    assert (found.focus, found.switched) == (None, True)
    assert found.used == ()


def test_that_value_in_a_year_refers_to_the_earlier_lookup() -> None:
    memory = CHANGED.add(looked_up("what was the tax in 2007?", "tax", 2007))
    assert best(resolved("how much is that over that rent in 2007?", memory), "that rent in 2007") == 0
    assert best(resolved("how much is that over that rent in 2008?", memory), "that rent in 2008") == 1


def test_that_value_and_it_are_the_latest_result() -> None:
    assert best(resolved("what is that value divided by 12?", CHANGED), "that value") == 2
    assert best(resolved("what is it in thousands?", CHANGED), "it") == 2


def test_a_pronoun_of_two_values_gives_both() -> None:
    found = resolved("what was the difference between these two values?", RENT)
    assert {candidate.turn for candidate in expression(found, "these two values").candidates} == {0, 1}
    assert found.used == (0, 1)


def test_the_former_is_the_result_before_the_last() -> None:
    assert best(resolved("what is the former times 1000?", RENT), "the former") == 0
    assert best(resolved("what is the latter times 1000?", RENT), "the latter") == 1


@pytest.mark.parametrize(
    ("question", "words", "turn"),
    [
        ("what was the tax in that year?", "that year", 1),
        ("what was the tax in the same period?", "the same period", 1),
        ("what was the tax in the prior year?", "the prior year", 1),
    ],
)
def test_a_period_is_that_of_the_latest_turn_that_names_one(question: str, words: str, turn: int) -> None:
    candidate = expression(resolved(question, RENT), words).candidates[0]
    assert candidate.turn == turn
    assert "2008" in candidate.reason


def test_two_years_are_those_of_two_turns() -> None:
    expected = expression(resolved("what was the change over these two years?", RENT), "these two years")
    assert {candidate.turn for candidate in expected.candidates} == {0, 1}


def test_question_with_what_about_repeats_the_previous_one() -> None:
    found = resolved("what about in 2009?", RENT)
    (whole,) = found.expressions
    assert (whole.kind, whole.candidates[0].turn) == ("ellipsis", 1)
    assert found.used == ()


@pytest.mark.parametrize("question", ["what about in 2010?", "and what was that in 2010?"])
def test_no_calculation_is_asked_again_by_a_question_that_names_none(question: str) -> None:
    change = memory_of(computed("what was the change?", "subtract", TableCell("rent", 2008), TableCell("rent", 2007)))
    assert all(one.candidates == () for one in resolved(question, change).expressions)


@pytest.mark.parametrize("question", ["and the specific value in 2009?", "and the value for 2009 specifically?"])
def test_value_after_a_change_refers_to_a_value_or_nothing(question: str) -> None:
    assert expression(resolved(question, CHANGED), question).candidates[0].turn == 1
    change = memory_of(computed("what was the change?", "subtract", TableCell("rent", 2008), TableCell("rent", 2007)))
    assert expression(resolved(question, change), question).candidates == ()


@pytest.mark.parametrize(
    ("question", "memory", "used"),
    [
        ("what is the difference?", RENT, (0, 1)),
        ("and the sum?", RENT, (0, 1)),
        ("what was the tax in 2008?", RENT, ()),
        ("what is that divided by 1000?", RENT, (1,)),
        ("how much does this change represent in relation to the rent in 2007?", CHANGED, (0, 2)),
        ("what is the percentage change?", CHANGED, (0, 2)),
        ("and how much is that in millions?", CHANGED, (2,)),
        ("what was the goodwill in 2010?", CHANGED, ()),
    ],
)
def test_the_results_that_a_question_uses_together(question: str, memory: Memory, used: tuple[int, ...]) -> None:
    assert resolved(question, memory).used == used


def test_unanswered_turn_is_never_a_reference() -> None:
    found = resolved("what is that in thousands?", RENT.add(unanswered("what was the tax?")))
    turns = [c.turn for reference in found.expressions for c in reference.candidates]
    assert turns
    assert 2 not in turns
    assert all(2 not in chosen.turns for chosen in found.sets)


def test_question_without_earlier_answers_refers_to_nothing() -> None:
    assert resolved("what is the difference?", Memory()) == References()
    after = resolved("what is the difference?", memory_of(unanswered("what was it?")))
    assert after.used == ()
    assert all(not reference.candidates for reference in after.expressions)


def test_every_set_has_a_reason_and_the_scores_are_shares() -> None:
    found = resolved("how much does this change represent?", CHANGED)
    assert all(chosen.reason for chosen in found.sets)
    assert sum(chosen.score for chosen in found.sets) <= 1 + 1e-9
    assert sorted(found.sets, key=lambda chosen: -chosen.score) == list(found.sets)


def test_references_survive_json() -> None:
    found = resolved("how much does this change represent in relation to that rent in 2007?", CHANGED)
    assert serial.load(References, serial.dump(found)) == found
    assert resolved("how much does this change represent in relation to that rent in 2007?", CHANGED) == found


WORDS = st.sampled_from(
    "what is the this that these it its both two change value rent in 2007 2008 year and difference of , ? sum".split()
)


@settings(max_examples=share(60))
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join)))
def test_any_text_is_resolved_within_its_own_words(question: str) -> None:
    question = " ".join(question.split())
    found = resolved(question, CHANGED)
    for reference in found.expressions:
        assert reference.text == question[reference.start : reference.end]
        assert sum(candidate.score for candidate in reference.candidates) <= 1 + 1e-9
    assert found.sets


@pytest.mark.parametrize("words", ["this time", "that period"])
def test_the_time_between_two_results_has_both_their_years(words: str) -> None:
    found = resolved(f"so what was the growth rate over {words}?", RENT)
    assert found.used == (0, 1)
    assert expression(found, words).means == "2007 to 2008"


def test_a_year_that_the_question_names_itself_is_not_counted_from() -> None:
    assert expression(resolved("and what was it in the previous year, in 2006?", RENT), "the previous year").means == ""
    assert expression(resolved("and what was it in the previous year?", RENT), "the previous year").means == "2007"


def test_the_time_of_a_change_is_whole_if_its_question_names_one_year() -> None:
    shared = CHANGED.add(
        computed("and how much does it represent in relation to the 2007 total?", "divide", -1, -3, entity="rent")
    )
    (turn,) = shared.turns[-1:]
    spanned = replace(turn, answer=replace(turn.answer, period=Period("range", 2007, last=2008)))
    found = resolved(
        "and concerning the income, what was their change over that period?", Memory((*shared.turns[:-1], spanned))
    )
    assert expression(found, "that period").means == "2007 to 2008"
    assert expression(found, "their").means == ""


def test_that_quarter_is_the_quarter_of_the_result() -> None:
    (turn,) = memory_of(looked_up("what was the high in that table in 2010?", "high", 2010)).turns
    quarter = replace(turn, answer=replace(turn.answer, period=Period("quarter", 2010, quarter=3)))
    found = resolved("and how much is this value in relation to the low of that quarter?", Memory((quarter,)))
    assert expression(found, "that quarter").means == "the third quarter of 2010"
