"""Corrections on pages."""

from corrected import a_ledger, at, misread

from quaestor.conversation.turn import OperationChoice
from quaestor.web.ask.routes import correction_views
from quaestor.web.repair.routes import numbers_of_answer, offer_views, steps_of_answer


def test_corrections_are_listed_latest_first() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "0"), "Ada", "misread", at(1))
    ledger.correct(OperationChoice(2, 1, "add"), "Bo", moment=at(2))
    ledger.undo("Cy", moment=at(3))
    (undo, _), (chosen, _), (number, second) = correction_views(ledger)
    assert (undo.author, undo.stands) == ("Cy", False)
    assert (chosen.author, chosen.stands) == ("Bo", False)
    assert (number.reason, number.stands, number.made) == ("misread", True, at(1))
    fourth = next(change for change in second.changes if change.turn == 3)
    assert (fourth.was, fourth.answer.value, bool(fourth.answer.reason)) == ("-0.1414", None, True)


def test_corrected_number_shows_the_original_text() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "200,000"), "Ada")
    (number,) = numbers_of_answer(ledger, 1)
    assert (number.key, number.text, number.was) == ("t0-1-2", "200,000", "181001")
    (step,) = steps_of_answer(ledger, 1)
    assert step == (1, "net revenue, 2007", "t0-1-2")
    assert list(steps_of_answer(ledger, 2)) == []
    assert {kind for kind, offers in offer_views(ledger, 2).items() if offers} == {"reading", "operation"}
