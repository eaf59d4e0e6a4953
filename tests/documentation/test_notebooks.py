"""Every notebook of examples/ runs, and shows in the repository what comes out; checkers of types read it too."""

import subprocess
import sys
from pathlib import Path

import pytest
from fenced import ROOT
from notebooks import NOTEBOOKS, code, outputs, read, run

pytestmark = pytest.mark.slow

ANEW = "what comes out has changed: look at it, then write it by python tests/support/notebooks.py"


def test_there_is_one() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_shows_what_comes_out(path: Path, tmp_path: Path) -> None:
    assert outputs(run(path, tmp_path)) == outputs(read(path)), ANEW
    assert not (path.parent / ".quaestor").exists()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_mypy_finds_nothing_wrong_with_it(path: Path, tmp_path: Path) -> None:
    (tmp_path / "cells.py").write_text(code(read(path)), encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", tmp_path / "cells.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
