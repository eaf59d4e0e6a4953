"""`quaestor export` writes a file in the format of its suffix that other programs can open."""

import sys
from pathlib import Path

import pytest
from command_line import PreparedFolder, exit_code

NORD = "sample#NORD/2012/page_41.pdf"


@pytest.fixture
def folder(
    tmp_path: Path, prepared: PreparedFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Path:
    monkeypatch.setenv("QUAESTOR_STORE", f"sqlite:///{tmp_path}/runs.db")

    def ask() -> str:
        questions = "what were net sales of power cables in 2012?", "and in 2011?", "what was the change?"
        assert exit_code("ask", NORD, *questions) == 0
        return capfd.readouterr().out

    prepared.fill(tmp_path, ask)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "answers.doc"], "quaestor: "),
        (["-o", "answers.csv", "--conversation", "other"], "'other'"),
        (["-o", "runs.db", "--format", "csv"], "runs.db"),
    ],
)
def test_invalid_export_gives_a_one_line_error_and_writes_nothing(
    words: list[str], message: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = {file: file.stat().st_size for file in folder.iterdir()}
    assert exit_code("export", "latest", *words) == 2
    error = capfd.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1
    assert {file: file.stat().st_size for file in folder.iterdir()} == before


def test_existing_file_is_not_overwritten(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.csv").write_text("mine")
    assert exit_code("export", "latest", "-o", str(folder / "a.csv")) == 2
    assert (folder / "a.csv").read_text() == "mine"
    assert exit_code("export", "latest", "-o", str(folder / "a.csv"), "--force") == 0


def test_inspect_export_names_the_missing_extra(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    for words in (["a.eval"], ["a.json", "--format", "inspect"]):
        assert exit_code("export", "latest", "--output", str(folder / words[0]), *words[1:]) == 2
        assert "pip install 'quaestor[inspect]'" in capfd.readouterr().err
    assert not list(folder.glob("a.*"))


TABLE = "Results \x1b]0;pwn\x07\u202e\n\n| | 2023 |\n|---|---|\n| net \x9b31m\u2066sales \u202a | 120 |\n"


@pytest.fixture
def filing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Path:
    """A filing in the current folder with an answered question; both contain terminal control sequences."""
    monkeypatch.setenv("QUAESTOR_STORE", f"sqlite:///{tmp_path}/runs.db")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "in.md"
    path.write_text(TABLE)
    assert exit_code("ask", "in.md", "net sales in 2023 \x1b]0;pwn\x07 \u202e?") == 0
    capfd.readouterr()
    return path


@pytest.mark.parametrize("spelling", ["in.md", "./in.md", "folder/../in.md", "link.md", "hard.md", "absolute"])
def test_export_never_replaces_the_filing(spelling: str, filing: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (filing.parent / "folder").mkdir()
    (filing.parent / "link.md").symlink_to(filing)
    (filing.parent / "hard.md").hardlink_to(filing)
    output = str(filing) if spelling == "absolute" else spelling
    for format in ("markdown", "html"):
        assert exit_code("export", "latest", "--output", output, "--format", format, "--force") == 2
        assert "cannot write" in capfd.readouterr().err
    assert filing.read_text() == TABLE


def test_filing_is_found_from_another_folder(
    filing: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    elsewhere = filing.parent / "elsewhere"
    elsewhere.mkdir()
    store = str(filing.parent / "s.db")
    assert exit_code("ask", filing.name, "net sales in 2023", "--store", store) == 0
    monkeypatch.chdir(elsewhere)
    (elsewhere / "link.md").symlink_to(filing)
    for output in (f"../{filing.name}", "link.md", str(filing)):
        command = ("export", "latest", "--store", store, "--output", output, "--format", "markdown")
        assert exit_code(*command, "--force") == 2
        assert "cannot write" in capfd.readouterr().err
    assert filing.read_text() == TABLE
    assert exit_code("export", "latest", "--store", store, "--output", filing.name, "--format", "markdown") == 0
    assert (elsewhere / filing.name).exists()
