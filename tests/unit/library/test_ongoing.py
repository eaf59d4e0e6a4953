"""Conversations in Python: follow-ups, corrections, storage and exports."""

import asyncio
import gc
import json
import threading
from pathlib import Path

import pytest
from model_server import ModelServer
from reflection_bench import draft, look_up, playing

import quaestor
from quaestor import CellRef, OngoingConversation, OperationChoice, SourceChoice
from quaestor.errors import InputError, OutputExistsError, QuestionError, SettingsError
from quaestor.settings import Settings

NAME = "sample#QUIL/2007/page_88.pdf"
ASKED = ("what was the exercise price in 2007?", "and in 2005?", "and what was the change?")


@pytest.fixture
def conversation(tmp_path: Path) -> OngoingConversation:
    settings = Settings(store=f"sqlite:///{tmp_path}/runs.db", author="Ada")
    return quaestor.open(NAME, settings=settings).conversation()


def answer_texts(conversation: OngoingConversation) -> list[str]:
    return [str(answer) for answer in conversation.answers]


def test_each_question_can_refer_to_all_earlier_ones(conversation: OngoingConversation) -> None:
    assert [str(conversation.ask(question)) for question in ASKED] == ["$ 48.65", "$ 27.95", "$ 20.70"]
    assert len(conversation.answers) == 3
    assert [str(one) for one in conversation.ask(["what was the exercise price in 2006?", "and in 2007?"])] == [
        "$ 33.20",
        "$ 48.65",
    ]
    assert "QUIL/2007/page_88.pdf: 5" in repr(conversation)


def test_question_is_asked_and_awaited_in_one_call(conversation: OngoingConversation) -> None:
    async def awaited() -> None:
        async with conversation:
            assert str(await conversation.ask_async(ASKED[1])) == "$ 27.95"
            assert str(conversation.ask(ASKED[2])) == "$ 20.70"

    conversation.ask(ASKED[0])
    asyncio.run(awaited())
    assert answer_texts(conversation) == ["$ 48.65", "$ 27.95", "$ 20.70"]
    with pytest.raises(InputError):
        conversation.ask(ASKED[0])
    conversation.close()


def test_concurrent_questions_are_answered_in_order(conversation: OngoingConversation) -> None:
    threads = [threading.Thread(target=conversation.ask, args=(ASKED[0],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answer_texts(conversation) == [str(one) for one in quaestor.open(NAME).ask([ASKED[0]] * 4)]


def test_invalid_question_leaves_the_conversation_unchanged(conversation: OngoingConversation) -> None:
    with pytest.raises(QuestionError):
        conversation.ask(["what was the exercise price in 2007?", " "])
    assert len(conversation.answers) == 0
    with pytest.raises(SettingsError):
        quaestor.open(NAME).conversation(options={"magic": 1}).ask(ASKED[0])


def test_undo_removes_the_last_question(conversation: OngoingConversation) -> None:
    assert len(conversation.take_back()) == 0
    conversation.ask(ASKED)
    assert [str(one) for one in conversation.take_back()] == ["$ 20.70"]
    assert answer_texts(conversation) == ["$ 48.65", "$ 27.95"]
    assert str(conversation.ask("and in 2006?")) == "$ 33.20"


def test_dependent_answers_follow_a_correction_and_its_undo(conversation: OngoingConversation) -> None:
    answered = conversation.ask(ASKED)
    changes = conversation.fix('2 cell "exercise price" 2005 = 30.00', reason="misread")
    assert [str(change) for change in changes] == ["answer 2: $ 27.95 -> $ 30.00", "answer 3: $ 20.70 -> $ 18.65"]
    assert answer_texts(conversation) == ["$ 48.65", "$ 30.00", "$ 18.65"]
    assert conversation.answers[1].sources[0].text.startswith("30.00 (")
    (correction,) = conversation.corrections
    assert (correction.author, correction.reason) == ("Ada", "misread")
    assert [str(answer) for answer in answered] == ["$ 48.65", "$ 27.95", "$ 20.70"]
    assert "30.00 <del>$ 27.95</del>" in conversation._repr_html_()
    assert str(conversation.ask("what was the exercise price in 2005?")) == "$ 30.00"
    conversation.take_back()
    assert [change.now for change in conversation.undo(author="Bo")] == ["$ 27.95", "$ 20.70"]
    assert [one.answer for one in conversation.answers] == [one.answer for one in answered]


@pytest.mark.slow
def test_correction_is_a_typed_value_or_an_offered_choice(conversation: OngoingConversation) -> None:
    conversation.ask(ASKED)
    (changed,) = conversation.correct(OperationChoice(2, 1, "percentage_change"), author="Ada")
    assert (changed.number, changed.now) == (3, "74.1 %")
    cell = CellRef("QUIL/2007/page_88.pdf", 0, 1, 2)
    assert [change.now for change in conversation.correct(SourceChoice(1, 1, cell))] == ["$ 33.20", "46.5 %"]
    offer = conversation.offers(2)[0]
    assert str(conversation.correct(offer.act)[0]).startswith("answer 2: $ 33.20 -> ")


def test_impossible_correction_raises_an_error(conversation: OngoingConversation) -> None:
    for act in (
        lambda: conversation.fix("2"),
        conversation.undo,
        conversation.save,
        lambda: conversation.export("a.md"),
    ):
        with pytest.raises(InputError):
            act()
    conversation.ask(ASKED)
    with pytest.raises(InputError):
        conversation.fix("2")
    with pytest.raises(InputError):
        conversation.fix(None)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        conversation.correct("2 reading 2")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        conversation.offers(9)
    with pytest.raises(InputError):
        conversation.undo()


def test_every_alternative_interpretation_can_be_chosen() -> None:
    page = "HALC/2009/page_52.pdf"
    questions = next(
        c.questions for c in quaestor.read_dataset(quaestor.sample_path()).conversations if c.document.id == page
    )
    conversation = quaestor.open(f"sample#{page}").conversation()
    answers = conversation.ask(questions)
    places = [place for place, one in enumerate(answers) if one.answer.other_readings]
    assert places
    for place in places:
        first, *_ = conversation.fix(f"{place + 1} reading 2", author="Ada")
        assert (first.number, first.now) == (place + 1, answers[place].answer.other_readings[0].shown)
        assert first.turn.verified
        conversation.fix(f"{place + 1} reading 1")
        assert answer_texts(conversation) == [str(one) for one in answers]
        for _ in range(2):
            conversation.undo()
        assert conversation.answers == answers


@pytest.mark.slow
def test_conversation_is_saved_on_request(conversation: OngoingConversation, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from quaestor.cli.app import make_app

    conversation.ask(ASKED)
    assert not (tmp_path / "runs.db").exists()
    run = conversation.save()
    conversation.ask("and in 2006?")
    conversation.close()
    store = f"sqlite:///{tmp_path}/runs.db"
    result = CliRunner().invoke(
        make_app(["chat"]), ["chat", NAME, "--resume", run, "--store", store], input="and the change since?\n"
    )
    assert result.exit_code == 0
    assert "15.45" in result.stdout
    for name in ("a.json", "a.html", "a.csv", "a.md", "a.xlsx"):
        quaestor_answers = quaestor.open(NAME).conversation()
        quaestor_answers.ask(ASKED)
        quaestor_answers.export(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert "48.65" in json.dumps(json.loads((tmp_path / "a.json").read_text()))
    with pytest.raises(OutputExistsError):
        quaestor_answers.export(tmp_path / "a.json")
    quaestor_answers.export(str(tmp_path / "a.json"), replace=True)
    with pytest.raises(InputError):
        quaestor_answers.export(tmp_path / "a.docx")


@pytest.mark.very_slow
def test_model_stays_connected_until_closed_or_garbage_collected(local_models: None) -> None:
    script = playing(expert=[draft(look_up("exercise price, 2007", "48.65"))])
    with ModelServer(script) as server:
        page, model = quaestor.open(NAME), f"openai:scripted@{server.url}/v1"
        with page.conversation(solver="reflection", model=model) as conversation:
            first, second = conversation.ask(ASKED[0]), conversation.ask(ASKED[0])
            assert (str(first), first.turn.usage.requests, second.turn.usage.requests) == ("$ 48.65", 2, 2)
        left = page.conversation(solver="reflection", model=model)
        left.ask(ASKED[0])
        chat = left._chat
        del left
        gc.collect()
        quaestor.open(NAME).ask(ASKED[0])
        assert chat._resources is None
