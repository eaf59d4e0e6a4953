import json
from pathlib import Path
from typing import Any

import pytest

from quaestor.errors import DatasetError
from quaestor.scoring.audits.audit import AuditVerdict, read_audit


def entry(**changes: Any) -> dict[str, Any]:
    reading = {"verdict": "reference_wrong", "programs": ["add(1, 2)"]}
    given = {
        "conversation": "Single_A/2010/page_1.pdf-1",
        "turn": 0,
        "verdict": "reference_wrong",
        "programs": ["add(1, 2)"],
        "reason": "The row of 2010 was asked for.",
        "readings": [reading, reading],
        "settled": "agreed",
    }
    return given | changes


def write(path: Path, *entries: object) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf-8")
    return path


def test_an_audit_is_read(tmp_path: Path) -> None:
    audit = read_audit(write(tmp_path / "mine.jsonl", entry(), entry(turn=1, verdict="reference_right", programs=[])))
    assert audit.name == "mine"
    assert audit.by_turn["Single_A/2010/page_1.pdf-1", 1].verdict is AuditVerdict.RIGHT
    assert audit.verdicts == {
        AuditVerdict.WRONG: 1,
        AuditVerdict.AMBIGUOUS: 0,
        AuditVerdict.CONVENTION: 0,
        AuditVerdict.RIGHT: 1,
    }


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([("reference_wrong", "reference_wrong"), ("reference_right", "reference_right")], 1.0),
        ([("reference_wrong", "reference_right"), ("reference_right", "reference_wrong")], -1.0),
        ([("reference_right", "reference_right")] * 2, 1.0),
        # 3 of 4 agree; by chance (3/4 * 2/4 + 1/4 * 2/4) = 1/2: kappa is a half.
        (
            [
                ("reference_right", "reference_right"),
                ("reference_right", "reference_right"),
                ("reference_right", "reference_wrong"),
                ("reference_wrong", "reference_wrong"),
            ],
            0.5,
        ),
    ],
)
def test_agreement_is_measured_beyond_chance(tmp_path: Path, pairs: list[tuple[str, str]], kappa: float) -> None:
    entries = [
        entry(turn=turn, readings=[{"verdict": verdict, "programs": []} for verdict in pair])
        for turn, pair in enumerate(pairs)
    ]
    assert read_audit(write(tmp_path / "mine.jsonl", *entries)).kappa == pytest.approx(kappa)


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "{",
        "[" * 10_000,
        json.dumps(entry(verdict="maybe")),
        json.dumps(entry(readings=[])),
        json.dumps(entry(programs=[])),
        json.dumps(entry(programs=["add(1"])),
        f"{json.dumps(entry())}\n{json.dumps(entry())}",
    ],
)
def test_a_line_that_is_no_entry_is_named(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(DatasetError):
        read_audit(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        read_audit(tmp_path / "none.jsonl")
