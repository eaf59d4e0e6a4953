"""`quaestor audit`, and `score --audit`."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, one_line

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


def test_raw_and_audited_accuracy_stand_side_by_side(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    before = json.loads(quaestor("score latest pages.json --json").out)
    answered = json.loads(quaestor("score latest pages.json --json --output turns.jsonl").out)
    wrong = [json.loads(line) for line in Path("turns.jsonl").read_text(encoding="utf-8").splitlines()]
    turn = next(t for t in wrong if t["conversation"] == NAME and not t["correct"] and t["answer"] is not None)
    write_audit(tmp_path / "mine.jsonl", (turn["turn"], "reference_wrong", [str(turn["answer"])]))
    scored = json.loads(quaestor("score latest pages.json --audit mine.jsonl --json").out)
    assert scored["score"] == before["score"] == answered["score"]
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
    refused = quaestor("audit latest pages.json --audit mine.jsonl --output more.jsonl")
    assert refused.code == 2
    assert "more.jsonl" in one_line(refused)


def test_a_first_audit_begins_without_one(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
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
    refused = quaestor("score latest pages.json --audit mine.jsonl")
    assert refused.code == 2
    one_line(refused)


def settled_for_one_answer(quaestor: Quaestor, folder: Path) -> dict[str, Any]:
    """A run of the pages, and an audit that accepts one of its wrong answers."""
    assert quaestor("eval pages.json").code == 0
    quaestor("score latest pages.json --output turns.jsonl")
    lines = (folder / "turns.jsonl").read_text(encoding="utf-8").splitlines()
    turns: list[dict[str, Any]] = [json.loads(line) for line in lines]
    wrong = next(t for t in turns if t["conversation"] == NAME and not t["correct"] and t["answer"] is not None)
    write_audit(folder / "mine.jsonl", (wrong["turn"], "reference_wrong", [str(wrong["answer"])]))
    return wrong


@pytest.mark.slow
def test_conventions_have_a_row_by_references_as_audited(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    settled_for_one_answer(quaestor, tmp_path)
    plain = json.loads(quaestor("metrics latest --json").out)
    beside = json.loads(quaestor("metrics latest --audit mine.jsonl --json").out)
    assert beside.pop("audited")["right"]["correct"] == plain["metrics"][0]["right"]["correct"] + 1
    assert beside == plain
    assert quaestor("metrics latest --audit mine.jsonl").code == 0


def test_a_report_has_audited_figures_beside_the_official_ones(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    settled_for_one_answer(quaestor, tmp_path)
    plain = quaestor("report latest --markdown").out.splitlines()
    beside = quaestor("report latest --markdown --audit mine.jsonl").out.splitlines()
    more = [line for line in beside if line not in plain]
    assert [line for line in beside if line in plain] == plain
    assert len(more) == 1
    assert "(mine)" in more[0]
    assert quaestor("report latest --output report.html --audit mine.jsonl").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Audited references" in page


def test_an_audit_without_references_is_refused(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    settled_for_one_answer(quaestor, tmp_path)
    pages.unlink()
    refused = quaestor("report latest --markdown --audit mine.jsonl")
    assert refused.code == 2
