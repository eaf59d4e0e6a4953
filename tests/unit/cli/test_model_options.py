"""Options of solvers and models: budgets, recordings, usage, stored prompts, and checks of a model."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import AskingSolver
from command_line import Outcome, Quaestor, one_line, refused
from made_up import a_record, write_dataset
from model_replies import call, say
from model_server import ModelServer
from stand_in import stand_in

from quaestor.application.solver_options import solver_options
from quaestor.cli.options import SolverOptions
from quaestor.errors import SettingsError
from quaestor.settings import Settings
from quaestor.testing.models import ReceivedRequest, Reply

CANARY = "sk-canary-0a1b2c3d4e5f6a7b"
QUESTIONS = ("what was it in 2008?", "and in 2007?")
IDS = ("Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2", "Single_SUND/2011/page_7.pdf-1")


def reply(request: ReceivedRequest) -> Reply:
    question = request.prompts[-1]
    return (
        say("a look-up") if question.startswith("How do you read") else say("435" if "2007" in question else "206588")
    )


@pytest.fixture
def server(local_models: None) -> Iterator[ModelServer]:
    with ModelServer(reply) as running:
        yield running


@pytest.fixture
def ask(quaestor: Quaestor, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Quaestor:
    """The command line with `[models.scripted]`, three conversations, and a solver that sends two requests per turn."""
    for name in ("embedded", "agent", "sparql", "workflow", "reflection"):
        stand_in(monkeypatch, AskingSolver, name)
    monkeypatch.setenv("SCRIPTED_KEY", CANARY)
    settings(server.url)
    programs, answers, displays = ("206588", "435"), (206588.0, 435.0), ("206588", "435")
    records = [a_record(name, QUESTIONS, programs, answers, displays=displays) for name in IDS]
    write_dataset(tmp_path / "pages.json", *records)
    return quaestor


def settings(url: str, more: str = "") -> None:
    Path("quaestor.toml").write_text(
        f'[models.scripted]\nbase_url = "{url}/v1"\napi_key_env = "SCRIPTED_KEY"\nattempts = 1\n{more}\n'
        "[prices.scripted]\ninput = 100\noutput = 200\n"
    )


RUN = "run pages.json --solver agent --model scripted"


def stored(quaestor: Quaestor, *line: str) -> str:
    outcome = quaestor(*line)
    assert outcome.code == 0, outcome.err
    return outcome.out


def test_run_records_usage_and_messages(ask: Quaestor) -> None:
    outcome = ask("eval pages.json --solver agent --model scripted --json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["score"]["execution"]["value"] == 1.0
    shown = stored(ask, "runs show latest")
    # 3 conversations, 2 turns, 2 requests with 10 input and 5 output tokens, at 100 and 200 dollars per million
    assert "12 requests" in shown
    assert "0.0240" in shown
    assert "model:         scripted (temperature 0.0" in shown
    found = json.loads(stored(ask, "runs show latest --json"))
    assert found["spec"]["solver_options"] == {"model": "scripted", "always_answer": True}
    assert found["spec"]["model"]["model"] == "scripted"
    assert "base_url" not in found["spec"]["model"]
    turn = stored(ask, f"runs turn latest {IDS[0]} 2")
    assert "0.0040 US dollars" in turn
    assert "a look-up" in turn


def test_prompts_shows_requests_and_replies(ask: Quaestor, server: ModelServer) -> None:
    run = stored(ask, RUN).strip()
    shown = stored(ask, f"runs prompts {run} {IDS[2]} 2")
    assert "1. UNDERSTAND, scripted" in shown
    assert "2. ANSWER_iteration_1, scripted" in shown
    assert "-> system: You read SUND/2011/page_7.pdf." in shown
    assert "-> user: How do you read: and in 2007?" in shown
    assert "<- assistant: a look-up" in shown
    assert "<- assistant: 435" in shown
    exact = [
        json.loads(record["prompt"]) for record in json.loads(stored(ask, f"runs prompts {run} {IDS[2]} 2 --json"))
    ]
    assert all(body in [request.body for request in server.requests] for body in exact)
    assert '"temperature":' in stored(ask, f"runs prompts {run} {IDS[2]} 2 --raw")
    assert one_line(ask(f"runs prompts {run} {IDS[2]} 7")).startswith("quaestor: ")


def test_key_is_never_written_or_printed(ask: Quaestor, server: ModelServer, tmp_path: Path) -> None:
    outcome = ask(f"{RUN} --record tape.json")
    assert outcome.code == 0, outcome.err
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    printed = outcome.out + outcome.err + stored(ask, f"runs prompts latest {IDS[0]} 1 --raw")
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 2
    assert not [content for content in (*files, printed.encode()) if CANARY.encode() in content]


def answers(quaestor: Quaestor, run: str) -> list[object]:
    return [
        [[p["phase"], p["prompt"], p["response"], p["error"]] for p in json.loads(stored(quaestor, line))]
        for line in (f"runs prompts {run} {name} {turn} --json" for name in IDS for turn in (1, 2))
    ]


@pytest.mark.slow
def test_a_recording_replays_without_a_server(ask: Quaestor, server: ModelServer) -> None:
    first = stored(ask, f"{RUN} --record tape.json").strip()
    before = len(server.requests)
    settings("http://127.0.0.1:9")
    second = stored(ask, f"{RUN} --replay tape.json --workers 1").strip()
    assert len(server.requests) == before
    assert answers(ask, first) == answers(ask, second)
    outcome = ask("ask pages.json#NORD/2012/page_41.pdf --solver agent --model scripted --replay tape.json", "who?")
    assert outcome.code == 2
    assert "tape.json" in outcome.err.splitlines()[1]
    assert len(server.requests) == before


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("--max-requests 5", "5 requests"),
        pytest.param("--max-tokens 70", "70 tokens", marks=pytest.mark.slow),
        pytest.param("--max-cost 0.009", "0.009 US dollars", marks=pytest.mark.slow),
    ],
)
def test_budget_stops_a_run_which_can_be_resumed(ask: Quaestor, limit: str, message: str) -> None:
    outcome = ask(f"{RUN} --workers 1 {limit}")
    assert outcome.code == 1
    assert f"{message}" in one_line(outcome)
    listed = json.loads(stored(ask, "runs list --json"))[0]
    assert listed["status"] == "stopped"
    assert f"--resume {listed['id']}" in outcome.err
    examples = json.loads(stored(ask, "runs show latest --json"))["examples"]
    assert [example["status"] for example in examples] == ["complete", "outage"]
    assert examples[1]["usage"]["requests"] == 1

    again = ask(f"{RUN} --resume {listed['id']} --workers 1 {limit}")
    assert again.code == 1  # usage of the first attempt counts
    resumed = ask(f"{RUN} --resume {listed['id']}")
    assert resumed.code == 0, resumed.err
    examples = json.loads(stored(ask, "runs show latest --json"))["examples"]
    assert [example["status"] for example in examples] == ["complete"] * 3
    # The request of the stopped attempt is counted too.
    assert [example["usage"]["requests"] for example in examples] == [4, 5, 4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("run pages.json --solver agent", "quaestor: "),
        ("run pages.json --solver agent --model skripted", "'scripted'"),
        ("run pages.json --model scripted", "'embedded'"),
        ("run pages.json --replay tape.json", "quaestor: "),
        (f"{RUN} --record a.json --replay b.json", "quaestor: "),
        (f"{RUN} --replay missing.json", "missing.json"),
        (f"{RUN} --record pages.json", "quaestor: "),
        (f"{RUN} --record quaestor.toml", "quaestor.toml"),
        (f"{RUN} --max-tokens 0", "--max-tokens"),
        ("ask pages.json#NORD/2012/page_41.pdf why? --solver agent", "quaestor: "),
    ],
)
def test_incompatible_options_are_refused(ask: Quaestor, line: str, reason: str) -> None:
    assert reason in refused(ask(line))
    assert ask("runs list").code == 2 or json.loads(stored(ask, "runs list --json")) == []


@pytest.mark.parametrize("line", [RUN, "ask pages.json#NORD/2012/page_41.pdf why? --solver agent --model scripted"])
def test_missing_key_is_reported_before_the_run(ask: Quaestor, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.delenv("SCRIPTED_KEY")
    assert "SCRIPTED_KEY" in refused(ask(line))
    assert ask("runs list").code == 2 or json.loads(stored(ask, "runs list --json")) == []


def test_unreachable_server_ends_the_run_immediately(ask: Quaestor) -> None:
    settings("http://127.0.0.1:9")
    assert "127.0.0.1:9" in refused(ask(f"{RUN} --workers 1"))
    assert len(json.loads(stored(ask, "runs show latest --json"))["examples"]) == 1


@pytest.mark.slow
def test_run_cannot_be_resumed_with_another_temperature(ask: Quaestor, server: ModelServer) -> None:
    run = stored(ask, RUN).strip()
    settings(server.url, "temperature = 0.5")
    refused(ask(f"{RUN} --resume {run}"))


@pytest.mark.slow
def test_recording_replaces_a_file_only_with_force_and_replies(ask: Quaestor, server: ModelServer) -> None:
    """A run without any reply does not replace an older recording."""
    tape, line = Path("tape.json"), "ask pages.json#NORD/2012/page_41.pdf why? --solver agent --model scripted"
    tape.write_text("years of work")
    for command in (RUN, line):
        assert "tape.json" in refused(ask(f"{command} --record tape.json"))
        for own in ("pages.json", "runs.db"):
            refused(ask(f"{command} --store runs.db --record {own} --force"))
    settings("http://127.0.0.1:9")
    refused(ask(f"{RUN} --workers 1 --record tape.json --force"))
    assert tape.read_text() == "years of work"
    settings(server.url)
    run = stored(ask, f"{RUN} --record tape.json --force").strip()
    first = tape.read_text()
    assert '"kind": "quaestor cassette"' in first
    # A resumed run appends to its recording, even without --force.
    assert ask(f"{RUN} --resume {run} --record tape.json").code == 0
    assert tape.read_text().startswith(first)
    assert not list(Path().glob(".tape*"))


def chat(ask: Quaestor, monkeypatch: pytest.MonkeyPatch, lines: str, *more: str) -> Outcome:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    return ask("chat pages.json#SUND/2011/page_7.pdf --solver agent --model scripted", *more)


def test_repeated_question_in_a_chat_has_its_own_prompts_and_costs(
    ask: Quaestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = chat(ask, monkeypatch, "what was it in 2008?\n/undo\nwhat was it in 2007?\n/why\n")
    assert (outcome.code, outcome.err.count("\n")) == (0, 1)
    assert "2 requests" in outcome.out
    page = "SUND/2011/page_7.pdf"
    before, after = (
        json.loads(stored(ask, f"runs prompts latest {page} 1 --json --attempt {attempt}")) for attempt in (1, 2)
    )
    assert [len(before), len(after)] == [2, 2]
    assert "2008" in before[0]["prompt"]
    assert "2008" not in after[0]["prompt"]
    (example,) = json.loads(stored(ask, "runs show latest --json"))["examples"]
    assert (example["attempt"], example["usage"]["requests"]) == (2, 4)


def test_chat_has_one_budget_for_all_solvers(ask: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "what was it in 2008?\n/solver workflow\nand in 2007?\n/solver sparql scripted\nand in 2007?\n"
    outcome = chat(ask, monkeypatch, lines, "--max-requests", "4")
    assert "2. and in 2007?" in outcome.out
    assert "3. and in 2007?" not in outcome.out
    assert outcome.code == 1


def test_replayed_chat_keeps_its_solver_and_model(ask: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = chat(ask, monkeypatch, "/model scripted\n/solver sparql\nand in 2007?\n", "--record", "tape.json")
    assert outcome.code == 2
    assert outcome.err.count("quaestor: ") == 2
    again = chat(ask, monkeypatch, "and in 2007?\n", "--replay", "tape.json")
    assert again.code == 0
    assert again.out in outcome.out


def able(request: ReceivedRequest) -> Reply:
    if "add" in request.tools:
        return call("add", a=2, b=3)
    return say('{"total": 5}' if "response_format" in request.body else "ready")


def test_model_capabilities_are_printed_as_json(quaestor: Quaestor, local_models: None) -> None:
    with ModelServer(able) as server:
        outcome = quaestor(f"models check vllm:scripted@{server.url}/v1 --json")
    found = json.loads(outcome.out)
    assert found["model"] == "scripted"
    assert {check["what"]: check["able"] for check in found["checks"]}["tools"] is True
    assert found["used"]["requests"] == 4


def test_configured_model_is_shown_with_its_price(quaestor: Quaestor, local_models: None, tmp_path: Path) -> None:
    with ModelServer(able) as server:
        table = f'[models.lab]\nbase_url = "{server.url}/v1"\nmodel = "m"\nprofile = "plain"\n'
        (tmp_path / "quaestor.toml").write_text(table + "[prices.lab]\ninput = 1000\noutput = 1000\n")
        outcome = quaestor("models check lab")
    assert outcome.code == 0
    assert "2 requests, 30 tokens, 0.030000 US dollars" in outcome.out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("anthropic:claude-x", "ANTHROPIC_API_KEY"),
        ("claude-x", "'claude-x'"),
        ("openai:m@http://127.0.0.1:9/v1", "127.0.0.1"),
    ],
)
def test_missing_model_gives_a_one_line_error(
    quaestor: Quaestor, local_models: None, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setattr("quaestor.llm.models.RetryPolicy.pause", lambda *_: None)
    assert message in refused(quaestor(f"models check {name}"))


def test_any_option_can_be_given_by_its_name() -> None:
    result = SolverOptions(option=["weights=a=b", "abstain-below=0.5"]).overrides
    assert result.texts == {"weights": "a=b", "abstain_below": "0.5"}
    settings = Settings()
    assert solver_options(settings, result) == {"weights": "a=b", "abstain_below": 0.5}
    with pytest.raises(SettingsError):
        solver_options(settings, SolverOptions(abstain_below=0.25, option=["abstain_below=0.5"]).overrides)
    with pytest.raises(SettingsError):
        solver_options(Settings(solver="reflection"), SolverOptions(option=["expert_options=1"]).overrides)
