"""Recorded expressions are converted to programs, and a cascade agrees with its simulation."""

import json
from pathlib import Path

import pytest
from benchmarks.cascade import Bench, expressions, program_of, tables

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver


@pytest.mark.parametrize(
    ("expression", "program"),
    [
        ("531822", "531822"),
        ("-30584", "-30584"),
        ("(88.8 - 90.5) / 90.5", "subtract(88.8, 90.5), divide(#0, 90.5)"),
        ("-(3 + 4) * 100", "add(3, 4), multiply(#0, const_m1), multiply(#1, 100)"),
        ("0.5 / -2", "divide(0.5, -2)"),
    ],
)
def test_expression_is_converted_to_a_program(expression: str, program: str) -> None:
    assert program_of(expression) == program


@pytest.mark.parametrize("expression", ["sum(1, 2)", "a - b", "2 ** 3", "1 < 2"])
def test_expression_without_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="arithmetic"):
        program_of(expression)


def test_recorded_expressions_are_used_as_references(tmp_path: Path) -> None:
    gold = {"one": read_gold(sample_path())[read_dataset(sample_path()).conversations[0].id][:2]}
    lines = [{"conversation": "one", "turn": turn, "expression": f"{turn} + 1"} for turn in range(2)]
    (tmp_path / "read.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = expressions(tmp_path / "read.jsonl", gold)
    assert [turn.program for turn in found["one"]] == ["add(0, 1)", "add(1, 1)"]
    assert [turn.executed for turn in found["one"]] == [turn.executed for turn in gold["one"]]


@pytest.mark.slow
@pytest.mark.usefixtures("local_models")
def test_a_table_for_each_second_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """At threshold 1 the second stage answers every turn, both in the simulation and in the real cascade."""
    monkeypatch.setattr("benchmarks.cascade.THRESHOLDS", (1.0,))
    conversations, gold = read_dataset(sample_path()).conversations[:2], read_gold(sample_path())
    turns = sum(len(one.questions) for one in conversations)
    lines = list(tables(Bench(conversations, gold), make_solver("embedded"), {"A perfect model": gold}))
    assert lines[0].startswith(f"{turns} turns; the embedded solver alone: ")
    assert lines[1] == f"\nA perfect model alone: {turns} of {turns} right, 100.0 %\n"
    assert "| 1 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | +0.0 |" in lines
