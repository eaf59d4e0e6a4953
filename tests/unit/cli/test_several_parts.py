"""A question of several parts is one turn with a list in every interface; a model gets the whole question once."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Quaestor
from made_up import a_record, write_dataset
from model_server import ModelServer

import quaestor as library
from quaestor.core.answer_value import ValueList
from quaestor.testing.models import Call, ReceivedRequest, Reply

QUESTION = "how much was net revenue in 2008, and how fast did it grow over 2007? Answer in USD billions."
PAGE = "pages.json#NORD/2012/page_41.pdf"
SHOWN = "14.1364 %"


def reply(request: ReceivedRequest) -> Reply:
    """Look up both years, calculate, and answer both parts at once."""
    if len(request.results) < 2:
        looked = (
            Call("query_kg", {"filters": {"row": row, "year": year}})
            for row, year in (("net revenue", 2008), ("net revenue", 2007))
        )
        return Reply(calls=tuple(looked))
    if len(request.results) == 2:
        return Reply(calls=(Call("calculate", {"operation": "percentage_change", "values": ["#2", "#1"]}),))
    return Reply(calls=(Call("final_answer", {"answer": "#1, #3"}),))


@pytest.fixture
def server(local_models: None) -> Iterator[ModelServer]:
    with ModelServer(reply) as running:
        yield running


def model_of(server: ModelServer) -> str:
    return f"openai:scripted@{server.url}/v1"


def pages(folder: Path) -> str:
    return str(write_dataset(folder / "pages.json", a_record(questions=(QUESTION,), programs=None)))


def test_python_returns_one_answer_and_sends_the_whole_question(server: ModelServer, tmp_path: Path) -> None:
    opened = library.open(f"{pages(tmp_path)}#NORD/2012/page_41.pdf")
    answered = opened.ask(QUESTION, solver="agent", model=model_of(server))
    assert isinstance(answered.answer.value, ValueList)
    assert len(answered.answer.value.items) == 2
    assert answered.turn.verified
    assert len(server.requests) == 3
    assert all(QUESTION in request.prompts[0] for request in server.requests)
    with opened.conversation(solver="agent", model=model_of(server)) as conversation:
        assert conversation.ask(QUESTION).display == answered.display
        assert len(conversation.answers) == 1


def test_the_command_line_and_the_chat_have_one_turn(
    server: ModelServer, quaestor: Quaestor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages(tmp_path)
    more = ("--solver", "agent", "--model", model_of(server))
    (result,) = json.loads(quaestor(f"ask {PAGE}", QUESTION, "--json", *more).out)
    assert SHOWN in result["display"]
    assert (result["question"], result["asked"]) == (QUESTION, QUESTION)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{QUESTION}\n"))
    talked = quaestor(f"chat {PAGE}", *more).out
    assert SHOWN in talked
    assert "\n2. " not in talked


def test_embedded_solver_joins_parts_that_follow_ups_can_refer_to() -> None:
    conversation = library.open("sample#QUIL/2007/page_88.pdf").conversation()
    both = conversation.ask("what was the exercise price of stock options in 2007 and 2006, and the change?")
    assert both.display == "2007: $ 48.65; 2006: $ 33.20; change: $ 15.45"
    share = conversation.ask("what is that change as a percentage of the second one?")
    assert (share.display, share.answer.formula) == ("46.5 %", "(48.65 - 33.20) / 33.20")
    assert len(conversation.answers) == 2
    assert all(answer.turn.verified for answer in conversation.answers)
