import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import plain

from quaestor.errors import PlanError, ProgramError
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program, to_program


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("206588", "206588"),
        ("27%", "0.27"),
        ("-13.5 %", "-0.135"),
        ("-435", "-435"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1,234.50", "1234.5"),
        ("const_m1", "-1"),
        ("const_1000000", "1000000"),
        ("1e3", "1000"),
    ],
)
def test_literals(text: str, value: str) -> None:
    plan = parse_program(text)
    assert execute(plan).result.number == Decimal(value)
    assert to_program(plan) == text


@pytest.mark.parametrize(
    "text",
    [
        "add(1, 2)",
        "subtract(108.4, 71.0), subtract(121.6, 82.0)",
        "multiply(const_1000, 1.3), multiply(const_1, #0)",
        "greater(1,234, 27%)",
        "table_average(net sales , other ( a ), none), divide(#0, const_m1)",
        "exp(2, const_3)",
    ],
)
def test_round_trip(text: str) -> None:
    assert to_program(parse_program(text)) == text


@pytest.mark.parametrize(
    ("text", "position", "named"),
    [
        ("", 0, ""),
        ("  ", 0, ""),
        ("twelve", 0, "'twelve'"),
        ("const_m2", 0, "const_m2"),
        ("nan", 0, "nan"),
        ("add(1, 2", 8, "add"),
        ("add(1, 2) divide(#0, 3)", 9, ""),
        ("add(1, 2),", 10, ""),
        ("add(1)", 4, "2 operands"),
        ("add(1, 2, 3)", 4, "2 operands"),
        ("add(1, #0)", 7, "#0"),
        ("add(1, x)", 7, "'x'"),
        ("substract(1, 2)", 0, "'subtract'"),
        ("percentage_change(2, 1)", 0, "'percentage_change'"),
        ("add(add(1, 2), 3)", 4, "'add(1'"),
        ("table_max(sales)", 10, ""),
        ("table_max( , none)", 10, ""),
        ("1" * 201, 0, "1111"),
        ("1" * 10_001, 10_000, "10000"),
        (", ".join(["add(1, 2)"] * 65), 64 * 11 - 2, "64"),
    ],
)
def test_parse_errors_name_the_place(text: str, position: int, named: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse_program(text)
    assert named in str(caught.value)
    assert caught.value.position == position


PIECES = st.sampled_from(
    ["add(", "subtract(", "table_sum(", "exp(", "greater(", ")", ", ", "#0", "#1", "#", "none", "const_", "m1", "1e99"]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES | st.text(max_size=3) | st.integers().map(str)).map("".join)))
def test_any_text_is_a_plan_or_a_named_error(text: str) -> None:
    try:
        plan = parse_program(text)
    except ProgramError:
        return
    assert parse_program(to_program(plan)) == plan
    try:
        execute(plan)
    except PlanError:
        return


def labelled(shared: Path) -> list[tuple[str, object]]:
    records = [json.loads(line) for line in (shared / "convfinqa_train_dialogues.jsonl").read_text().splitlines()]
    for name in ("convfinqa_tune.json", "convfinqa_train50.json", "convfinqa_train100.json"):
        records += json.loads((shared / name).read_text())
    pairs = [zip(r["annotation"]["turn_program"], r["annotation"]["exe_ans_list"], strict=True) for r in records]
    return [pair for turns in pairs for pair in turns]


@pytest.mark.slow
def test_every_labelled_program_round_trips_and_executes(shared_data: Path) -> None:
    turns = labelled(shared_data)
    assert len(turns) == 4698
    for program, expected in turns:
        plan = parse_program(program)
        assert to_program(plan) == program
        value = plain(execute(plan).result.value)
        shown = ("yes" if value else "no") if isinstance(value, bool) else round(float(value), 5)
        assert shown == expected, program
