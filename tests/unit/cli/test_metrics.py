"""`quaestor metrics`: one run by every convention."""

import json
from pathlib import Path

from command_line import Quaestor, one_line


def test_one_run_by_every_convention(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    found = json.loads(quaestor("metrics latest --json").out)
    official = json.loads(quaestor("score latest pages.json --json").out)["score"]
    assert found["run"] == run
    assert found["metrics"][0]["right"] == {
        key: value for key, value in official["execution"].items() if key != "value"
    }
    for name in ("display", "legacy"):
        (figure,) = (one for one in found["metrics"] if one["name"] == name)
        assert figure["right"]["correct"] == official[name]["correct"]
        assert figure["right"]["correct"] == found["metrics"][0]["right"]["correct"] + figure["gained"] - figure["lost"]
    assert quaestor("metrics latest").code == 0


def test_a_file_that_is_gone_is_one_line(quaestor: Quaestor, pages: Path) -> None:
    quaestor("run pages.json")
    moved = pages.rename(pages.with_name("moved.json"))
    assert "pages.json" in one_line(quaestor("metrics latest"))
    assert quaestor(f"metrics latest --dataset {moved.name}").code == 0
