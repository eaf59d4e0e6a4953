"""Pages with highlighted sources, answers, stored turns and askable lines on a terminal."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from command_line import exit_code
from made_up import a_record
from remembered import computed, looked_up, memory_of, unanswered
from rich.console import Console
from values import a_value

from quaestor.cli.render import show_stored_turn, show_turn
from quaestor.conversation.answer import Answer
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Turn
from quaestor.datasets.convfinqa import read_conversation
from quaestor.documents.document import Document
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.questions.question import read_question
from quaestor.store.records import now

NORD = "sample#NORD/2012/page_41.pdf"


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", f"sqlite:///{tmp_path}/runs.db")


@pytest.fixture
def printed(own_store: None, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str) -> str:
        capfd.readouterr()
        code = exit_code(*words)
        out, err = capfd.readouterr()
        assert code == 0, err
        return out

    return run


def test_cells_and_words_of_answers_are_marked(printed: Callable[..., str]) -> None:
    printed("ask", NORD, "what were net sales of power cables in 2012?", "what was spent on research in 2011?")
    page = printed("show", NORD, "--run", "latest")
    assert "[$ 642.3]" in page
    assert "1. what were net sales of power cables in 2012?  $ 642.3 million" in page
    only = printed("show", NORD, "--run", "latest", "--turn", "2")
    assert "[$ 642.3]" not in only


def test_page_without_a_run_has_no_highlights(printed: Callable[..., str]) -> None:
    assert "[" not in printed("show", NORD)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([NORD, "--turn", "1"], "--run"),
        ([NORD, "--run", "latest", "--turn", "7"], "NORD"),
        (["sample#LUMI/2018/page_35.pdf", "--run", "latest"], "2018"),
    ],
)
def test_user_error_gives_a_one_line_message(
    words: list[str], message: str, printed: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    printed("ask", NORD, "what were net sales in 2012?")
    assert exit_code("show", *words) == 2
    error = capfd.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_file_without_question_lists_askable_lines(printed: Callable[..., str]) -> None:
    text = printed("ask", NORD)
    assert "2010 to 2012" in text
    assert f"quaestor ask '{NORD}' '" in text
    found = json.loads(printed("ask", NORD, "--json"))
    assert len(found["examples"]) == 3
    assert found["document"] == "NORD/2012/page_41.pdf"


def a_page(**changes: object) -> Document:
    return read_conversation(a_record(**changes), "here").document  # type: ignore[arg-type]  # pieces of a record


def printed_turn(turn: Turn, document: Document) -> str:
    file = io.StringIO()
    show_turn(Console(file=file, width=240), 1, turn, document)
    return file.getvalue()


def a_turn(answer: Answer, *, verified: bool = True, error: str | None = None) -> Turn:
    moment = now()
    return Turn("what is the dividend?", answer, verified, moment, moment, error=error)


def test_a_sentence_is_cut_around_its_marked_span() -> None:
    document = a_page(text=["and so on " * 20 + "we paid a dividend of $ 91 million to our owners" + " and so on" * 20])
    mention = next(m for sentence in document.sentences for m in sentence.mentions)
    text = printed_turn(a_turn(Answer(a_value(91), mention.quantity.scale, "USD", sources=(mention.ref,))), document)
    assert "$ 91 million" in text.splitlines()[1]
    source = text.splitlines()[2]
    assert source.startswith("     pre text, sentence 1 | ...")
    assert source.endswith("...")


def test_confidence_and_explanation_follow_the_answer() -> None:
    answer = Answer(
        a_value(-4), confidence=0.624, reason="next likely: 5, 31 %", grounds='"dividend" is in the question'
    )
    text = printed_turn(a_turn(answer), a_page())
    assert all(part in text for part in ("62%", "next likely: 5, 31 %", '"dividend" is in the question'))
    withheld = printed_turn(a_turn(replace(answer, value=None)), a_page())
    assert "62%" not in withheld
    assert "next likely" in withheld


ASKED = "how much does this change represent in relation to that rent in 2007?"
EARLIER = (
    looked_up("what was the rent in 2007?", "rent", 2007),
    looked_up("and what was it in 2008?", "rent", 2008),
    computed("what was the change?", "subtract", -1, -2, entity="rent"),
)


def shown_stored(*turns: Turn) -> str:
    """Return how the last turn is shown after it was stored."""
    record = turn_records(TurnPlace("run", "conversation"), turns)[-1]
    console = Console(file=StringIO(), width=200, highlight=False)
    show_stored_turn(console, record, None)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_stored_turn_records_references_with_reasons() -> None:
    last = replace(unanswered(ASKED), references=resolve(read_question(ASKED), memory_of(*EARLIER)))
    lines = [line.strip() for line in shown_stored(*EARLIER, last).splitlines()]
    assert any(line.startswith("turn 3 (") and ": a change" in line for line in lines)
    assert any(line.startswith("turn 1 (") and "of 2007" in line for line in lines)
    assert any("turn 1 and turn 3 (" in line for line in lines)
    assert any(line.split() == ["in", "focus:", "rent"] for line in lines)
