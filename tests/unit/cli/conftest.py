import shlex
from pathlib import Path

import pytest
from command_line import Outcome, PreparedFolder, Quaestor, exit_code
from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from stand_in import stand_in


@pytest.fixture
def quaestor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], scripted_solver: None
) -> Quaestor:
    """Run the command line in an empty folder, with the scripted solver under the name of the embedded one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    for name in ("DEBUG", "STORE", "SOLVER", "WORKERS"):
        monkeypatch.delenv(f"QUAESTOR_{name}", raising=False)

    def run(line: str, *more: str) -> Outcome:
        code = exit_code(*shlex.split(line), *more)
        printed = capfd.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedFolder:
    return PreparedFolder(tmp_path_factory.mktemp("prepared") / "kept")


@pytest.fixture
def scripted_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, ScriptedSolver)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Two conversations about one page: the first all right, the second with a wrong and a failed turn."""
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
