"""Audits: file format, consequences of corrected references, and scores of runs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from values import a_value

from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, ProgramError
from quaestor.scoring.audits import (
    Audit,
    AuditedTurn,
    AuditEntry,
    AuditReading,
    AuditVerdict,
    audit_candidates,
    audited_score,
    judge_turns,
    read_audit,
    replace_steps,
)
from quaestor.scoring.figures import Report, score_predictions
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import Prediction


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


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([("reference_wrong", "reference_wrong"), ("reference_right", "reference_right")], 1.0),
        ([("reference_wrong", "reference_right"), ("reference_right", "reference_wrong")], -1.0),
        ([("reference_right", "reference_right")] * 2, 1.0),
        # 3 of 4 agree, and (3/4 * 2/4 + 1/4 * 2/4) = 1/2 by chance, so kappa is 1/2.
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
def test_error_names_a_line_that_is_not_an_entry(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(DatasetError):
        read_audit(path)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        read_audit(tmp_path / "none.jsonl")


WRONG, ACCEPTED = "subtract(5, 3)", "subtract(6, 3)"


@pytest.mark.parametrize(
    ("program", "instead"),
    [
        ("subtract(5, 3)", "subtract(6, 3)"),
        ("subtract(5, 3), divide(#0, 3)", "subtract(6, 3), divide(#0, 3)"),
        ("subtract(5, 3), add(7, 8), divide(#0, #1)", "subtract(6, 3), add(7, 8), divide(#0, #1)"),
        ("subtract(5, 3), table_sum(a, b (c), none), divide(#0, #1)", None),
        ("add(7, 8), subtract(5, 3), divide(#1, #0)", None),
        ("divide(5, 3)", None),
        ("5", None),
    ],
)
def test_later_reference_begins_with_the_accepted_one(program: str, instead: str | None) -> None:
    found = replace_steps(program, WRONG, ACCEPTED)
    if "table_sum" in program:
        instead = "subtract(6, 3), table_sum(a, b (c), none), divide(#0, #1)"
    assert found == instead


def test_step_references_are_renumbered() -> None:
    program = "subtract(5, 3), multiply(#0, 2), add(#1, #0)"
    longer = "add(1, 2), subtract(#0, 3)"
    assert replace_steps(program, WRONG, longer) == "add(1, 2), subtract(#0, 3), multiply(#1, 2), add(#2, #1)"


def test_a_looked_up_number_is_written_where_the_result_was() -> None:
    assert replace_steps("subtract(5, 3), divide(#0, #0)", WRONG, "2.5%") == "divide(2.5%, 2.5%)"


def test_turn_using_part_of_a_wrong_reference_does_not_follow() -> None:
    wrong = "subtract(5, 3), divide(#0, 3)"
    assert replace_steps(f"{wrong}, multiply(#0, 2)", wrong, "0.4") is None


def test_a_looked_up_number_is_not_replaced_in_other_references() -> None:
    assert replace_steps("subtract(5, 3)", "5", "6") is None
    assert replace_steps("5", "5", "6") == "6"


def test_a_program_that_does_not_read_is_refused() -> None:
    with pytest.raises(ProgramError):
        replace_steps("subtract(5", WRONG, ACCEPTED)


NAME = "Single_A/2010/page_1.pdf-1"
GOLD = {
    NAME: (
        GoldTurn("subtract(5, 3)", a_value(2.0), None, 0),
        GoldTurn("subtract(5, 3), divide(#0, 4)", a_value(0.5), None, 0),
        GoldTurn("7", a_value(7.0), None, 0),
    )
}
ASKED = [Conversation(NAME, Document("A/2010/page_1.pdf", (), ()), ("?",) * 3)]


def audit(*settled: tuple[int, AuditVerdict, Sequence[str]]) -> Audit:
    entries = [
        AuditEntry(NAME, turn, verdict, tuple(programs), "Read again.", (AuditReading(verdict, ()),) * 2, "agreed")
        for turn, verdict, programs in settled
    ]
    return Audit("mine", tuple(entries))


def report(*answers: str | None) -> Report:
    return score_predictions(
        [Prediction(NAME, turn, answer, answer) for turn, answer in enumerate(answers)], GOLD, ASKED
    )


def judged(scored: Report, settled: Audit) -> tuple[AuditedTurn, ...]:
    return judge_turns("a-run", scored.turns, ASKED, settled)


def test_wrong_reference_is_replaced_with_its_consequences() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]))
    turns = judged(report("4", "1", "7"), settled)
    assert [turn.right for turn in turns] == [True, True, True]
    assert [turn.score.correct for turn in turns] == [False, False, True]
    assert [turn.follows for turn in turns] == [False, True, False]
    assert [turn.right for turn in judged(report("2", "0.5", "7"), settled)] == [False, True, True]
    assert [turn.right for turn in judged(report("2", "0.7", "7"), settled)] == [False, False, True]


def test_own_entry_has_priority_over_consequences() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]), (1, AuditVerdict.RIGHT, []))
    assert [turn.right for turn in judged(report("4", "0.5", None), settled)] == [True, True, False]


def test_the_reference_stays_right_beside_other_readings() -> None:
    for verdict in (AuditVerdict.AMBIGUOUS, AuditVerdict.CONVENTION):
        settled = audit((0, verdict, ["subtract(3, 5)"]))
        assert [judged(report(answer, None, None), settled)[0].right for answer in ("2", "-2", "8", None)] == [
            True,
            True,
            False,
            False,
        ]


def test_a_program_without_a_result_accepts_nothing() -> None:
    settled = audit((2, AuditVerdict.WRONG, ["divide(7, 0)", "table_sum(no such row, none)"]))
    assert [turn.right for turn in judged(report("2", "0.5", "7"), settled)] == [True, True, False]


def test_both_figures_have_every_turn_in_the_denominator() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]))
    score = audited_score(judged(report("4", None, "7"), settled), settled)
    assert (score.raw.correct, score.raw.total) == (1, 3)
    assert (score.audited.correct, score.audited.total) == (2, 3)
    assert [(share.verdict, share.turns, share.raw, share.audited) for share in score.shares] == [
        (AuditVerdict.WRONG, 1, 0, 1),
        (None, 1, 0, 0),
    ]


def test_candidates_are_answered_wrong_and_not_settled() -> None:
    scored = report("4", "0.7", None)
    assert [one.turn for one in audit_candidates(scored.turns, None)] == [0, 1]
    settled = audit((0, AuditVerdict.RIGHT, []))
    assert [one.turn for one in audit_candidates(scored.turns, settled)] == [1]


def test_candidates_with_agreeing_answers_come_first() -> None:
    scored = report("4", "0.7", None)
    found = audit_candidates(scored.turns, None, [{(NAME, 1): "0.7"}, {(NAME, 1): "0.7", (NAME, 0): "9"}])
    assert [(one.turn, one.beside) for one in found] == [(1, 2), (0, 0)]
