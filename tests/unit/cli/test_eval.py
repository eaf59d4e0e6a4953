import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset


def run_id(err: str) -> str:
    (line,) = [line for line in err.splitlines() if line.startswith("run ")]
    return line.removeprefix("run ")


def test_prints_each_figure_with_its_denominator_and_interval(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor("eval pages.json")
    assert outcome.code == 0
    rows = {words[0]: words[1:] for line in outcome.out.splitlines() if len(words := _cells(line)) > 3}
    assert rows["execution accuracy"][:3] == ["4", "6", "66.7"]
    assert rows["conversation accuracy"][:3] == ["1", "2", "50.0"]
    assert rows["program accuracy"][1] == rows["display match"][1] == rows["older rule"][1] == "6"
    assert rows["turn 1"][:3] == ["2", "2", "100.0"]
    assert rows["lookup"][1] == "5"
    assert rows["table"][1] == "5"
    assert rows["Single"][1] == "6"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("│ ").split("│")]


def test_json_alone_is_on_stdout(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor("eval pages.json --json")
    found = json.loads(outcome.out)
    assert found["run"] == run_id(outcome.err)
    assert found["solver"] == "embedded"
    assert found["score"]["execution"]["value"] == pytest.approx(4 / 6)
    assert found["score"]["execution"]["total"] == 6
    assert [group["name"] for group in found["score"]["breakdowns"][0]["groups"]] == ["turn 1", "turn 2", "turn 3"]


def test_output_has_one_object_a_turn(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("eval pages.json --output turns.jsonl").code == 0
    turns = [json.loads(line) for line in Path("turns.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(turn["conversation"][-1], turn["turn"]) for turn in turns] == [
        ("1", 0), ("1", 1), ("1", 2), ("2", 0), ("2", 1), ("2", 2)
    ]  # fmt: skip
    change = turns[2]
    assert change["cause"] is None
    assert (change["answer"], change["gold"], change["correct"], change["program_correct"]) == (
        -25587, -25587.0, True, True
    )  # fmt: skip
    assert change["question"] == "change"
    assert change["program"] == change["gold_program"] == "subtract(181001, 206588)"
    assert [(s["place"], s["text"]) for s in change["sources"]] == [
        ("net revenue | 2007", "181001"),
        ("net revenue | 2008", "206588"),
    ]
    assert turns[3]["answer"] == 13.7
    failed = turns[4]
    assert (failed["answer"], failed["program"], failed["correct"], failed["sources"]) == (None, None, False, [])
    assert failed["error"].startswith("SolverError: ")


def test_yes_and_no_are_words(quaestor: Quaestor, tmp_path: Path) -> None:
    record = a_record(
        questions=("cell 1 1", "cell 1 2", "greater"),
        programs=("206588", "181001", "greater(181001, 206588)"),
        answers=(206588.0, 181001.0, "no"),
        displays=("206588", "181001", "no"),
    )
    write_dataset(tmp_path / "words.json", record)
    assert quaestor("eval words.json --output turns.jsonl").code == 0
    last = json.loads(Path("turns.jsonl").read_text().splitlines()[-1])
    assert (last["answer"], last["gold"], last["correct"]) == ("no", "no", True)


def test_run_then_score_is_eval(quaestor: Quaestor, pages: Path) -> None:
    whole = json.loads(quaestor("eval pages.json --json").out)["score"]
    run = quaestor("run pages.json")
    assert run.code == 0
    halves = quaestor(f"score {run.out.strip()} pages.json --json")
    assert json.loads(halves.out)["score"] == whole
    assert json.loads(quaestor("score latest pages.json --json").out)["run"] == run.out.strip()


def test_run_needs_no_answers_and_score_says_that_there_are_none(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "bare.json", a_record(programs=None))
    run = quaestor("run bare.json")
    assert run.code == 0
    outcome = quaestor(f"score {run.out.strip()} bare.json")
    assert outcome.code == 2
    one_line(outcome)


def test_a_limited_run_is_scored_on_its_conversations(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json --limit 1").out.strip()
    score = json.loads(quaestor(f"score {run} pages.json --json").out)["score"]
    assert (score["execution"]["correct"], score["execution"]["total"]) == (3, 3)


def test_a_complete_run_is_not_played_again(quaestor: Quaestor, pages: Path) -> None:
    run = run_id(quaestor("eval pages.json").err)
    again = quaestor(f"eval pages.json --resume {run[:-2]}")
    assert run_id(again.err) == run
    assert len(json.loads(quaestor("runs list --json").out)) == 1


def test_resuming_under_another_spec_is_refused(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    outcome = quaestor(f"run pages.json --limit 1 --resume {run}")
    assert outcome.code == 2
    one_line(outcome)


def test_an_outage_leaves_the_run_unscored_and_says_how_to_go_on(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "down.json", a_record(questions=("cell 1 1", "down", "change")))
    outcome = quaestor("eval down.json")
    assert outcome.code == 1
    assert "1 of 1" in one_line(outcome)
    run = json.loads(quaestor("runs list --json").out)[0]
    assert f"--resume {run['id']}" in outcome.err
    assert run["status"] == "stopped"


def test_a_defect_of_the_solver_counts_as_wrong(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record("Single_NORD/2012/page_41.pdf-2", questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "broken.json", a_record(), broken)
    outcome = quaestor("eval broken.json --json")
    assert outcome.code == 0
    assert "page_41.pdf" in outcome.err
    figure = json.loads(outcome.out)["score"]["execution"]
    assert (figure["correct"], figure["total"]) == (4, 6)


def test_another_file_than_the_runs_is_refused(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    write_dataset(tmp_path / "other.json", a_record())
    outcome = quaestor(f"score {run} other.json")
    assert outcome.code == 2
    assert "pages.json" in one_line(outcome)


def test_an_output_that_cannot_be_written_is_one_line(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor("eval pages.json --output nowhere/turns.jsonl")
    assert outcome.code == 2
    assert "nowhere/turns.json" in outcome.err.splitlines()[-1]
