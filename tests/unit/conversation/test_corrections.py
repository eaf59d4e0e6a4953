"""Active corrections, and turns with corrections applied."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from remembered import computed, looked_up

from quaestor.conversation.answer import Corrected
from quaestor.conversation.turn import (
    Act,
    ChangedAnswer,
    Correction,
    NumberCorrection,
    OperationChoice,
    ReadingChoice,
    SourceChoice,
    Undo,
    active_corrections,
    apply_corrections,
    remaining_corrections,
)
from quaestor.core import serial
from quaestor.core.answer_value import Number
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity

MADE = datetime(2026, 11, 22, 15, 4, 5, 678000, tzinfo=UTC)
CELL = CellRef("page", 0, 1, 2)
NUMBER = NumberCorrection(CELL, Quantity(Decimal(7), text="7"), Quantity(Decimal("7.5"), text="7.5"))
TURNS = (looked_up("what was rent in 2008?", "rent", 2008), computed("twice that?", "add", -1, 2))


def correction(number: int, act: Act, turns: int = 2, *changes: ChangedAnswer) -> Correction:
    return Correction(number, act, turns, "Ada", MADE, "misread", changes)


def change(turn: int, value: str) -> ChangedAnswer:
    answer = replace(TURNS[turn].answer, value=Number(Decimal(value)), corrected=Corrected("7", "Ada", MADE, 1))
    return ChangedAnswer(turn, "7", answer, verified=True)


def test_every_kind_of_correction_survives_storage() -> None:
    acts: tuple[Act, ...] = (
        NUMBER,
        NumberCorrection(SentenceRef("page", "post_text", 0, 3, 5), None, Quantity(Decimal(1))),
        SourceChoice(1, 1, CELL),
        ReadingChoice(0, 1),
        OperationChoice(1, 1, "divide", swapped=True),
        Undo(1),
    )
    for number, act in enumerate(acts, start=1):
        one = correction(number, act, 2, change(0, "7.5"))
        assert serial.load(Correction, serial.dump(one)) == one


def test_an_undone_correction_is_inactive() -> None:
    first, second = correction(1, NUMBER), correction(2, OperationChoice(1, 1, "divide"))
    assert active_corrections([first, second]) == (first, second)
    assert active_corrections([first, second, correction(3, Undo(1))]) == (second,)
    assert active_corrections([first, second, correction(3, Undo(2)), correction(4, Undo(1))]) == ()


def test_turns_have_their_latest_change() -> None:
    corrections = [
        correction(1, NUMBER, 2, change(0, "7.5"), change(1, "15")),
        correction(2, Undo(1), 2, change(1, "14")),
    ]
    now = apply_corrections(TURNS, corrections)
    assert [str(turn.answer) for turn in now] == ["7.5", "14"]
    assert [turn.question for turn in now] == [turn.question for turn in TURNS]
    assert apply_corrections(TURNS[:1], corrections) == now[:1]
    assert apply_corrections(TURNS, []) == TURNS


def test_undoing_a_question_removes_its_corrections_but_not_corrected_numbers() -> None:
    corrections = [
        correction(1, NUMBER, 2, change(0, "7.5"), change(1, "15")),
        correction(2, OperationChoice(1, 1, "divide"), 2, change(1, "3")),
        correction(3, Undo(2), 2, change(1, "15")),
    ]
    (left,) = remaining_corrections(corrections, 1)
    assert (left.number, left.turns, [changed.turn for changed in left.changes]) == (1, 1, [0])
    assert remaining_corrections(corrections, 2) == tuple(corrections)
