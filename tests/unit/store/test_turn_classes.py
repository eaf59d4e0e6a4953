from typing import Any

import pytest
from pydantic import JsonValue

import quaestor
from quaestor.core import serial
from quaestor.store.turn_summary import TurnClasses, classes_of

CELL: dict[str, Any] = {"kind": "cell"}
SPAN: dict[str, Any] = {"kind": "sentence"}


def taken(source: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "extract", "source": source}


def computed(operation: str, *operands: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "compute", "operation": operation, "operands": list(operands)}


def step(number: int) -> dict[str, Any]:
    return {"kind": "ref", "step": number}


HUNDRED: dict[str, Any] = {"kind": "constant", "value": "100"}
ROW: dict[str, Any] = {"kind": "label"}
GROUP: dict[str, Any] = {"kind": "cells", "sources": [CELL, SPAN]}


@pytest.mark.parametrize(
    ("value", "steps", "kind", "operation", "origin"),
    [
        ("3", [taken(CELL)], "number", "lookup", "table"),
        ("3", [taken(SPAN)], "number", "lookup", "text"),
        ("3", [taken(CELL), taken(SPAN), computed("add", step(1), step(2))], "number", "add", "table and text"),
        ("3", [taken(CELL), computed("divide", step(1), step(-1))], "number", "divide", "table"),
        ("3", [computed("identity", step(-2))], "number", "lookup", "earlier turns"),
        ("3", [computed("multiply", step(-2), HUNDRED)], "number", "multiply", "earlier turns and constants"),
        ("3", [computed("identity", HUNDRED)], "number", "lookup", "constants"),
        ("3", [computed("table_sum", ROW)], "number", "table_sum", "table"),
        ("3", [computed("count", GROUP)], "count", "count", "table and text"),
        (True, [computed("greater", step(-1), step(-2))], "yes_no", "greater", "earlier turns"),
        ({"text": "europe"}, [computed("argmax", GROUP)], "label", "argmax", "table and text"),
        ({"text": "a merger"}, [taken(SPAN)], "text", "lookup", "text"),
        ({"list": []}, [computed("filter", GROUP)], "list", "filter", "table and text"),
        ("3", [], "number", None, None),
    ],
)
def test_a_turn_is_filed_by_its_answer_and_its_plan(
    value: JsonValue, steps: list[Any], kind: str, operation: str | None, origin: str | None
) -> None:
    answer: dict[str, JsonValue] = {"value": value, "plan": {"steps": steps}, "confidence": 1}
    assert classes_of(answer) == TurnClasses(kind, operation, origin, 1.0)


@pytest.mark.parametrize("answer", [{}, {"value": None}, {"value": None, "plan": {"steps": [taken(CELL)]}}])
def test_no_answer_has_no_plan(answer: dict[str, JsonValue]) -> None:
    assert classes_of(answer) == TurnClasses()


@pytest.mark.parametrize("plan", [None, [], "x", {"steps": 3}, {"steps": [None, {"operands": "x"}]}])
def test_nothing_that_is_stored_is_refused(plan: JsonValue) -> None:
    assert classes_of({"value": "3", "plan": plan, "confidence": "high"}).kind == "number"


def test_what_the_solver_answers_is_filed() -> None:
    """The words of stored answers are those that are looked for here."""

    turns = quaestor.open("sample#QUIL/2007/page_88.pdf").ask(
        ["what was the exercise price in 2007?", "and times 100?"]
    )
    found = [classes_of(serial.dump(turn.answer)) for turn in turns]
    assert [(turn.kind, turn.origin) for turn in found] == [
        ("number", "table"),
        ("number", "earlier turns and constants"),
    ]
    assert [turn.answer.kind for turn in turns] == [turn.kind for turn in found]
