import io
import sys
from pathlib import Path

import pytest
from command_line import Outcome, PreparedFolder, Quaestor, command_line
from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from stand_in import stand_in


@pytest.fixture
def quaestor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], scripted_solver: None
) -> Quaestor:
    """Run the command line in an empty folder, with the scripted solver in place of the embedded one."""
    return command_line(tmp_path, monkeypatch, capfd)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedFolder:
    return PreparedFolder(tmp_path_factory.mktemp("prepared") / "kept")


@pytest.fixture
def scripted_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, ScriptedSolver)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A dataset of two conversations about one page: one answered right, one with a wrong and a failed turn."""
    return write_dataset(
        tmp_path / "pages.json",
        a_record(),
        a_record(
            "Single_NORD/2012/page_41.pdf-2",
            ("cell 3 1", "fail", "cell 2 2"),
            ("13.7", "206588", "435"),
            (13.7, 206588.0, 435.0),
            displays=("13.7%", "206588", "435"),
        ),
    )


@pytest.fixture
def chat(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> Quaestor:
    """Run `quaestor chat` about that page with lines of input."""

    def run(lines: str, *more: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return quaestor("chat pages.json#NORD/2012/page_41.pdf", *more)

    return run
