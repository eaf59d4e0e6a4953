"""A cascade from the command line: its options, who answered, and the figures of its stages."""

import json
from pathlib import Path

from command_line import Quaestor, one_line

TABLES = '[solvers.reflection]\nexpert = "embedded"\nmax_iterations = 1\n'
STAGES = "--solver cascade --option stages=embedded,reflection"


def test_the_stages_of_a_run_are_told_with_its_figures(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text(TABLES, encoding="utf-8")
    played = quaestor(f"run {pages} {STAGES} --option thresholds=0.5")
    assert played.code == 0, played.err
    run = played.out.strip()

    shown = quaestor(f"runs show {run}")
    lines = {line.partition(":")[0]: line.partition(":")[2].strip() for line in shown.out.splitlines()}
    assert "0.0 %" in lines["stage 1"]
    assert lines["stage 2"].startswith("reflection answered ")

    told = json.loads(quaestor(f"runs show {run} --json").out)
    first, second = told["stages"]
    assert (first["solver"], first["stage"], first["answered"], first["usage"]) == ("scripted", 1, 0, {})
    assert second["asked"] == first["asked"] == told["figures"]["turns"]
    assert told["spec"]["solver_options"]["stages_options"] == {
        "reflection": {"always_answer": True, "expert": "embedded", "max_iterations": 1}
    }


def test_a_turn_says_which_stage_answered(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text(TABLES, encoding="utf-8")
    run = quaestor(f"run {pages} {STAGES}").out.strip()
    conversation = json.loads(quaestor(f"runs show {run} --json").out)["examples"][0]["conversation"]
    shown = quaestor(f"runs turn {run} {conversation} 1").out
    assert "stage 1, scripted: " in shown
    assert "stage 2, reflection: " in shown


def test_what_does_not_fit_is_one_line(quaestor: Quaestor, pages: Path) -> None:
    failed = quaestor(f"run {pages} --solver cascade --option stages=embedded --model openai:any")
    assert failed.code == 2
    one_line(failed)
