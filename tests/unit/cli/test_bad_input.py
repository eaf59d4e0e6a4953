"""Invalid input gives a one-line message and exit code 2, and leaves the store unchanged."""

import os
import sqlite3
from pathlib import Path

import pytest
from command_line import PreparedFolder, Quaestor, one_line, refused
from made_up import a_record, write_dataset


@pytest.fixture
def stored(quaestor: Quaestor, prepared: PreparedFolder, pages: Path, tmp_path: Path) -> bytes:
    def play() -> str:
        assert quaestor("run pages.json").code == 0
        return dumped().decode()

    return prepared.fill(tmp_path, play).encode()


def dumped() -> bytes:
    with sqlite3.connect(".quaestor/runs.db") as store:
        return "\n".join(store.iterdump()).encode()


@pytest.mark.parametrize("command", ["eval", "run", "check"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('[{"id": "Single_NORD/2012/page_41.pdf-1", "table": [["a"', "JSON"),
        ("%!PS-Adobe", "wrong.json"),
        ("", "empty"),
        ('{"hello": 1}', "wrong.json"),
        ("[]", "wrong.json"),
        ("17", "wrong.json"),
    ],
)
def test_reports_a_file_that_is_not_a_dataset(
    quaestor: Quaestor, stored: bytes, command: str, content: str, reason: str
) -> None:
    Path("wrong.json").write_text(content)
    assert reason in refused(quaestor(f"{command} wrong.json"))
    assert dumped() == stored


@pytest.mark.parametrize("command", ["eval", "run", "check", "score latest"])
@pytest.mark.parametrize("name", ["missing.json", "."])
def test_missing_file_or_folder_is_reported(quaestor: Quaestor, stored: bytes, command: str, name: str) -> None:
    assert name in refused(quaestor(f"{command} {name}"))
    assert dumped() == stored


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("pages.json#Single_NORD/2012/page_14.pdf-1", "Single_NORD/2012/page_41.pdf"),
        ("page.json", "'page.json'"),
        ("pages.json#", "DATASET#ID"),
        ("#NORD/2012/page_41.pdf", "DATASET#ID"),
    ],
)
def test_missing_page_is_reported(quaestor: Quaestor, pages: Path, page: str, reason: str) -> None:
    assert reason in refused(quaestor(f"ask {page}", "what is it?"))


@pytest.mark.parametrize(
    ("question", "reason"),
    [("", "quaestor: "), (" \t ", "quaestor: "), ("why " * 25_000, "4,000")],
)
def test_a_question_that_cannot_be_asked(quaestor: Quaestor, pages: Path, question: str, reason: str) -> None:
    assert f"{reason}" in refused(quaestor("ask pages.json#NORD/2012/page_41.pdf", "cell 1 1", question))


@pytest.mark.parametrize("question", ["", "why " * 25_000])
def test_a_question_of_a_file_that_cannot_be_asked(
    quaestor: Quaestor, stored: bytes, tmp_path: Path, question: str
) -> None:
    write_dataset(tmp_path / "odd.json", a_record(questions=("cell 1 1", question, "change")))
    outcome = quaestor("eval odd.json")
    assert outcome.code == 2
    assert len(one_line(outcome)) < 420
    assert dumped() == stored


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("eval pages.json --solver oracle", "'oracle'"),
        ("eval pages.json --store mysql://x", "'mysql'"),
        ("eval pages.json --resume 2020", "2020"),
        ("eval pages.json --limit 0", "--limit"),
        ("eval pages.json --weights nowhere", "--weights"),
        ("eval", "DATASET"),
        ("evl pages.json", "evl"),
        ("eval pages.json --fast", "--fast"),
        ("runs show 1999", "1999"),
        ("score 1999 pages.json", "1999"),
    ],
)
def test_rejects_a_contradictory_command_line(quaestor: Quaestor, stored: bytes, line: str, reason: str) -> None:
    assert reason in refused(quaestor(line))
    assert dumped() == stored


def test_reading_commands_do_not_create_a_store(quaestor: Quaestor, pages: Path) -> None:
    for line in ("runs list", "runs show latest", "score latest pages.json"):
        outcome = quaestor(line)
        assert outcome.code == 2
        assert "quaestor/runs.db" in one_line(outcome)
    assert not Path(".quaestor").exists()


def test_file_that_is_not_a_store_is_reported(quaestor: Quaestor, pages: Path) -> None:
    before = pages.read_bytes()
    refused(quaestor("eval pages.json --store pages.json"))
    assert pages.read_bytes() == before


def test_non_regular_files_are_named_by_kind(quaestor: Quaestor) -> None:
    Path("folder.html").mkdir()
    os.mkfifo("pipe.csv")
    Path("loop").symlink_to("loop")
    for name, what in (("folder.html", "directory"), ("pipe.csv", "pipe"), ("loop", "link")):
        outcome = quaestor(f'find {name} "net sales"')
        assert (outcome.code, what in one_line(outcome)) == (2, True)
