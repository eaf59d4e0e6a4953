"""`quaestor compare`: two runs and three, by references and by kept scores, and what cannot be compared."""

import json
import sys
from pathlib import Path

import pytest
from command_line import Quaestor, one_line

from quaestor.application import saved_scores

ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"
GIVEN: dict[tuple[str, int], object] = {
    (ONE, 0): 206588, (ONE, 1): 181001, (ONE, 2): -25587, (TWO, 0): "13.7", (TWO, 1): 206588, (TWO, 2): 435,
}  # fmt: skip
"""All right."""


def imported(quaestor: Quaestor, folder: Path, name: str, **changed: object) -> str:
    """The id of an imported run; `c1t0=5` is another answer to the first turn of the first conversation."""
    given = dict(GIVEN)
    for key, answer in changed.items():
        given[ONE if key[1] == "1" else TWO, int(key[3])] = answer
    lines = [{"conversation": c, "turn": t, "answer": a, "expression": f"as {a}"} for (c, t), a in given.items()]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return quaestor(f"runs import {name}.jsonl --dataset pages.json").out.strip()


@pytest.fixture
def two(quaestor: Quaestor, pages: Path, tmp_path: Path) -> tuple[str, str]:
    """The ids of a run with one wrong turn and of one with three, one of which the first has wrong too."""
    first = imported(quaestor, tmp_path, "first", c1t0=1)
    return first, imported(quaestor, tmp_path, "second", c1t0=2, c2t0="13.8", c2t1=None)


def test_two_runs(quaestor: Quaestor, two: tuple[str, str]) -> None:
    first, second = two
    found = json.loads(quaestor(f"compare {first} {second} --json").out)
    assert (found["scorer"], found["basis"], found["dataset"]) == ("execution", "references", "pages.json")
    assert [(run["run"], run["solver"], run["right"]["correct"]) for run in found["runs"]] == [
        (first, "first", 5), (second, "second", 3),
    ]  # fmt: skip
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"]) == two
    counts = ("turns", "both", "wins", "losses", "neither", "ties", "unjudged")
    assert [pair[name] for name in counts] == [6, 3, 2, 0, 1, 4, 0]
    assert (pair["p"], pair["p_adjusted"]) == (0.5, 0.5)
    assert pair["difference"] == pytest.approx(1 / 3)
    assert pair["by_page"]["groups"] == pair["by_company"]["groups"] == 1
    assert pair["agreement"] == {
        "same": 3, "first_right": 3, "second_right": 3, "different": 3, "first_right_apart": 2, "second_right_apart": 0,
    }  # fmt: skip
    groups = {part["by"]: {group["name"]: group["wins"] for group in part["groups"]} for part in pair["breakdowns"]}
    assert groups["turn"] == {"turn 1": 1, "turn 2": 1, "turn 3": 0}
    assert groups["conversation"] == {"Single": 2}
    assert sum(groups["operation"].values()) == sum(groups["origin"].values()) == 2
    assert "differences" not in pair
    shown = quaestor(f"compare {first} {second}").out
    assert "A - B: +33.3 points" in shown
    assert "exact McNemar test: p = 0.500" in shown
    assert "100.0 %" in shown


def test_differences_are_shown_side_by_side(quaestor: Quaestor, two: tuple[str, str]) -> None:
    played = quaestor("run pages.json").out.strip()
    found = json.loads(quaestor(f"compare {two[1]} {played} --differences --json").out)
    told = {(turn["conversation"], turn["turn"]): turn for turn in found["pairs"][0]["differences"]}
    assert set(told) == {(ONE, 0), (TWO, 0), (TWO, 2)}
    turn = told[TWO, 0]
    assert (turn["question"], turn["reference"], turn["page"]) == ("cell 3 1", "13.7", "NORD/2012/page_41.pdf")
    theirs, ours = turn["first"], turn["second"]
    assert (theirs["right"], theirs["verified"], theirs["program"], theirs["sources"]) == (False, False, None, [])
    assert (theirs["number"], theirs["formula"]) == ("13.8", "as 13.8")
    assert (ours["right"], ours["verified"], ours["number"]) == (True, True, "13.7")
    assert ours["sources"] == ["growth | 2008 | 13.7% ( 13.7 % )"]
    shown = quaestor(f"compare {two[1]} {played} --differences").out
    assert f"{TWO}, turn 1: cell 3 1" in shown
    assert "13.8" in shown
    assert "growth | 2008 | 13.7% ( 13.7 % )" in shown


@pytest.mark.slow
def test_more_than_two_runs_are_every_pair(quaestor: Quaestor, two: tuple[str, str], tmp_path: Path) -> None:
    third = imported(quaestor, tmp_path, "third")
    found = json.loads(quaestor(f"compare {' '.join(two)} {third} --json").out)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [two, (two[0], third), (two[1], third)]
    assert [pair["p"] for pair in found["pairs"]] == [0.5, 1.0, 0.25]
    assert [pair["p_adjusted"] for pair in found["pairs"]] == [1.0, 1.0, 0.75]
    shown = quaestor(f"compare {' '.join(two)} {third}").out
    assert all(name in shown for name in ("A - B", "A - C", "B - C", "p, Holm"))


def test_another_scorer(quaestor: Quaestor, two: tuple[str, str]) -> None:
    found = json.loads(quaestor(f"compare {' '.join(two)} --scorer display --json").out)
    assert (found["scorer"], found["pairs"][0]["wins"]) == ("display", 1)
    assert "'luck'" in one_line(quaestor(f"compare {' '.join(two)} --scorer luck"))


def test_saved_scores_count_for_large_runs_unless_the_file_is_named(
    quaestor: Quaestor, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = " ".join(two)
    monkeypatch.setattr(saved_scores, "LARGE", 1)
    for run in two:
        assert json.loads(quaestor(f"compare {names} --json").out)["basis"] == "references"
        assert quaestor(f"score {run} pages.json").code == 0
    found = json.loads(quaestor(f"compare {names} --json").out)
    named = json.loads(quaestor(f"compare {names} --json --dataset pages.json").out)
    assert (found["basis"], named["basis"]) == ("kept scores", "references")
    for key in ("wins", "losses", "both", "neither", "p", "by_page", "by_company", "agreement"):
        assert found["pairs"][0][key] == named["pairs"][0][key], key


@pytest.mark.slow
def test_saved_scores_count_where_the_file_is_gone(quaestor: Quaestor, two: tuple[str, str], pages: Path) -> None:
    for run in two:
        assert quaestor(f"score {run} pages.json").code == 0
    moved = pages.rename(pages.with_name("moved.json"))
    found = json.loads(quaestor(f"compare {' '.join(two)} --differences --json").out)
    (pair,) = found["pairs"]
    assert found["basis"] == "kept scores"
    assert [pair[name] for name in ("turns", "both", "wins", "losses", "neither")] == [6, 3, 2, 0, 1]
    assert pair["agreement"]["same"] == 3
    assert [part["by"] for part in pair["breakdowns"]] == ["turn"]
    assert [turn["reference"] for turn in pair["differences"]] == [None, None]
    assert quaestor(f"compare {' '.join(two)}").code == 0
    named = json.loads(quaestor(f"compare {' '.join(two)} --dataset {moved.name} --json").out)
    assert (named["basis"], named["pairs"][0]["wins"]) == ("references", 2)


def test_what_cannot_be_compared_is_one_line(quaestor: Quaestor, two: tuple[str, str], pages: Path) -> None:
    first, second = two
    one_line(quaestor(f"compare {first}"))
    one_line(quaestor(f"compare {second} latest"))
    limited = quaestor("run pages.json --limit 1").out.strip()
    one_line(quaestor(f"compare {first} {limited}"))
    assert "'nosuch'" in one_line(quaestor(f"compare {first} nosuch"))
    pages.unlink()
    outcome = quaestor(f"compare {first} {second}")
    assert outcome.code == 2
    assert f"{first}" in one_line(outcome)
    assert "no.json" in one_line(quaestor(f"compare {first} {second} --dataset no.json"))


def test_without_scipy_one_line_says_what_to_install(
    quaestor: Quaestor, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert "pip install 'quaestor[compare]'" in one_line(quaestor(f"compare {' '.join(two)}"))


@pytest.mark.parametrize(("columns", "lost"), [(100, "1 column"), (80, "2 columns"), (64, "4 columns")])
def test_on_a_narrow_terminal_it_is_a_table_without_what_is_least_needed(
    columns: int, lost: str, quaestor: Quaestor, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = quaestor(f"compare {two[0]} {two[1]}").out
    assert lost in shown
    assert "turns: 2" not in shown
    assert max(map(len, shown.splitlines())) <= columns
