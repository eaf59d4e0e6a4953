"""The wheel contains every file that the program reads: types, templates, weights, the core and the sample."""

import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_built_wheel_has_every_file_of_the_package(tmp_path: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    (built,) = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = set(zipfile.ZipFile(built).namelist())
    package = ROOT / "src" / "quaestor"
    files = {
        f"quaestor/{file.relative_to(package).as_posix()}"
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert files - names == set()
    kinds = {Path(name).suffix for name in files}
    assert "quaestor/py.typed" in files
    assert {".py", ".json", ".ttl"} <= kinds
    assert [name for name in files if name.startswith("quaestor/prompts/") and not name.endswith(".py")]
    assert [name for name in files if name.startswith("quaestor/solvers/embedded/weights/")]
    assert [name for name in files if name.startswith("quaestor/sample/") and not name.endswith(".py")]
