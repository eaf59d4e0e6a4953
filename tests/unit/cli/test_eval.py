"""`quaestor run`, `eval` and `score`: figures, selected conversations, interrupted and resumed runs."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, one_line, refused
from made_up import a_record, write_dataset

from quaestor.application.run_service import find_run
from quaestor.errors import InputError, UnknownRunError
from quaestor.store.base import open_store


def run_id(err: str) -> str:
    (line,) = [line for line in err.splitlines() if line.startswith("run ")]
    return line.removeprefix("run ")


def test_output_has_one_object_per_turn(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("eval pages.json --output turns.jsonl").code == 0
    turns = [json.loads(line) for line in Path("turns.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(turn["conversation"][-1], turn["turn"]) for turn in turns] == [
        ("1", 0), ("1", 1), ("1", 2), ("2", 0), ("2", 1), ("2", 2)
    ]  # fmt: skip
    change = turns[2]
    assert change["cause"] is None
    assert (change["answer"], change["gold"], change["correct"], change["program_correct"]) == (
        -25587, -25587.0, True, True
    )  # fmt: skip
    assert change["question"] == "change"
    assert change["program"] == change["gold_program"] == "subtract(181001, 206588)"
    assert [(s["place"], s["text"]) for s in change["sources"]] == [
        ("net revenue | 2007", "181001"),
        ("net revenue | 2008", "206588"),
    ]
    assert turns[3]["answer"] == 13.7
    failed = turns[4]
    assert (failed["answer"], failed["program"], failed["correct"], failed["sources"]) == (None, None, False, [])
    assert failed["error"].startswith("SolverError: ")


def test_run_and_score_equal_eval(quaestor: Quaestor, pages: Path) -> None:
    whole = json.loads(quaestor("eval pages.json --json").out)["score"]
    run = quaestor("run pages.json")
    assert run.code == 0
    halves = quaestor(f"score {run.out.strip()} pages.json --json")
    assert json.loads(halves.out)["score"] == whole
    assert json.loads(quaestor("score latest pages.json --json").out)["run"] == run.out.strip()


def test_complete_run_is_not_rerun(quaestor: Quaestor, pages: Path) -> None:
    run = run_id(quaestor("eval pages.json").err)
    again = quaestor(f"eval pages.json --resume {run[:-2]}")
    assert run_id(again.err) == run
    assert len(json.loads(quaestor("runs list --json").out)) == 1


def test_outage_leaves_the_run_unscored_and_explains_how_to_resume(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "down.json", a_record(questions=("cell 1 1", "down", "change")))
    outcome = quaestor("eval down.json")
    assert outcome.code == 1
    assert "1 of 1" in one_line(outcome)
    run = json.loads(quaestor("runs list --json").out)[0]
    assert f"--resume {run['id']}" in outcome.err
    assert run["status"] == "stopped"


def test_solver_error_counts_as_wrong(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record("Single_NORD/2012/page_41.pdf-2", questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "broken.json", a_record(), broken)
    outcome = quaestor("eval broken.json --json")
    assert outcome.code == 0
    assert "page_41.pdf" in outcome.err
    figure = json.loads(outcome.out)["score"]["execution"]
    assert (figure["correct"], figure["total"]) == (4, 6)


def test_file_other_than_that_of_the_run_is_refused(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    write_dataset(tmp_path / "other.json", a_record())
    assert "pages.json" in refused(quaestor(f"score {run} other.json"))


NAMES = [f"Single_NORD/2012/page_41.pdf-{number}" for number in range(1, 9)]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "many.json", *map(a_record, NAMES))


def latest_run(quaestor: Quaestor) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(quaestor("runs show latest --json").out)
    return found


def conversation_ids(quaestor: Quaestor) -> list[str]:
    return [example["conversation"] for example in latest_run(quaestor)["examples"]]


def test_one_conversation_is_run_and_scored(quaestor: Quaestor, many: Path) -> None:
    evaluated = quaestor(f"eval many.json --conversation {NAMES[4]} --json")
    assert evaluated.code == 0, evaluated.err
    assert json.loads(evaluated.out)["score"]["conversations"]["total"] == 1
    assert conversation_ids(quaestor) == [NAMES[4]]
    assert latest_run(quaestor)["spec"]["selection"]["conversations"] == [NAMES[4]]
    assert json.loads(quaestor("score latest many.json --json").out)["score"]["execution"]["total"] == 3
    assert "0 of 3" in quaestor("runs failures latest").out


def test_run_is_resumed_only_with_the_same_selection(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record(NAMES[0], questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "many.json", broken, *map(a_record, NAMES[1:]))
    run = quaestor(f"run many.json --conversation {NAMES[1]} --conversation {NAMES[0]}").out.strip()
    resumed = quaestor(f"run many.json --conversation {NAMES[0]} --conversation {NAMES[1]} --resume {run}")
    assert (resumed.code, resumed.out.strip()) == (0, run)
    sample = quaestor("run many.json --sample 2").out.strip()
    assert quaestor(f"run many.json --sample 2 --seed 0 --resume {sample}").out.strip() == sample
    refused(quaestor(f"run many.json --sample 2 --seed 1 --resume {sample}"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--conversation nosuch", "'nosuch'"),
        ("--sample 2 --limit 2", "quaestor: "),
        (f"--sample 2 --conversation {NAMES[0]}", "quaestor: "),
        (f"--limit 2 --conversation {NAMES[0]}", "quaestor: "),
        ("--seed 2", "quaestor: "),
        ("--limit 2 --seed 2", "quaestor: "),
        ("--sample 2 --seed 99999999999999999999", "quaestor: "),
        ("--sample 99999999999999999999", "quaestor: "),
        ("--limit 99999999999999999999", "quaestor: "),
    ],
)
@pytest.mark.parametrize("command", ["run", "eval"])
def test_invalid_selection_gives_a_one_line_error(
    quaestor: Quaestor, many: Path, command: str, options: str, message: str
) -> None:
    assert message in refused(quaestor(f"{command} many.json {options}"))
    assert not Path(".quaestor").exists()


# The command line with the scripted solver in place of the embedded one.
PROGRAM = """
import signal, pytest, scripted, stand_in, quaestor.cli
# A shell that starts the tests in the background has them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
with pytest.MonkeyPatch.context() as patch:
    stand_in.stand_in(patch, scripted.ScriptedSolver)
    quaestor.cli.main()
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    support = Path(__file__).parents[2] / "support"
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=os.environ | {"PYTHONPATH": str(support)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored_turns() -> int:
    try:
        with sqlite3.connect("file:runs.db?mode=ro", uri=True) as store:
            # DISTINCT, because a conversation that was interrupted is stored again by the next attempt.
            turns = 'SELECT DISTINCT conversation, "index" FROM turns'
            return int(store.execute(f"SELECT count(*) FROM ({turns})").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.very_slow
def test_ctrl_c_explains_how_to_resume_and_resuming_finishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    slow = ("sleep 0.03 cell 1 1", "sleep 0.03 cell 1 2", "change")
    records = [a_record(f"Single_NORD/2012/page_{number}.pdf-1", slow) for number in range(15)]
    write_dataset(tmp_path / "slow.json", *records)
    run = start("eval", "slow.json", "--store", "runs.db", "--workers", "1")
    while stored_turns() < 6:
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    result = stored_turns()
    assert result < 45
    identity = err.split()[-1]

    again = start("eval", "slow.json", "--store", "runs.db", "--workers", "1", "--resume", identity)
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert f"run {identity}" in err
    assert stored_turns() == 45


def test_raises_error_for_the_latest_run_of_an_empty_store() -> None:
    async def look(name: str) -> None:
        async with open_store("sqlite://") as store:
            await find_run(store, name)

    for name in ("latest", "", "2020"):
        with pytest.raises((UnknownRunError, InputError)):
            asyncio.run(look(name))
