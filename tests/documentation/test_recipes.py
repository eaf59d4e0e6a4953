"""Follow each recipe of CONTRIBUTING.md in a temporary package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fenced import ROOT, Block, blocks, typed, words
from plugin_package import install_project

RECIPES = sorted({block.remarks["recipe"] for block in blocks("python", "sh") if "recipe" in block.remarks})


INSTALL = "pip install -e . pytest"
"""Not run, because it needs a package index; the metadata that it would install is written instead."""


def steps(recipe: str) -> list[Block]:
    found = blocks("python", "toml", "json", "csv", "text", "sh")
    return [block for block in found if block.remarks.get("recipe") == recipe]


def edit(block: Block, folder: Path) -> None:
    """Add a block to a copy of the package, as a new file or below the line in its `after` remark."""
    package = folder / "quaestor"
    if not package.exists():
        shutil.copytree(ROOT / "src" / "quaestor", package, ignore=shutil.ignore_patterns("__pycache__"))
    path = package / block.remarks["edit"]
    if "after" not in block.remarks:
        assert not path.exists()
        path.write_text(block.text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    after = block.remarks["after"].replace("+", " ")
    (place,) = (number for number, line in enumerate(lines) if line.strip() == after)
    lines.insert(place + 1, block.text)
    path.write_text("".join(lines), encoding="utf-8")


def test_each_extension_point_has_a_recipe() -> None:
    assert RECIPES == ["asking-solver", "dataset", "operation", "reader", "solver", "store", "tool"]


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_file_of_a_recipe_is_named_above_it(recipe: str) -> None:
    """The text above a block names its file, because the remarks of a block are not visible on the site."""
    for block in steps(recipe):
        if name := block.remarks.get("file", block.remarks.get("edit")):
            above = (ROOT / block.file).read_text(encoding="utf-8").splitlines()[block.line - 4]
            assert f"`{name}`" in above, f"{block}: {above}"
            assert block.remarks.get("after", "").replace("+", " ") in above


@pytest.mark.parametrize(
    "recipe", [r if r == "operation" else pytest.param(r, marks=pytest.mark.very_slow) for r in RECIPES]
)
def test_recipes_run(recipe: str, tmp_path: Path) -> None:
    commands: list[tuple[Block, str]] = []
    for block in steps(recipe):
        if block.language == "sh":
            commands += [(block, line) for line in typed(block)]
        elif "edit" in block.remarks:
            edit(block, tmp_path)
        else:
            path = tmp_path / block.remarks["file"]
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    assert commands, f"the recipe {recipe} has no command"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUAESTOR_")}
    for name, first in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", tmp_path)):
        environment[name] = os.pathsep.join([str(first), *filter(None, [environment.get(name)])])
    for block, line in commands:
        if line == INSTALL:
            install_project(tmp_path)
            continue
        ran = subprocess.run(
            words(line),
            check=False,
            cwd=tmp_path,
            env={**environment, "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert ran.returncode == 0, f"{block}: {line}\n{ran.stdout}{ran.stderr}"
