"""Several questions in one are answered one by one, whoever answers."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import quaestor
from quaestor.application.run_service import find_run
from quaestor.cli.app import app
from quaestor.conversation.events.kinds import TakenApart, load_events
from quaestor.conversation.events.lines import event_lines
from quaestor.core.answer_value import Number
from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuestionError
from quaestor.evaluation.several import taken_apart
from quaestor.store.base import open_store

PAGE = "sample#QUIL/2007/page_88.pdf"
ASKED = "what was the exercise price of stock options in 2007 and 2006, and the change?"


def test_each_is_a_turn_and_keeps_what_was_asked() -> None:
    answers = quaestor.open(PAGE).ask(["what was the dividend yield in 2007?", ASKED])
    assert [answer.question for answer in answers[1:]] == [
        "what was the exercise price of stock options in 2007?",
        "what was the exercise price of stock options in 2006?",
        "what was the change?",
    ]
    assert [answer.asked for answer in answers] == ["what was the dividend yield in 2007?", ASKED, ASKED, ASKED]
    first, second, change = (answer.answer.value for answer in answers[1:])
    assert isinstance(first, Number)
    assert isinstance(second, Number)
    assert change == Number(first.value - second.value)


def test_a_conversation_of_single_questions_is_the_same_object() -> None:
    page = quaestor.open(PAGE).document
    conversation = Conversation("x", page, ("what was it?",))
    assert taken_apart(conversation) is conversation


def test_what_cannot_be_told_apart_is_asked_back_and_nothing_is_asked() -> None:
    with pytest.raises(QuestionError):
        quaestor.open(PAGE).ask(["what was the yield?", "what was the yield in 2007, 2006 and 2005, and the change?"])


def test_the_store_and_json_keep_the_text_as_asked(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/runs.db"
    said = CliRunner().invoke(app, ["ask", PAGE, ASKED, "--store", store, "--json"])
    assert said.exit_code == 0
    objects = json.loads(said.stdout)
    assert [item["asked"] for item in objects] == [ASKED] * 3

    async def stored() -> list[object]:
        async with open_store(store) as opened:
            run = await find_run(opened, "latest")
            return [load_events(turn.events)[0] for turn in await opened.turns(run.id)]

    events = asyncio.run(stored())
    assert events == [TakenApart(ASKED, number, 3) for number in (1, 2, 3)]
    assert event_lines([TakenApart("a?", 1, 2)]) == ('question 1 of 2 in "a?"',)


def test_people_read_how_many_questions_were_seen() -> None:
    said = CliRunner().invoke(app, ["ask", PAGE, ASKED, "--no-keep"])
    assert "in: what was the exercise price" in " ".join(said.stdout.split())
