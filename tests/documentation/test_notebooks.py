"""Every notebook of examples/ runs and passes the type checker."""

import subprocess
import sys
from pathlib import Path

import pytest
from fenced import ROOT
from notebooks import NOTEBOOKS, code, read, run

pytestmark = pytest.mark.slow


def test_notebooks_exist() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.very_slow
def test_notebook_runs(path: Path, tmp_path: Path) -> None:
    run(path, tmp_path)
    assert not (path.parent / ".quaestor").exists()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.very_slow
def test_notebook_passes_mypy(path: Path, tmp_path: Path) -> None:
    (tmp_path / "cells.py").write_text(code(read(path)), encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", tmp_path / "cells.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
