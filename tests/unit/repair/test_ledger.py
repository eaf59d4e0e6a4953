"""Corrections of a conversation: changed and unchanged turns, undo, and offers."""

from dataclasses import replace
from decimal import Decimal

import pytest
from corrected import QUESTIONS, a_ledger, answer_texts, at, cell, misread, number_of, the_page, the_turns
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.conversation.turn import (
    Act,
    Correction,
    NumberCorrection,
    OperationChoice,
    ReadingChoice,
    SourceChoice,
    Turn,
    Undo,
    apply_corrections,
)
from quaestor.core import serial
from quaestor.core.parsing import parse_quantity
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.errors import InputError
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.repair.ledger import Ledger, possible_corrections

FIRST = ["206,588 million", "181,001 million", "-25,587 million", "-0.1414", "$ 387,556 million"]


def test_corrected_cell_changes_only_dependent_answers() -> None:
    ledger = a_ledger()
    correction = ledger.correct(misread(1, 1, "200,000"), "Ada", "misread", at(1))
    assert answer_texts(ledger) == ["200,000 million", FIRST[1], "-18,999 million", "-10.5 %", "$ 380,968 million"]
    assert [(change.turn, change.was) for change in correction.changes] == [(i, FIRST[i]) for i in (0, 2, 3, 4)]
    assert ledger.turns[1] is ledger.answered[1]
    assert all(turn.verified for turn in ledger.turns)
    corrected = ledger.turns[3].answer.corrected
    assert corrected is not None
    assert (corrected.was, corrected.author, corrected.made, corrected.reason) == ("-0.1414", "Ada", at(1), "misread")
    assert answer_texts(a_ledger()) == FIRST


def test_a_misread_cell_changes_its_sentences() -> None:
    turns = the_turns()
    plan = turns[0].answer.plan
    assert plan is not None
    explained = replace(plan, explanation=("Revenue was {#1}.",))
    ledger = Ledger(the_page(), (replace(turns[0], answer=replace(turns[0].answer, plan=explained)), *turns[1:]))
    ledger.correct(misread(1, 1, "200,000"), "Ada")
    explanation = ledger.turns[0].answer.explanation
    assert explanation is not None
    assert explanation.text == "Revenue was 200,000 million."


def test_another_cell_in_the_second_answer_changes_the_fourth() -> None:
    ledger = a_ledger()
    correction = ledger.correct(SourceChoice(1, 1, cell(2, 2)), "Ada")
    assert [change.turn for change in correction.changes] == [1, 2, 3]
    assert answer_texts(ledger)[1:3] == ["402 million", "-206,186 million"]
    assert ledger.turns[4] is ledger.answered[4]
    assert ledger.turns[1].answer.sources == (cell(2, 2),)


def test_another_reading_and_another_operation() -> None:
    ledger = a_ledger()
    ledger.correct(ReadingChoice(2, 1), "Ada")
    assert answer_texts(ledger)[2] == "25,587 million"
    chosen = ledger.turns[2].answer
    # Confidence and grounds apply only to the solver's own interpretation.
    assert (chosen.confidence, chosen.grounds) == (None, None)
    ledger.correct(OperationChoice(2, 1, "percentage_change"), "Bo")
    assert answer_texts(ledger)[2] == "14.1 %"
    ledger.correct(ReadingChoice(2, 0), "Bo")
    assert answer_texts(ledger) == FIRST
    assert ledger.turns[2].answer.corrected is not None


def test_answers_that_become_invalid_fail_until_undone() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "0"), "Ada")
    fourth = ledger.turns[3]
    assert (str(fourth.answer), fourth.verified) == ("no answer", False)
    assert fourth.error is not None
    assert "-206588" in fourth.error
    assert fourth.answer.plan is not None
    ledger.undo("Ada")
    assert ledger.turns == the_turns()


def test_latest_correction_of_a_cell_applies_and_each_is_undone_separately() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 1, "200,000"), "Ada")
    ledger.correct(misread(1, 1, "300,000"), "Bo")
    assert answer_texts(ledger)[0] == "300,000 million"
    ledger.undo("Cy", 1)
    assert answer_texts(ledger)[0] == "300,000 million"
    ledger.undo("Cy")
    assert answer_texts(ledger) == FIRST
    assert len(ledger.corrections) == 4


def test_a_question_asked_after_a_correction_follows_its_undoing() -> None:
    ledger = a_ledger()
    ledger.take_back(2)
    ledger.correct(misread(1, 1, "200,000"), "Ada")
    # As answered by a solver that sees the corrected turns.
    other = a_ledger()
    other.correct(misread(1, 1, "200,000"), "Ada")
    for turn in other.turns[2:]:
        ledger.add(replace(turn, answer=replace(turn.answer, corrected=None)))
    assert answer_texts(ledger) == answer_texts(other)
    assert ledger.turns[2] is ledger.answered[2]
    ledger.undo("Bo")
    assert answer_texts(ledger) == FIRST[:3] + answer_texts(ledger)[3:4] + FIRST[4:]
    assert number_of(ledger.turns[3]) == number_of(the_turns()[3])
    noted = ledger.turns[2].answer.corrected
    assert noted is not None
    assert (noted.was, noted.author) == ("-18,999 million", "Bo")


def test_empty_cell_can_be_corrected_to_a_number() -> None:
    ledger = a_ledger()
    put = NumberCorrection(cell(1, 0), None, parse_quantity("12"))
    assert ledger.correct(put, "Ada").changes == ()
    assert ledger.document.cell(cell(1, 0)).text == "12"
    ledger.correct(SourceChoice(0, 1, cell(1, 0)), "Ada")
    assert answer_texts(ledger)[0].startswith("12")
    with pytest.raises(InputError):
        ledger.undo("Ada", 1)


@pytest.mark.parametrize(
    "act",
    [
        SourceChoice(7, 1, CellRef("x", 0, 1, 1)),
        SourceChoice(0, 2, CellRef("x", 0, 1, 1)),
        SourceChoice(0, 1, CellRef("x", 0, 99, 1)),
        SourceChoice(0, 1, CellRef("x", 0, -1, 1)),
        SourceChoice(0, 1, SentenceRef("x", "pre_text", 9, 0, 1)),
        SourceChoice(2, 1, CellRef("x", 0, 1, 1)),
        SourceChoice(0, 1, CellRef("x", 0, 0, 0)),
        ReadingChoice(0, 1),
        ReadingChoice(2, 2),
        OperationChoice(0, 1, "add"),
        OperationChoice(2, 1, "substract"),
        OperationChoice(2, 1, "absolute"),
        OperationChoice(2, 1, "subtract"),
        Undo(1),
        NumberCorrection(CellRef("x", 0, 1, 1), None, Quantity(Decimal(1))),
        NumberCorrection(CellRef("x", 0, 0, 1), Quantity(Decimal(2008)), Quantity(Decimal(1))),
    ],
)
def test_refused_corrections_are_one_line_and_leave_no_record(act: Act) -> None:
    ledger = a_ledger()
    if isinstance(act, SourceChoice | NumberCorrection):
        act = replace(act, source=replace(act.source, document=the_page().id))
    with pytest.raises(InputError) as failure:
        ledger.correct(act, "Ada")
    assert "\n" not in str(failure.value)
    assert (ledger.corrections, ledger.turns) == ((), the_turns())


def test_author_and_reason_are_one_line_without_control_characters() -> None:
    correction = a_ledger().correct(misread(1, 1, "5"), "  A\x1b[31mda\n\u202e ", "mis\nread " + "x" * 900)
    assert correction.author == "A [31mda"
    assert (correction.reason[:8], len(correction.reason)) == ("mis read", 400)
    assert a_ledger().correct(misread(1, 1, "5"), " ").author == "you"


_CELLS = st.builds(cell, st.integers(-1, 4), st.integers(-1, 3))
_SPANS = st.builds(
    SentenceRef, st.just(the_page().id), st.sampled_from(["pre_text", "post_text", "?"]), st.integers(0, 2),
    st.integers(0, 40), st.integers(0, 60),
)  # fmt: skip
_MENTIONS = st.sampled_from([mention.ref for sentence in the_page().sentences for mention in sentence.mentions])
_SOURCES: st.SearchStrategy[Source] = st.one_of(_CELLS, _CELLS, _SPANS, _MENTIONS)
_PRINTED = st.sampled_from(["0", "5,400", "-7", "13 %", "2.5 billion", "1e9", "0.000001", "9" * 30]).filter(bool)


def _number(source: Source, printed: str, was: bool) -> NumberCorrection:
    page, quantity = the_page(), None
    try:
        if isinstance(source, CellRef):
            quantity = page.cell(source).quantity
        else:
            quantity = next((m.quantity for m in page.sentence(source).mentions if m.ref == source), None)
    except (LookupError, IndexError):
        pass
    try:
        now = parse_quantity(printed)
    except InputError:
        now = Quantity(Decimal(printed))
    return NumberCorrection(source, quantity if was else None, now)


_TURN, _STEP = st.integers(-1, 5), st.integers(0, 3)
_ACTS: st.SearchStrategy[Act] = st.one_of(
    st.builds(_number, _SOURCES, _PRINTED, st.booleans()),
    st.builds(SourceChoice, _TURN, _STEP, _SOURCES),
    st.builds(ReadingChoice, _TURN, st.integers(-1, 2)),
    st.builds(
        OperationChoice, _TURN, _STEP,
        st.sampled_from(["add", "divide", "percentage_change", "exp", "greater", "argmax", "sum", "x"]), st.booleans(),
    ),
    st.builds(Undo, st.integers(0, 9)),
)  # fmt: skip


def _stored(turns: tuple[Turn, ...]) -> list[object]:
    return [serial.dump(record) for record in turn_records(TurnPlace("run", "one"), turns)]


@given(st.lists(_ACTS, max_size=7))
@settings(max_examples=share(60), deadline=None)
def test_any_chain_is_refused_or_recorded_and_undoing_all_gives_the_original(acts: list[Act]) -> None:
    ledger = a_ledger()
    for act in acts:
        before = ledger.turns
        try:
            correction = ledger.correct(act, "Ada")
        except InputError:
            assert ledger.turns == before
            continue
        assert serial.load(Correction, serial.dump(correction)) == correction
        assert ledger.answered == the_turns()
        # The stored corrections alone determine the corrected turns.
        assert apply_corrections(ledger.answered, ledger.corrections) == ledger.turns
        assert {change.turn for change in correction.changes} == {
            place for place, (was, now) in enumerate(zip(before, ledger.turns, strict=True)) if was != now
        }
    again = Ledger(the_page(), the_turns(), ledger.corrections)
    assert (again.turns, again.document.digest) == (ledger.turns, ledger.document.digest)
    for _ in range(len(acts)):
        try:
            ledger.undo("Bo")
        except InputError:
            break
    assert _stored(ledger.turns) == _stored(the_turns())
    assert ledger.document is the_page() or ledger.document == the_page()
    assert [turn.question for turn in ledger.turns] == list(QUESTIONS)


def test_other_cells_of_the_row_come_first_then_those_of_the_column() -> None:
    found = possible_corrections(a_ledger(), 0)
    assert [offer.description for offer in found] == [
        "step 1: net revenue | 2007 | 181001",
        "step 1: operating costs | 2008 | $ -435 ( 435 )",
        "step 1: growth | 2008 | 13.7% ( 13.7 % )",
    ]
    assert found[0].act == SourceChoice(0, 1, cell(1, 2))
    assert [offer.result for offer in found] == ["181,001 million", "$ -435 million", "13.7 %"]


def test_other_readings_come_first_and_operations_last_each_result_once() -> None:
    found = possible_corrections(a_ledger(), 2)
    assert found[0].act == ReadingChoice(2, 1)
    assert (found[0].description, found[0].result) == (
        "read as: Change in net revenue from 2007 to 2008",
        "25,587 million",
    )
    assert OperationChoice(2, 1, "divide") in [offer.act for offer in found]
    assert OperationChoice(2, 1, "percentage") not in [offer.act for offer in found]
    assert len({offer.result for offer in found[1:]}) == len(found) - 1


def test_every_offer_gives_its_stated_answer() -> None:
    for turn in range(5):
        for offer in possible_corrections(a_ledger(), turn):
            ledger = a_ledger()
            ledger.correct(offer.act, "Ada")
            assert str(ledger.turns[turn].answer) == offer.result


def test_original_choice_is_offered_and_impossible_ones_are_not() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "0"), "Ada")
    assert "original reading" not in [offer.description for offer in possible_corrections(ledger, 1)]
    # The fourth question divides by the second answer.
    assert "step 1: percentage" not in [offer.description for offer in possible_corrections(ledger, 3)]
    ledger.correct(OperationChoice(2, 1, "add"), "Ada")
    assert possible_corrections(ledger, 2)[0].description == "original reading"
    with pytest.raises(InputError):
        possible_corrections(ledger, 5)
