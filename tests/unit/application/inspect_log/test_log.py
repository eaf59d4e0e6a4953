"""`quaestor export RUN --format inspect` writes a log that Inspect can read, with the same figures."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from inspect_evals import few, figures, figures_of_score, replies_for_few, run_ours
from made_up import a_record, write_dataset
from model_server import ModelServer
from recorded_replies import answering, faulty

from quaestor.errors import RunStoppedError
from quaestor.store.base import open_store
from quaestor.store.records import PromptRecord, RunRecord

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default"), pytest.mark.usefixtures("local_models")]


def typed(*words: str) -> int:
    from quaestor.cli.app import make_app
    from quaestor.cli.failures import run_for_exit_code

    return run_for_exit_code(lambda: make_app(words)(list(words), standalone_mode=False, prog_name="quaestor"))


def opened(file: Path) -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(file), resolve_attachments=True)


async def stored(store: Path) -> tuple[RunRecord, list[PromptRecord]]:
    async with open_store(str(store), create=False) as runs:
        (run,) = await runs.runs()
        found = [
            prompt for one in await runs.examples(run.id) for prompt in await runs.prompts(run.id, one.conversation)
        ]
        return run, found


@pytest.mark.parametrize("name", ["run.eval", "run.json"])
def test_log_of_a_run_has_its_scores_requests_and_usage(name: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    with ModelServer(faulty(answering(replies_for_few()))) as server:
        scored = run_ours(f"openai:scripted@{server.url}/v1", str(store))
    file = tmp_path / name
    assert typed("export", "latest", "-o", str(file), "--format", "inspect", "--store", str(store)) == 0

    log, (run, prompts) = opened(file), asyncio.run(stored(store))
    assert (log.status, log.eval.model, log.eval.run_id) == ("success", "openai/scripted", run.id)
    assert figures(log) == figures_of_score(scored.report.score)
    assert [sample.id for sample in log.samples] == [one.id for one in few()[1]]  # in the order of the file
    for sample in log.samples:
        mine = [turn for turn in scored.report.turns if turn.conversation == sample.id]
        assert sample.scores["official"].value["execution"] == sum(turn.correct for turn in mine) / len(mine)
        spans = [event.name for event in sample.events if event.event == "span_begin"]
        assert spans == [f"turn {number}" for number in range(1, len(mine) + 1)]
        assert [message.role for message in sample.messages] == ["user", "assistant"] * len(mine)
    calls = [event for sample in log.samples for event in sample.events if event.event == "model"]
    assert len(calls) == len(prompts)
    assert sorted(json.dumps(call.call.request, sort_keys=True) for call in calls) == sorted(
        json.dumps(json.loads(prompt.prompt), sort_keys=True) for prompt in prompts
    )
    assert {bool(call.error) for call in calls} == {True, False}  # failed requests are included
    text = next(call for call in calls if not call.error and call.output.message.tool_calls)
    assert [message.role for message in text.input][:2] == ["system", "user"]
    assert text.output.message.tool_calls[0].arguments["steps"]
    used = sum(turn.usage.get("input_tokens", 0) for turn in scored.turns.values())
    assert log.stats.model_usage["openai/scripted"].input_tokens == used


def test_imported_run_is_exported_as_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", str(tmp_path / "runs.db"))
    conversation = few()[1][0]
    lines = tmp_path / "theirs.jsonl"
    lines.write_text(json.dumps({"conversation": conversation.id, "turn": 0, "answer": 642.3}) + "\n")
    assert typed("runs", "import", str(lines), "--dataset", "sample") == 0
    assert typed("export", "latest", "-o", str(tmp_path / "theirs.eval")) == 0
    log = opened(tmp_path / "theirs.eval")
    _, _, _, right, total = figures(log)["execution"]
    assert (right, total) == (1, sum(len(one.questions) for one in few()[0].conversations))


def test_log_without_the_labelled_file_has_a_notice_and_no_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", str(tmp_path / "runs.db"))
    pages = write_dataset(tmp_path / "pages.json", a_record())
    assert typed("eval", str(pages)) == 0
    moved = pages.rename(tmp_path / "moved.json")
    capfd.readouterr()
    assert typed("export", "latest", "-o", str(tmp_path / "a.eval")) == 0
    assert "no scores" in capfd.readouterr().err
    assert opened(tmp_path / "a.eval").results is None

    assert typed("export", "latest", "-o", str(tmp_path / "b.eval"), "--dataset", str(moved)) == 0
    assert figures(opened(tmp_path / "b.eval"))["execution"][4] > 0


def test_log_of_an_interrupted_run_has_errors_and_no_scores(tmp_path: Path) -> None:
    from model_replies import broken

    store = tmp_path / "runs.db"
    with ModelServer(lambda request: broken(400 + 1)) as server, pytest.raises(RunStoppedError):
        run_ours(f"openai:scripted@{server.url}/v1", str(store))
    assert typed("export", "latest", "-o", str(tmp_path / "a.eval"), "--store", str(store)) == 0
    log = opened(tmp_path / "a.eval")
    assert log.status in ("cancelled", "error")
    assert log.results is None
    assert any(sample.error for sample in log.samples)


def test_non_log_takes_no_labelled_file_and_a_log_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", str(tmp_path / "runs.db"))
    assert typed("run", "sample", "--limit", "1") == 0
    file = tmp_path / "there.eval"
    file.write_text("mine")
    capfd.readouterr()
    assert typed("export", "latest", "-o", str(file)) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert file.read_text() == "mine"
    assert typed("export", "latest", "-o", str(tmp_path / "a.csv"), "--dataset", "sample") == 2
    assert "--format inspect" in capfd.readouterr().err
