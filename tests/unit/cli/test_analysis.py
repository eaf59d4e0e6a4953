"""`quaestor audit`, `score --audit`, `metrics`, `report` and `compare`, with `--cascade`."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, one_line, refused
from scripted import ScriptedSolver
from stand_in import stand_in

from quaestor.application import score_service
from quaestor.conversation.answer import Answer
from quaestor.solvers.base import TurnContext

NAME = "Single_NORD/2012/page_41.pdf-2"


def write_audit(path: Path, *settled: tuple[int, str, list[str]]) -> None:
    entries: list[dict[str, Any]] = [
        {
            "conversation": NAME,
            "turn": turn,
            "verdict": verdict,
            "programs": programs,
            "reason": "The other row is asked for.",
            "readings": [{"verdict": verdict, "programs": programs}] * 2,
            "settled": "agreed",
        }
        for turn, verdict, programs in settled
    ]
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")


def accept_a_wrong_answer(quaestor: Quaestor, folder: Path) -> None:
    """Evaluate the pages, and write an audit that accepts one of the wrong answers."""
    assert quaestor("eval pages.json").code == 0
    quaestor("score latest pages.json --output turns.jsonl")
    turns = [json.loads(line) for line in (folder / "turns.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = next(t for t in turns if t["conversation"] == NAME and not t["correct"] and t["answer"] is not None)
    write_audit(folder / "mine.jsonl", (wrong["turn"], "reference_wrong", [str(wrong["answer"])]))


def test_raw_and_audited_accuracy_are_printed_together(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    accept_a_wrong_answer(quaestor, tmp_path)
    before = json.loads(quaestor("score latest pages.json --json").out)
    scored = json.loads(quaestor("score latest pages.json --audit mine.jsonl --json").out)
    assert scored["score"] == before["score"]
    assert scored["audited"]["raw"]["correct"] == before["score"]["execution"]["correct"]
    assert scored["audited"]["audited"]["correct"] == scored["audited"]["raw"]["correct"] + 1
    assert quaestor("score latest pages.json --audit mine.jsonl").code == 0


@pytest.mark.slow
def test_further_candidates_are_listed_and_written(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    write_audit(tmp_path / "mine.jsonl", (1, "reference_right", []))
    found = json.loads(quaestor("audit latest pages.json --audit mine.jsonl --output more.jsonl --json").out)
    written = [json.loads(line) for line in Path("more.jsonl").read_text(encoding="utf-8").splitlines()]
    assert found["candidates"] == written
    assert written
    assert all(one["answer"] is not None and one["reference"] for one in written)
    assert quaestor("audit latest pages.json --audit mine.jsonl").code == 0
    assert "more.jsonl" in refused(quaestor("audit latest pages.json --audit mine.jsonl --output more.jsonl"))


def test_first_audit_can_start_without_a_file(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    found = json.loads(quaestor("audit latest pages.json --json").out)
    write_audit(tmp_path / "mine.jsonl", (1, "reference_right", []))
    beside = json.loads(quaestor("audit latest pages.json --audit mine.jsonl --json").out)
    assert "audited" not in found
    assert found["candidates"]
    assert [one for one in found["candidates"] if (one["conversation"], one["turn"]) != (NAME, 1)] == beside[
        "candidates"
    ]
    assert "Audit" not in quaestor("audit latest pages.json").out


def test_an_audit_of_other_turns_is_refused(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    write_audit(tmp_path / "mine.jsonl", (0, "reference_right", []))
    text = (tmp_path / "mine.jsonl").read_text(encoding="utf-8")
    (tmp_path / "mine.jsonl").write_text(text.replace(NAME, "Single_OTHER/2012/page_1.pdf-1"), encoding="utf-8")
    refused(quaestor("score latest pages.json --audit mine.jsonl"))
    pages.unlink()
    assert "pages.json" in refused(quaestor("report latest --markdown --audit mine.jsonl"))


@pytest.mark.slow
def test_conventions_include_a_row_for_audited_references(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    accept_a_wrong_answer(quaestor, tmp_path)
    plain = json.loads(quaestor("metrics latest --json").out)
    beside = json.loads(quaestor("metrics latest --audit mine.jsonl --json").out)
    assert beside.pop("audited")["right"]["correct"] == plain["metrics"][0]["right"]["correct"] + 1
    assert beside == plain
    assert quaestor("metrics latest --audit mine.jsonl").code == 0


def test_report_shows_audited_and_official_figures(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    accept_a_wrong_answer(quaestor, tmp_path)
    plain = quaestor("report latest --markdown").out.splitlines()
    beside = quaestor("report latest --markdown --audit mine.jsonl").out.splitlines()
    more = [line for line in beside if line not in plain]
    assert [line for line in beside if line in plain] == plain
    assert len(more) == 1
    assert "(mine)" in more[0]
    assert quaestor("report latest --output report.html --audit mine.jsonl").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Audited references" in page


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


def test_report_is_written_as_html_and_markdown(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    runs = " ".join(quaestor("run pages.json").out.strip() for _ in range(2))
    outcome = quaestor(f"report {runs} --output report.html")
    assert (outcome.code, outcome.err) == (0, "")
    assert "report.html" in outcome.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "66.7 %" in page
    assert "cell 3 1" not in page.partition("Wrong turns")[0]
    assert "operating costs | 2007 | 402" in page
    text = quaestor("report latest --markdown").out
    assert text.startswith("### Evaluation: Execution accuracy A 66.7 %")
    assert quaestor("report latest --markdown --output report.md").code == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == text


def test_existing_file_is_not_overwritten(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    quaestor("run pages.json")
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")
    one_line(quaestor("report latest --output report.html"))
    assert quaestor("report latest --output report.html --force").code == 0
    one_line(quaestor("report latest --output pages.json --dataset pages.json --force"))
    one_line(quaestor("report latest"))
    assert "'nosuch'" in one_line(quaestor("report nosuch --markdown"))


@pytest.mark.slow
def test_report_uses_saved_scores_if_the_file_is_missing(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    runs = [quaestor("run pages.json").out.strip() for _ in range(2)]
    for run in runs:
        quaestor(f"score {run} pages.json")
    pages.unlink()
    assert quaestor(f"report {' '.join(runs)} --output report.html").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "table 1, row" in page
    assert "reference " not in page.partition('<h2 id="errors"')[2]


def test_time_of_an_imported_run_is_that_of_its_timed_turns(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    ids = [one["id"] for one in json.loads(pages.read_text(encoding="utf-8"))]
    line = {"conversation": ids[0], "turn": 0, "answer": 1, "latency_ms": 800}
    (tmp_path / "theirs.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert quaestor("runs import theirs.jsonl --dataset pages.json").code == 0
    text = quaestor("report latest --markdown").out
    assert "| 800 ms (1 of " in text


ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"
RIGHT: list[tuple[str, int, object]] = [
    (ONE, 0, 206588), (ONE, 1, 181001), (ONE, 2, -25587), (TWO, 0, "13.7"), (TWO, 1, 206588), (TWO, 2, 435),
]  # fmt: skip


def import_run(
    quaestor: Quaestor, folder: Path, name: str, wrong: dict[int, object] | None = None, **more: list[object]
) -> str:
    """Import a run in which some of the six answers are wrong, with optional fields of each, and return its id."""
    lines = []
    for place, (conversation, turn, right) in enumerate(RIGHT):
        answer = (wrong or {}).get(place, right)
        line = {"conversation": conversation, "turn": turn, "answer": answer, "expression": f"as {answer}"}
        lines.append(line | {field: values[place] for field, values in more.items()})
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return quaestor(f"runs import {name}.jsonl --dataset pages.json").out.strip()


@pytest.fixture
def two(quaestor: Quaestor, pages: Path, tmp_path: Path) -> tuple[str, str]:
    """Return the ids of a run with one wrong turn, and of one with three, including that turn."""
    first = import_run(quaestor, tmp_path, "first", {0: 1})
    return first, import_run(quaestor, tmp_path, "second", {0: 2, 3: "13.8", 4: None})


def test_report_compares_two_runs(quaestor: Quaestor, two: tuple[str, str]) -> None:
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
    run = quaestor("run pages.json").out.strip()
    found = json.loads(quaestor(f"compare {two[1]} {run} --differences --json").out)
    result = {(turn["conversation"], turn["turn"]): turn for turn in found["pairs"][0]["differences"]}
    assert set(result) == {(ONE, 0), (TWO, 0), (TWO, 2)}
    turn = result[TWO, 0]
    assert (turn["question"], turn["reference"], turn["page"]) == ("cell 3 1", "13.7", "NORD/2012/page_41.pdf")
    theirs, ours = turn["first"], turn["second"]
    assert (theirs["right"], theirs["verified"], theirs["program"], theirs["sources"]) == (False, False, None, [])
    assert (theirs["number"], theirs["formula"]) == ("13.8", "as 13.8")
    assert (ours["right"], ours["verified"], ours["number"]) == (True, True, "13.7")
    assert ours["sources"] == ["growth | 2008 | 13.7% ( 13.7 % )"]
    shown = quaestor(f"compare {two[1]} {run} --differences").out
    assert f"{TWO}, turn 1: cell 3 1" in shown
    assert "13.8" in shown
    assert "growth | 2008 | 13.7% ( 13.7 % )" in shown


@pytest.mark.slow
def test_every_pair_of_several_runs_is_compared(quaestor: Quaestor, two: tuple[str, str], tmp_path: Path) -> None:
    third = import_run(quaestor, tmp_path, "third")
    found = json.loads(quaestor(f"compare {' '.join(two)} {third} --json").out)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [two, (two[0], third), (two[1], third)]
    assert [pair["p"] for pair in found["pairs"]] == [0.5, 1.0, 0.25]
    assert [pair["p_adjusted"] for pair in found["pairs"]] == [1.0, 1.0, 0.75]
    shown = quaestor(f"compare {' '.join(two)} {third}").out
    assert all(name in shown for name in ("A - B", "A - C", "B - C", "p, Holm"))


def test_comparison_with_another_scorer(quaestor: Quaestor, two: tuple[str, str]) -> None:
    found = json.loads(quaestor(f"compare {' '.join(two)} --scorer display --json").out)
    assert (found["scorer"], found["pairs"][0]["wins"]) == ("display", 1)
    assert "'luck'" in one_line(quaestor(f"compare {' '.join(two)} --scorer luck"))


def test_saved_scores_are_used_for_large_runs_unless_a_file_is_given(
    quaestor: Quaestor, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = " ".join(two)
    monkeypatch.setattr(score_service, "LARGE", 1)
    for run in two:
        assert json.loads(quaestor(f"compare {names} --json").out)["basis"] == "references"
        assert quaestor(f"score {run} pages.json").code == 0
    found = json.loads(quaestor(f"compare {names} --json").out)
    named = json.loads(quaestor(f"compare {names} --json --dataset pages.json").out)
    assert (found["basis"], named["basis"]) == ("kept scores", "references")
    for key in ("wins", "losses", "both", "neither", "p", "by_page", "by_company", "agreement"):
        assert found["pairs"][0][key] == named["pairs"][0][key], key


@pytest.mark.slow
def test_saved_scores_are_used_if_the_file_is_missing(quaestor: Quaestor, two: tuple[str, str], pages: Path) -> None:
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


def test_incomparable_runs_give_a_one_line_error(quaestor: Quaestor, two: tuple[str, str], pages: Path) -> None:
    first, second = two
    one_line(quaestor(f"compare {first}"))
    one_line(quaestor(f"compare {second} latest"))
    limited = quaestor("run pages.json --limit 1").out.strip()
    other = one_line(quaestor(f"compare {first} {limited}"))
    assert all(f"{run} ({count} " in other for run, count in ((first, 2), (limited, 1)))
    assert "'nosuch'" in one_line(quaestor(f"compare {first} nosuch"))
    pages.unlink()
    assert f"{first}" in refused(quaestor(f"compare {first} {second}"))
    assert "no.json" in one_line(quaestor(f"compare {first} {second} --dataset no.json"))


def test_missing_scipy_gives_one_line_with_the_extra_to_install(
    quaestor: Quaestor, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert "pip install 'quaestor[compare]'" in one_line(quaestor(f"compare {' '.join(two)}"))


@pytest.fixture
def stages(quaestor: Quaestor, pages: Path, tmp_path: Path) -> tuple[str, str]:
    """Return the ids of a cheap run with two unsure mistakes and a confident one, and of an expensive run with one."""
    cheap = import_run(quaestor, tmp_path, "cheap", {0: 1, 1: 2, 5: 3}, confidence=[0.3, 0.42, 0.9, 0.8, 0.7, 0.95])
    dear = import_run(quaestor, tmp_path, "dear", {2: 5}, tokens_in=[100] * 6, cost=[0.01] * 6)
    return cheap, dear


def test_accuracy_share_and_cost_by_threshold(quaestor: Quaestor, stages: tuple[str, str]) -> None:
    cheap, dear = stages
    found = json.loads(quaestor(f"compare --cascade {cheap} {dear} --json").out)
    assert (found["first"], found["second"]) == stages
    assert (found["first_right"]["correct"], found["second_right"]["correct"]) == (3, 5)
    points = {point["threshold"]: point for point in found["points"]}
    assert [points[0.0][name] for name in ("passed", "share", "accuracy")] == [0, 0.0, 0.5]
    assert (points[0.5]["passed"], points[0.5]["right"]["correct"]) == (2, 5)
    assert points[0.5]["usage"]["cost_millionths"] == 20_000
    assert (points[1.0]["passed"], points[1.0]["right"]["correct"]) == (6, 5)
    assert found["best"] == 0.45
    shown = quaestor(f"compare --cascade {cheap} {dear}").out
    assert "0.45" in shown
    assert "2 (33.3 %)" in shown


class ConfidentSolver(ScriptedSolver):
    """A solver that is more confident in later turns, but sure of a change only after an answer without a plan."""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        found = await super().solve(question, context)
        before = context.memory.turns
        if question == "change":
            return replace(found, confidence=0.9 if before[0].answer.plan is None else 0.4)
        return replace(found, confidence=0.3 + 0.2 * len(before))


@pytest.mark.slow
def test_first_stage_without_a_model_answers_again(
    quaestor: Quaestor, stages: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, ConfidentSolver)
    _, dear = stages
    run = quaestor("run pages.json").out.strip()
    apart, again = (
        json.loads(quaestor(f"compare --cascade {run} {dear} --json{more}").out) for more in ("", " --play")
    )
    assert (apart["replayed"], again["replayed"]) == (False, True)
    passed = {
        name: {point["threshold"]: point["passed"] for point in found["points"]}
        for name, found in (("apart", apart), ("again", again))
    }
    # Alone it is unsure of the change at 0.45; after the first answer of the other run, which lacks a plan, it is sure.
    assert passed["apart"][0.25] == passed["again"][0.25]
    assert passed["apart"][0.45] == passed["again"][0.45] + 1
    assert quaestor(f"compare --cascade {run} {dear} --play").code == 0


def test_impossible_simulation_gives_a_one_line_error(quaestor: Quaestor, stages: tuple[str, str]) -> None:
    cheap, dear = stages
    one_line(quaestor(f"compare --cascade {cheap} {dear} --play"))
    assert quaestor(f"compare {cheap} {dear} --play").code == 2
    one_line(quaestor(f"compare --cascade {dear} {cheap}"))
    one_line(quaestor(f"compare --cascade {dear} {dear}"))
    assert quaestor(f"compare --cascade {cheap} {dear} --differences").code == 2
