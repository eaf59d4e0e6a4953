import io
import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset


def test_lists_the_latest_first(quaestor: Quaestor, pages: Path) -> None:
    first, second = (quaestor(line).out.strip() for line in ("run pages.json", "run pages.json --limit 1"))
    listed = [record["id"] for record in json.loads(quaestor("runs list --json").out)]
    assert sorted(listed) == sorted([first, second])
    shown = quaestor("runs list").out
    assert first in shown
    assert second in shown


def test_runs_are_listed_with_whole_ids_on_a_narrow_terminal(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = quaestor("run pages.json").out.strip()
    shown = quaestor("runs list").out
    assert run in shown
    assert "pages.json" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_an_empty_store_says_so(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("runs list --store sqlite://")
    assert run.code == 0


def test_shows_what_a_run_was_and_what_failed(quaestor: Quaestor, tmp_path: Path) -> None:
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


def test_the_beginning_of_an_id_is_enough_where_it_is_one_runs(quaestor: Quaestor, pages: Path) -> None:
    runs = [quaestor("run pages.json").out.strip() for _ in range(2)]
    assert quaestor(f"runs show {runs[0]}").code == 0
    assert f"run:           {runs[0]}" in quaestor(f"runs show {runs[0][:-1]}").out
    outcome = quaestor("runs show 2")
    assert outcome.code == 2
    assert "'2'" in one_line(outcome)


def test_runs_are_deleted_once_a_person_has_said_yes(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (quaestor("run pages.json").out.strip() for _ in range(3))
    for said in ("n\n", "\n", ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(said))
        kept = quaestor(f"runs delete {first} latest")
        assert kept.code == 0
        assert "2 runs" in kept.err
        assert first in kept.out
    assert len(json.loads(quaestor("runs list --json").out)) == 3
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    # A run that is named twice is one.
    gone = quaestor(f"runs delete {third} latest {third[:-1]}")
    assert gone.code == 0
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert quaestor(f"runs delete --yes {first}").err == ""
    assert [record["id"] for record in json.loads(quaestor("runs list --json").out)] == [second]
    assert quaestor(f"runs show {first}").code == 2


def test_nothing_is_deleted_where_one_of_the_runs_is_not_there(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    refused = quaestor(f"runs delete --yes {run} nosuch")
    assert refused.code == 2
    assert "nosuch" in one_line(refused)
    assert quaestor(f"runs show {run}").code == 0
