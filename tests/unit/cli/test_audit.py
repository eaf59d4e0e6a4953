"""`quaestor audit`, and `score --audit`."""

import json
from pathlib import Path
from typing import Any

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
    shown = quaestor("score latest pages.json --audit mine.jsonl").out
    assert "by the references (official)" in shown
    assert "by the references as audited" in shown


def test_further_candidates_are_listed_and_written(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    write_audit(tmp_path / "mine.jsonl", (1, "reference_right", []))
    found = json.loads(quaestor("audit latest pages.json --audit mine.jsonl --output more.jsonl --json").out)
    written = [json.loads(line) for line in Path("more.jsonl").read_text(encoding="utf-8").splitlines()]
    assert found["candidates"] == written
    assert written
    assert all(one["answer"] is not None and one["reference"] for one in written)
    assert "are not settled" in quaestor("audit latest pages.json --audit mine.jsonl").out
    refused = quaestor("audit latest pages.json --audit mine.jsonl --output more.jsonl")
    assert refused.code == 2
    assert "more.jsonl" in one_line(refused)


def test_an_audit_of_other_turns_is_refused(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    write_audit(tmp_path / "mine.jsonl", (0, "reference_right", []))
    text = (tmp_path / "mine.jsonl").read_text(encoding="utf-8")
    (tmp_path / "mine.jsonl").write_text(text.replace(NAME, "Single_OTHER/2012/page_1.pdf-1"), encoding="utf-8")
    refused = quaestor("score latest pages.json --audit mine.jsonl")
    assert refused.code == 2
    assert "has none of the turns of run" in one_line(refused)
