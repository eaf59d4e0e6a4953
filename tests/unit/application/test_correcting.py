"""Answers of `ask`, put right by hand in Python."""

import pytest

from quaestor import CellRef, CorrectedAnswers, OperationChoice, SourceChoice, ask, read_dataset, sample_path
from quaestor.application.library import AnsweredQuestion
from quaestor.errors import InputError
from quaestor.settings import Settings

PAGE = "sample#QUIL/2007/page_88.pdf"
ASKED = ("what was the exercise price in 2007?", "and in 2005?", "and what was the change?")


@pytest.fixture(scope="module")
def answered() -> tuple[AnsweredQuestion, ...]:
    return ask(PAGE, ASKED, settings=Settings(store="sqlite://"))


def test_what_depends_on_a_correction_follows_and_comes_back(answered: tuple[AnsweredQuestion, ...]) -> None:
    conversation = CorrectedAnswers(answered, settings=Settings(author="Ada"))
    changes = conversation.fix('2 cell "exercise price" 2005 = 30.00', reason="misread")
    assert [str(change) for change in changes] == ["answer 2: $ 27.95 -> $ 30.00", "answer 3: $ 20.70 -> $ 18.65"]
    assert [str(answer) for answer in conversation.answers] == ["$ 48.65", "$ 30.00", "$ 18.65"]
    assert conversation.answers[1].sources[0].text == "30.00 (corrected; read before: $ 27.95)"
    (made,) = conversation.corrections
    assert (made.author, made.reason) == ("Ada", "misread")
    assert [str(answer) for answer in answered] == ["$ 48.65", "$ 27.95", "$ 20.70"]
    assert [change.now for change in conversation.undo(author="Bo")] == ["$ 27.95", "$ 20.70"]
    assert conversation.answers == answered


def test_a_choice_is_made_by_a_typed_value_or_out_of_those_offered(answered: tuple[AnsweredQuestion, ...]) -> None:
    conversation = CorrectedAnswers(answered)
    (changed,) = conversation.correct(OperationChoice(2, 1, "percentage_change"), author="Ada")
    assert (changed.number, changed.now) == (3, "74.1 %")
    cell = CellRef("QUIL/2007/page_88.pdf", 0, 1, 2)
    assert [change.now for change in conversation.correct(SourceChoice(1, 1, cell))] == ["$ 33.20", "46.5 %"]
    offer = conversation.offers(2)[0]
    assert str(conversation.correct(offer.act)[0]).startswith("answer 2: $ 33.20 -> ")


def test_what_cannot_be_done_is_said(answered: tuple[AnsweredQuestion, ...]) -> None:
    conversation = CorrectedAnswers(answered)
    with pytest.raises(InputError, match="say what is to be corrected"):
        conversation.fix("2")
    with pytest.raises(InputError, match="there is no answer 9"):
        conversation.offers(9)
    with pytest.raises(InputError, match="there is no correction to undo"):
        conversation.undo()
    for answers in ((), (*answered, *ask("sample#NORD/2012/page_41.pdf", "what was net revenue in 2012?"))):
        with pytest.raises(InputError, match="one call of ask"):
            CorrectedAnswers(answers)


def test_every_other_reading_that_the_solver_kept_can_be_chosen() -> None:
    page = "HALC/2009/page_52.pdf"
    questions = next(c.questions for c in read_dataset(sample_path()).conversations if c.document.id == page)
    answers = ask(f"sample#{page}", questions, settings=Settings(store="sqlite://"))
    kept = [place for place, one in enumerate(answers) if one.answer.other_readings]
    assert kept
    for place in kept:
        conversation = CorrectedAnswers(answers)
        first, *_ = conversation.fix(f"{place + 1} reading 2", author="Ada")
        assert (first.number, first.now) == (place + 1, answers[place].answer.other_readings[0].shown)
        assert first.turn.verified
        conversation.fix(f"{place + 1} reading 1")
        assert [str(one) for one in conversation.answers] == [str(one) for one in answers]
        for _ in range(2):
            conversation.undo()
        assert conversation.answers == answers
