"""`quaestor runs show` of a run of the workflow: how its plans went."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Quaestor
from made_up import a_record, write_dataset
from model_server import ModelServer
from workflow_bench import plan, saying, table

from quaestor.cli.render_runs import figure_lines


@pytest.fixture
def server(local_models: None) -> Iterator[ModelServer]:
    right = plan(table(1, "net revenue", "2008"))
    missed = plan(table(1, "goodwill", "2008"))
    with ModelServer(saying([right, missed, right, missed, missed])) as running:
        yield running


def test_a_run_shows_how_its_plans_went(quaestor: Quaestor, server: ModelServer, tmp_path: Path) -> None:
    Path("quaestor.toml").write_text(
        f'[models.scripted]\nbase_url = "{server.url}/v1"\n[solvers.workflow]\nrepairs = 1\n'
    )
    questions = ("what was it?", "and what is that?", "and this?")
    record = a_record(questions=questions, programs=("206588",) * 3, answers=(206588.0,) * 3, displays=("206588",) * 3)
    write_dataset(tmp_path / "pages.json", record)
    started = quaestor("run pages.json --solver workflow --model scripted")
    assert started.code == 0, started.err
    shown = quaestor("runs show latest").out
    assert "33.3 %" in shown
    assert "1.67 requests" in shown
    figures = json.loads(quaestor("runs show latest --json").out)["plans"]
    assert (figures["turns"], figures["first_try"], figures["repaired"], figures["failed"]) == (3, 1, 1, 1)
    assert (figures["mean_steps"], figures["empty_fields"], figures["tokens_a_turn"]) == (1.0, 0, 25)
    one = quaestor(f"runs turn latest '{record['id']}' 2").out
    assert "'goodwill'" in one
    assert "plan 2: " in one


def test_every_solvers_run_shows_time_calls_tokens_and_how_its_plans_went(quaestor: Quaestor, pages: Path) -> None:
    quaestor("run pages.json")
    shown = quaestor("runs show latest").out
    assert "83.3 %" in shown
    assert "0.00 requests, 0 tokens, 0.00 tool calls" in shown
    assert "steps:" not in shown
    found = json.loads(quaestor("runs show latest --json").out)
    assert "plans" not in found
    figures = found["figures"]
    assert (figures["turns"], figures["first_try"], figures["failed"], figures["verified"]) == (6, 5, 1, 5)
    assert figures["mean_seconds"] >= 0
    assert figures["p95_seconds"] >= 0
    assert figure_lines(None, {}) == {}
