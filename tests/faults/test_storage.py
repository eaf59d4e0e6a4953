"""Locked, damaged and newer stores, a full disk, a clock that jumps, and two processes on one run."""

import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from command_line import exit_code
from killing import PROGRAM, complete_conversations, files_come_to, runs_come_to

from quaestor.store import sqlite

pytestmark = pytest.mark.faults

# Twenty conversations need more space than the full disks of these tests have.
RUN = ("run", "sample", "--limit", "20", "--workers", "1", "--store", "runs.db")
WRITING = [
    RUN,
    ("eval", "sample", "--workers", "1", "--store", "runs.db"),
    ("ask", "sample#QUIL/2007/page_88.pdf", "what were net sales in 2007?", "--store", "runs.db", "--keep"),
    ("kg", "build", "sample", "--store", "runs.db"),
    ("ontology", "build", "sample", "--store", "runs.db"),
    ("runs", "import", "theirs.jsonl", "--dataset", "sample", "--store", "runs.db"),
]


def quaestor(folder: Path, *arguments: str, largest: int | None = None, first: str = "") -> tuple[int, str, str]:
    """Run a command in its own process; `largest` limits the size of every file."""

    def limit() -> None:
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    done = subprocess.run(
        [sys.executable, "-c", first + PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=limit,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run_in_process(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> tuple[int, str]:
    """Run a command in this process, and return its exit code and stderr."""
    code = exit_code(*arguments)
    return code, capsys.readouterr().err


@pytest.fixture(scope="module")
def reference_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store in which the sample was run without faults."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert quaestor(folder, *RUN)[0] == 0
    return folder


@pytest.mark.very_slow
@pytest.mark.parametrize("largest", [40_000, 300_000])
def test_full_disk_is_a_one_line_error_and_finished_conversations_are_kept(
    largest: int, tmp_path: Path, reference_folder: Path
) -> None:
    code, out, err = quaestor(tmp_path, *RUN, largest=largest)
    assert (code, out) == (2, ""), err
    assert err.splitlines()[-1].startswith("quaestor: cannot ")
    assert "Traceback" not in err
    before = complete_conversations(tmp_path)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ontology_store = store.execute("SELECT count(*) FROM sqlite_master WHERE name = 'runs'").fetchone()[0]
        ontology_store = ontology_store and store.execute("SELECT count(*) FROM runs").fetchone()[0]
    assert ("--resume " in err) == bool(ontology_store)
    code, _, err = quaestor(tmp_path, *RUN, *(["--resume", "latest"] if ontology_store else []))
    assert code == 0, err
    after = complete_conversations(tmp_path)
    assert {key: after[key] for key in before} == before
    assert runs_come_to(tmp_path) == runs_come_to(reference_folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a separate disk of 400 KB; skip the test without permission to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], check=False).returncode
    ):
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.very_slow
def test_run_on_a_small_disk_can_be_resumed_with_more_space(small_disk: Path, reference_folder: Path) -> None:
    code, out, err = quaestor(small_disk, *RUN)
    assert (code, out) == (2, ""), err
    assert err.splitlines()[-1].startswith("quaestor: cannot ")
    assert "--resume " in err
    before = complete_conversations(small_disk)
    assert before
    subprocess.run(["mount", "-o", "remount,size=40m", small_disk], check=True)
    code, _, err = quaestor(small_disk, *RUN, "--resume", "latest")
    assert code == 0, err
    after = complete_conversations(small_disk)
    assert {key: after[key] for key in before} == before
    assert runs_come_to(small_disk) == runs_come_to(reference_folder)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file here is always full")
def test_printing_to_a_full_disk_is_a_one_line_error(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "--help"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert (done.stderr.count("\n"), "No space left on device" in done.stderr) == (1, True)


@pytest.mark.very_slow
def test_incomplete_export_is_removed(tmp_path: Path, reference_folder: Path) -> None:
    shutil.copy(reference_folder / "runs.db", tmp_path)
    export = ("export", "latest", "-o", "all.json", "--store", "runs.db")
    code, _, err = quaestor(tmp_path, *export, largest=36_000)  # SQLite memory-maps 32 KB
    assert (code, "all.json" in err, err.count("\n")) == (2, True, 1)
    assert [file.name for file in tmp_path.iterdir() if "json" in file.name] == []
    assert quaestor(tmp_path, *export)[0] == 0
    assert quaestor(reference_folder, *export)[0] == 0
    assert files_come_to("all.json")(tmp_path) == files_come_to("all.json")(reference_folder)


@pytest.fixture
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.jsonl").write_text(
        json.dumps({"conversation": "Single_QUIL/2007/page_88.pdf-1", "turn": 0, "answer": 1}) + "\n"
    )
    return tmp_path


@pytest.fixture(scope="module")
def ontology_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that contains an ontology."""
    file = tmp_path_factory.mktemp("begun") / "runs.db"
    assert exit_code("ontology", "build", "sample", "--store", str(file)) == 0
    return file


@pytest.mark.parametrize("command", WRITING, ids=lambda command: command[0])
@pytest.mark.parametrize("how", ["newer", "damaged", "another's"])
def test_unusable_store_is_a_one_line_error_and_is_not_changed(
    how: str, command: Sequence[str], ontology_store: Path, work_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if how == "damaged":
        (work_folder / "runs.db").write_bytes(random.Random(1).randbytes(50_000))
    else:
        shutil.copy(ontology_store, work_folder)
        with closing(sqlite3.connect(work_folder / "runs.db")) as store:
            store.execute("PRAGMA user_version = 999" if how == "newer" else "PRAGMA application_id = 7")
            store.commit()
    before = (work_folder / "runs.db").read_bytes()
    code, err = run_in_process(capsys, command)
    assert code == (0 if command[0] == "ask" else 2)  # the answer is shown anyway, with a warning that it is not stored
    words = {"newer": "has schema version 999", "damaged": "not a SQLite database", "another's": "of another program"}
    assert words[how] in (err if command[0] == "ask" else err.splitlines()[-1])
    assert (work_folder / "runs.db").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING, ids=lambda command: command[0])
def test_locked_store_is_reported_after_a_wait(
    command: Sequence[str],
    ontology_store: Path,
    work_folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copy(ontology_store, work_folder)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(work_folder / "runs.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        code, err = run_in_process(capsys, command)
        other.execute("ROLLBACK")
    if command[0] == "ask":  # the answer is shown, with a warning that it is not stored
        assert "quaestor: " in err
        return
    if command[0] == "ontology":  # the ontology is already in the store
        return
    assert code == 2
    assert err.splitlines()[-1].startswith("quaestor: ")


JUMPS = """
import itertools, random
from datetime import timedelta
import quaestor.store.records as records
draw, true_now = random.Random(3), records.now
records.now = lambda: true_now() + timedelta(seconds=draw.choice([0, 0, 0, -86400, 3600, -5, 10**8]))
"""


@pytest.mark.very_slow
def test_clock_jumps_change_no_answer(tmp_path: Path, reference_folder: Path) -> None:
    code, out, err = quaestor(tmp_path, *RUN, first=JUMPS)
    assert code == 0, err
    assert runs_come_to(tmp_path) == runs_come_to(reference_folder)
    assert quaestor(tmp_path, "runs", "show", out.strip(), "--store", "runs.db")[0] == 0


@pytest.mark.very_slow
def test_two_processes_resuming_one_run_run_each_conversation_once(tmp_path: Path, reference_folder: Path) -> None:
    shutil.copy(reference_folder / "runs.db", tmp_path)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store:
        store.execute("UPDATE examples SET status = 'running' WHERE rowid % 4 > 0")
        store.execute("UPDATE runs SET status = 'running', finished = NULL")
        store.commit()
    command = [sys.executable, "-c", PROGRAM, *RUN, "--resume", "latest"]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    ended = [(one.communicate(timeout=300), one.returncode) for one in both]
    assert 0 in [code for _, code in ended], ended
    assert all("Traceback" not in err for (_, err), _ in ended)
    assert runs_come_to(tmp_path) == runs_come_to(reference_folder)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store:
        twice = store.execute(
            "SELECT conversation FROM examples GROUP BY run, conversation HAVING count(*) > 1"
        ).fetchall()
        assert (twice, store.execute("PRAGMA integrity_check").fetchall()) == ([], [("ok",)])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_a_one_line_error(work_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work_folder.chmod(0o500)
    try:
        code, err = run_in_process(capsys, RUN)
    finally:
        work_folder.chmod(0o700)
    assert code == 2
    assert err.splitlines()[-1].startswith("quaestor: ")
    assert "runs.db" in err
