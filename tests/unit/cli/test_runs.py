"""`quaestor runs`: lists, figures, scores, stages and traces."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, refused
from made_up import a_record, write_dataset
from model_server import ModelServer
from workflow_bench import plan, script_of, table

from quaestor.application import score_service
from quaestor.application.live_traces import trace_name
from quaestor.store.sqlite import SqliteStore


def test_runs_are_listed_with_whole_ids_on_a_narrow_terminal(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = quaestor("run pages.json").out.strip()
    shown = quaestor("runs list").out
    assert run in shown
    assert "pages.json" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_run_and_its_failures_are_shown(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record("Single_NORD/2012/page_41.pdf-2", questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "broken.json", a_record(), broken)
    run = quaestor("run broken.json").out.strip()
    shown = quaestor("runs show latest").out
    assert f"run:           {run}" in shown
    assert "status:        failed" in shown
    assert "1 complete, 1 failed" in shown
    assert "Single_NORD/2012/page_41.pdf-2: KeyError: 'a defect'" in shown
    found = json.loads(quaestor(f"runs show {run} --json").out)
    assert [example["status"] for example in found["examples"]] == ["complete", "failed"]


def test_unique_id_prefix_selects_a_run(quaestor: Quaestor, pages: Path) -> None:
    runs = [quaestor("run pages.json").out.strip() for _ in range(2)]
    assert quaestor(f"runs show {runs[0]}").code == 0
    assert f"run:           {runs[0]}" in quaestor(f"runs show {runs[0][:-1]}").out
    assert "'2'" in refused(quaestor("runs show 2"))


def test_runs_are_deleted_after_confirmation(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (quaestor("run pages.json").out.strip() for _ in range(3))
    for reply in ("n\n", "\n", ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(reply))
        deleted = quaestor(f"runs delete {first} latest")
        assert deleted.code == 0
        assert "2 runs" in deleted.err
        assert first in deleted.out
    assert len(json.loads(quaestor("runs list --json").out)) == 3
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    # A run that is named twice is deleted once.
    gone = quaestor(f"runs delete {third} latest {third[:-1]}")
    assert gone.code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert quaestor(f"runs delete --yes {first}").err == ""
    assert [record["id"] for record in json.loads(quaestor("runs list --json").out)] == [second]
    assert quaestor(f"runs show {first}").code == 2


def test_no_run_is_deleted_if_one_is_missing(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    assert "nosuch" in refused(quaestor(f"runs delete --yes {run} nosuch"))
    assert quaestor(f"runs show {run}").code == 0


@pytest.fixture
def server(local_models: None) -> Iterator[ModelServer]:
    right = plan(table(1, "net revenue", "2008"))
    missed = plan(table(1, "goodwill", "2008"))
    with ModelServer(script_of([right, missed, right, missed, missed])) as running:
        yield running


def test_run_shows_outcomes_of_its_plans(quaestor: Quaestor, server: ModelServer, tmp_path: Path) -> None:
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


TABLES = '[solvers.reflection]\nexpert = "embedded"\nmax_iterations = 1\n'
STAGES = "--solver cascade --option stages=embedded,reflection"


def test_stages_of_a_run_are_shown_with_its_figures(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text(TABLES, encoding="utf-8")
    outcome = quaestor(f"run {pages} {STAGES} --option thresholds=0.5")
    assert outcome.code == 0, outcome.err
    run = outcome.out.strip()

    shown = quaestor(f"runs show {run}")
    lines = {line.partition(":")[0]: line.partition(":")[2].strip() for line in shown.out.splitlines()}
    assert "0.0 %" in lines["stage 1"]
    assert lines["stage 2"].startswith("reflection answered ")

    result = json.loads(quaestor(f"runs show {run} --json").out)
    first, second = result["stages"]
    assert (first["solver"], first["stage"], first["answered"], first["usage"]) == ("scripted", 1, 0, {})
    assert second["asked"] == first["asked"] == result["figures"]["turns"]
    assert result["spec"]["solver_options"]["stages_options"] == {
        "reflection": {"always_answer": True, "expert": "embedded", "max_iterations": 1}
    }


FIRST_TRACE = "Single_NORD%2F2012%2Fpage_41.pdf-1.jsonl"
SECOND_TRACE = "Single_NORD%2F2012%2Fpage_41.pdf-2.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("command", ["run pages.json", "eval pages.json"])
def test_run_writes_a_trace_file_per_conversation(quaestor: Quaestor, pages: Path, command: str) -> None:
    assert quaestor(f"{command} --traces traces").code == 0
    assert sorted(path.name for path in Path("traces").iterdir()) == [FIRST_TRACE, SECOND_TRACE]
    traced = lines(Path("traces") / SECOND_TRACE)
    (run,) = json.loads(quaestor("runs list --json").out)
    assert {line["run"] for line in traced} == {run["id"]}
    assert [(line["what"], line["turn"]) for line in traced] == [
        *((what, turn) for turn in range(3) for what in ("asked", "happened", "answered")),
        ("ended", None),
    ]
    first, second, _ = (line for line in traced if line["what"] == "answered")
    assert (first["number"], second["number"]) == ("13.7", None)
    assert (first["kind"], second["kind"], first["answerable"]) == ("number", "none", None)
    assert second["error"].startswith("SolverError")
    assert traced[1]["event"]["kind"] == "note"
    assert [line["at"] for line in traced] == sorted(line["at"] for line in traced)


def test_interrupted_run_is_stored_up_to_the_interruption(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("ask pages.json --no-keep --traces traces", "cell 1 1", "break").code == 1
    traced = lines(Path("traces") / "NORD%2F2012%2Fpage_41.pdf.jsonl")
    assert [line["what"] for line in traced] == ["asked", "happened", "answered", "asked", "happened", "ended"]
    assert traced[-1]["error"].startswith("KeyError")


def test_existing_trace_is_kept_without_force(quaestor: Quaestor, pages: Path) -> None:
    Path("traces").mkdir()
    there = Path("traces") / FIRST_TRACE
    there.write_text("mine")
    refused(quaestor("run pages.json --traces traces"))
    assert there.read_text() == "mine"
    assert quaestor("run pages.json --traces traces --force").code == 0
    assert lines(there)[-1]["what"] == "ended"


def test_unwritable_trace_leaves_no_run_marked_as_running(quaestor: Quaestor, pages: Path) -> None:
    refused(quaestor("ask pages.json --traces /dev/null/traces", "cell 1 1"))
    assert [run["status"] for run in json.loads(quaestor("runs list --json").out)] == ["stopped"]


def test_trace_file_names_are_valid_and_unique() -> None:
    assert len({trace_name(id) for id in ("a/b", "a_b", "a%2Fb", "a%252Fb")}) == 4
    long, other = trace_name("x/" * 300), trace_name("x/" * 300 + "y")
    assert long != other
    assert max(len(long), len(other)) < 230
    assert not trace_name("../up").startswith(".")


SECOND = "Single_NORD/2012/page_41.pdf-2"


def test_eval_and_score_save_a_score_that_runs_shows(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    assert "score:" not in quaestor("runs show latest").out
    assert json.loads(quaestor("runs list --json").out)[0]["score"] is None
    assert quaestor("score latest pages.json").code == 0
    shown = quaestor("runs show latest").out
    assert "4 of 6" in shown
    assert "1 of 2" in shown
    assert "3.0" in shown
    assert "66.7 %" in quaestor("runs list").out
    assert json.loads(quaestor("runs list --json").out)[0]["score"]["correct_answers"] == 4
    found = json.loads(quaestor(f"runs show {run} --json").out)
    (score,) = found["scores"]
    assert (score["dataset"], score["dataset_digest"]) == ("pages.json", found["dataset_digest"])
    assert (score["metrics"]["execution"]["correct"], score["metrics"]["execution"]["total"]) == (4, 6)
    assert {"low", "high", "pages", "value"} <= score["metrics"]["execution"].keys()
    assert [example["score"]["failed_turns"] for example in found["examples"]] == [[], [1, 2]]


def test_a_turn_is_shown_with_its_verdict(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    assert "verdict:" not in quaestor(f"runs turn latest {SECOND} 1").out
    assert json.loads(quaestor(f"runs turn latest {SECOND} 1 --json").out)["verdict"] is None
    assert quaestor("score latest pages.json").code == 0
    assert "verdict:" in quaestor(f"runs turn latest {SECOND} 1").out
    verdict = json.loads(quaestor(f"runs turn latest {SECOND} 3 --json").out)["verdict"]
    assert verdict == {"correct": False, "program_correct": False}


def test_scores_are_deleted_with_their_run(quaestor: Quaestor, pages: Path) -> None:
    import sqlite3

    assert quaestor("eval pages.json").code == 0
    assert quaestor("runs delete latest --yes").code == 0
    db = sqlite3.connect(".quaestor/runs.db")
    for name in ("scores", "scored_examples", "scored_turns"):
        assert db.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)
    db.close()


def test_score_of_a_large_run_lists_errors(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quaestor("eval pages.json").code == 0
    small, words = json.loads(quaestor("runs failures latest --json").out), quaestor("runs failures latest").out
    monkeypatch.setattr(score_service, "LARGE", 1)
    large = json.loads(quaestor("runs failures latest --json").out)
    assert large == {**small, "turns": [{**turn, "gold": None, "gold_program": None} for turn in small["turns"]]}
    gold = [line for line in words.splitlines() if not line.startswith(("  reference", "  ref. program"))]
    assert quaestor("runs failures latest").out.splitlines() == gold
    assert "reference:" in quaestor("runs failures latest --dataset pages.json").out
    assert quaestor("runs failures latest --full").out.count("interpretation:") == 2


def test_first_wrong_turns_are_shown_with_the_number_of_others(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quaestor("eval pages.json").code == 0
    for least in (1000, 1):
        monkeypatch.setattr(score_service, "LARGE", least)
        shown = quaestor("runs failures latest --limit 1").out
        assert "--limit 2" in shown
        assert "turn 2: fail" in shown
        assert "turn 3: cell 2 2" not in shown
        assert "2 of 6" in shown
        found = json.loads(quaestor("runs failures latest --json --limit 1").out)
        assert (len(found["turns"]), sum(found["causes"].values())) == (1, 2)


def test_only_shown_turns_are_read(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quaestor("eval pages.json").code == 0
    shown = quaestor("runs show latest").out
    monkeypatch.setattr(score_service, "LARGE", 1)

    async def refused(*_: object) -> None:
        raise AssertionError("all turns were read")

    monkeypatch.setattr(SqliteStore, "turns", refused)
    assert quaestor("runs show latest").out == shown
    assert "turns:         6" in shown
    assert "2 of 6" in quaestor("runs failures latest").out
