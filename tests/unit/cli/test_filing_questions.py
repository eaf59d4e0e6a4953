"""Questions about files as a benchmark: run, scored, judged, compared and reported."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from filing_questions import FINANCEBENCH, QUESTIONS, write_filings, write_questions
from model_replies import say
from model_server import ModelServer

from quaestor.testing.models import ReceivedRequest, Reply

EVAL = ("eval", "questions.jsonl", "--documents", "filings", "--json")


@pytest.fixture
def scripted_solver() -> None:
    """Use the real embedded solver instead of the scripted one."""


@pytest.fixture
def questions_file(tmp_path: Path) -> Path:
    """A file of questions about two reports in the folder in which the commands run."""
    write_filings(tmp_path)
    return write_questions(tmp_path)


def share(score: dict[str, dict[str, int]], name: str) -> tuple[int, int]:
    return score[name]["correct"], score[name]["total"]


def test_a_run_is_scored_reported_and_compared(quaestor: Quaestor, questions_file: Path) -> None:
    printed = json.loads(quaestor(*EVAL, "--output", "turns.jsonl").out)
    score = printed["score"]
    assert share(score, "right") == (4, 4)
    assert share(score, "words") == (1, 1)
    assert share(score, "answered") == (3, 4)
    assert share(score, "evidence_5") == (3, 3)
    turns = [json.loads(line) for line in Path("turns.jsonl").read_text().splitlines()]
    assert [turn["judged_by"] for turn in turns] == ["rule", "words", "rule", "rule"]
    assert (turns[0]["told"], turns[0]["gold_told"]) == ("$ 4,120 million", "4120 million USD")
    quaestor(*EVAL, "--option", "decline=false")
    assert share(json.loads(quaestor("score", "latest", "questions.jsonl", "--json").out)["score"], "answered")[1] == 4
    compared = quaestor("compare", "latest", printed["run"])
    assert compared.code == 0, compared.err
    assert "by kind of answer" in compared.out
    report = quaestor("report", "latest", "--markdown").out
    assert "Prose, by its words (rough)" in report
    assert "Evidence shown first" in report


def test_run_is_scored_after_its_documents_moved(quaestor: Quaestor, questions_file: Path) -> None:
    quaestor("run", "questions.jsonl", "--documents", "filings")
    Path("filings").rename("moved")
    assert "not a folder" in quaestor("score", "latest", "questions.jsonl").err
    moved = quaestor("score", "latest", "questions.jsonl", "--documents", "moved", "--json")
    assert share(json.loads(moved.out)["score"], "right") == (4, 4)


def test_financebench_questions_are_scored_by_stated_answers(quaestor: Quaestor, questions_file: Path) -> None:
    write_questions(questions_file.parent, FINANCEBENCH)
    score = json.loads(quaestor(*EVAL).out)["score"]
    assert share(score, "right") == (1, 1)


def test_model_judges_prose_once_and_manual_verdicts_override_it(
    quaestor: Quaestor, questions_file: Path, local_models: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(request: ReceivedRequest) -> Reply:
        assert "Reference: higher prices for drills and saws" in request.prompts[0]
        return say('{"reason": "it names another cause", "right": false}')

    monkeypatch.setenv("SCRIPTED_KEY", "secret")
    with ModelServer(judge) as server:
        named = f'[models.judge]\nbase_url = "{server.url}/v1"\napi_key_env = "SCRIPTED_KEY"\nattempts = 1\n'
        Path("quaestor.toml").write_text(named)
        judged = quaestor(*EVAL, "--judge", "judge")
        assert judged.code == 0, judged.err
        assert quaestor("score", "latest", "questions.jsonl", "--judge", "judge").code == 0
        assert len(server.requests) == 1
    score = json.loads(judged.out)["score"]
    assert (share(score, "right"), share(score, "words")) == ((3, 4), (0, 0))
    verdicts = Path("questions.verdicts.jsonl")
    saved = json.loads(verdicts.read_text())
    assert (saved["conversation"], saved["turn"], saved["judge"], saved["right"]) == ("alder-01", 1, "judge", False)
    assert saved["reason"] == "it names another cause"
    assert "Why did net sales increase?" in saved["prompt"]
    verdicts.write_text(json.dumps(saved | {"right": True, "judge": "me"}))
    revised = json.loads(quaestor("score", "latest", "questions.jsonl", "--json").out)["score"]
    assert (share(revised, "right"), share(revised, "words")) == ((4, 4), (0, 0))
    assert "100.0 %" in quaestor("report", "latest", "--markdown").out


def test_invalid_question_file_is_reported_before_any_answer(quaestor: Quaestor, questions_file: Path) -> None:
    assert "has no document 'alder-2024'" in one_line(quaestor("eval", "questions.jsonl"))
    assert "leave out the judge" in one_line(quaestor("eval", "sample", "--judge", "openai:none"))
    write_questions(questions_file.parent, [QUESTIONS[0] | {"answer": {"value": 4120, "scale": "million"}}])
    assert "line 1: 'answer' has a value without a unit" in one_line(quaestor(*EVAL))
    Path("questions.verdicts.jsonl").write_text('{"right": true}\n')
    assert "questions.verdicts.jsonl, line 1: expected an object with" in one_line(quaestor(*EVAL))
