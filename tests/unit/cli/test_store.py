import io
import json
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Quaestor, command_line


@pytest.fixture
def quaestor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Quaestor:
    """Run the command line in a folder with a store that contains a run of the sample."""
    run = command_line(tmp_path, monkeypatch, capfd)
    monkeypatch.setenv("QUAESTOR_STORE", "runs.db")
    assert run("run sample --limit 1 --workers 1").code == 0
    return run


def ids(quaestor: Quaestor) -> list[str]:
    return [run["id"] for run in json.loads(quaestor("runs list --json").out)]


def test_check_reports_intact_and_damaged_stores(quaestor: Quaestor) -> None:
    checked = quaestor("store check")
    assert checked.code == 0, checked.err
    result = json.loads(quaestor("store check --json").out)
    assert (result["problems"], result["unused"], len(result["digest"])) == ([], 0, 64)
    assert result["digest"] in checked.out
    with closing(sqlite3.connect("runs.db")) as db:
        db.execute("DELETE FROM turns")
        db.commit()
    checked = quaestor("store check")
    assert checked.code == 1
    assert len(json.loads(quaestor("store check --json").out)["problems"]) == 1


def test_copy_is_reported_with_its_digest(quaestor: Quaestor) -> None:
    assert quaestor("score latest sample").code == 0
    digest = json.loads(quaestor("store check --json").out)["digest"]
    copied = quaestor("store copy runs.db copies/runs.db")
    assert copied.code == 0, copied.err
    assert f"{digest}" in copied.out
    assert json.loads(quaestor("store check --store copies/runs.db --json").out)["digest"] == digest
    assert quaestor("runs list --store copies/runs.db --json").out == quaestor("runs list --json").out
    missing = quaestor("store copy nowhere.db copies/runs.db")
    assert missing.code != 0
    assert missing.err.count("\n") == 1
    assert not Path("nowhere.db").exists()


@pytest.mark.slow
def test_vacuum_deletes_old_runs_and_frees_space(quaestor: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quaestor("run sample --limit 1 --workers 1").code == 0
    new, old = ids(quaestor)
    with closing(sqlite3.connect("runs.db")) as db:
        ended = (datetime.now(UTC) - timedelta(days=9)).isoformat(timespec="milliseconds")
        db.execute("UPDATE runs SET finished = ? WHERE id = ?", (ended, old))
        db.commit()
    assert quaestor("store vacuum --older-than 10 --yes").code == 0
    assert ids(quaestor) == [new, old]
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # an empty stdin declines the confirmation
    quaestor("store vacuum --older-than 8")
    assert ids(quaestor) == [new, old]
    done = quaestor("store vacuum --older-than 8 --yes")
    assert done.code == 0
    assert ids(quaestor) == [new]
    assert quaestor("store check").code == 0
