"""Corrections that are offered for an answer."""

import pytest
from corrected import a_ledger, cell, misread

from quaestor.conversation.turn import OperationChoice, ReadingChoice, SourceChoice
from quaestor.errors import InputError
from quaestor.repair.offers import possible_corrections


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
