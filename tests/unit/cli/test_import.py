"""`quaestor runs import`, and every command that reads runs, on an imported run."""

import json
import re
from pathlib import Path

import pytest
from command_line import Quaestor, one_line

ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"


def write(path: Path, *lines: object) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def imported(quaestor: Quaestor, pages: Path, tmp_path: Path) -> str:
    """The id of an imported run with five of six answers, three of them right."""
    given = {
        (ONE, 0): 206588, (ONE, 1): 181001, (ONE, 2): 25587, (TWO, 0): "13.7", (TWO, 1): 206590,
    }  # fmt: skip
    write(
        tmp_path / "others.jsonl",
        *(
            {"conversation": c, "turn": t, "answer": a, "latency_ms": 250, "tokens_in": 40}
            for (c, t), a in given.items()
        ),
    )
    outcome = quaestor("runs import others.jsonl --dataset pages.json --name theirs")
    assert outcome.code == 0
    assert "1 of 6 turns" in outcome.err
    return outcome.out.strip()


def test_imported_run_is_shown_as_unverified(quaestor: Quaestor, imported: str) -> None:
    assert imported in quaestor("runs show theirs").out
    (listed,) = json.loads(quaestor("runs list --json").out)
    assert (listed["id"], listed["kind"], listed["spec"]["solver_options"]["name"]) == (imported, "import", "theirs")
    assert "imported" in quaestor("runs list").out
    assert "status:        imported" in quaestor("runs show theirs").out
    shown = quaestor("runs show latest").out
    assert "others.json" in shown
    assert "16.7 %" in shown
    assert "208 ms" in shown
    assert "250 ms" in shown
    assert re.search(r"\b5 requests\b.*\b200\b", shown)
    assert json.loads(quaestor("runs show latest --json").out)["figures"]["verified"] == 0


def test_imported_run_is_scored_with_causes_of_failures(quaestor: Quaestor, imported: str) -> None:
    score = json.loads(quaestor("score latest pages.json --json").out)["score"]
    assert (score["execution"]["correct"], score["execution"]["total"]) == (3, 6)
    found = json.loads(quaestor("runs failures latest --json").out)
    causes = {(turn["conversation"], turn["turn"]): turn["cause"] for turn in found["turns"]}
    assert causes == {
        (ONE, 2): "sign", (TWO, 1): "no plan to compare with", (TWO, 2): "no answer",
    }  # fmt: skip
    assert f"{TWO}, turn 3" in quaestor("runs failures latest --full").out
    assert "50.0 %" in quaestor("runs list").out


@pytest.mark.slow
def test_every_command_that_reads_runs_accepts_imported_runs(quaestor: Quaestor, imported: str, tmp_path: Path) -> None:
    assert "25587" in quaestor(f"runs turn {imported} {ONE} 3").out
    result = json.loads(quaestor(f"runs turn latest {TWO} 3 --json").out)
    assert (result["kind"], result["verified"], result["answer"]["plan"]) == ("none", False, None)
    assert quaestor(f"runs turn latest {TWO} 3").code == 0
    assert quaestor(f"runs prompts latest {ONE} 1").code == 0
    assert quaestor("runs tools latest").code == 0
    assert quaestor("runs export latest --traces traces.jsonl").code == 0
    assert len((tmp_path / "traces.jsonl").read_text(encoding="utf-8").splitlines()) == 6
    one_line(quaestor(f"runs kg latest {ONE}"))
    one_line(quaestor("export latest --output out.csv"))
    assert quaestor(f"run pages.json --resume {imported}").err
    assert "206588" in quaestor(f"show pages.json#{ONE} --run latest").out
    assert quaestor(f"runs delete --yes {imported}").code == 0


def test_invalid_lines_are_listed_and_nothing_is_stored(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", {"conversation": ONE, "turn": 0, "answer": 1}, {"conversation": ONE, "turn": 9}, [])
    outcome = quaestor("runs import bad.jsonl --dataset pages.json")
    assert (outcome.code, outcome.out) == (2, "")
    first, *lines = outcome.err.splitlines()
    assert "bad.jsonl" in first
    assert [line.split(": ")[0].strip() for line in lines] == ["bad.jsonl:2", "bad.jsonl:3"]
    assert json.loads(quaestor("runs list --json").out) == []


def test_only_the_first_invalid_lines_are_listed(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", *([{}] * 500))
    lines = quaestor("runs import bad.jsonl --dataset pages.json").err.splitlines()
    assert (len(lines), lines[-1]) == (102, "  ... and 400 more")


def test_missing_files_are_reported(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert "no.json" in one_line(quaestor("runs import no.jsonl --dataset pages.json"))
    write(tmp_path / "one.jsonl", {})
    assert "no.json" in one_line(quaestor("runs import one.jsonl --dataset no.json"))
    assert "--dataset" in one_line(quaestor("runs import one.jsonl"))
