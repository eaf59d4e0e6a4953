"""Summaries of stored turns for lists and figures, from any JSON."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

import quaestor
from quaestor.core import serial
from quaestor.store.turn_summary import TurnClasses, TurnMeasures, classes_of, measure_turn

START = datetime(2026, 1, 5, 9, 30, 0, 123000, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["kind", "event", "requests"]), inner),
    max_leaves=8,
)


def test_events_within_others_count_and_stages_once() -> None:
    refused, rejected = {"kind": "plan_refused"}, {"kind": "reply_rejected"}
    within = {"kind": "stage_event", "event": {"kind": "expert_event", "event": rejected}}
    stage = {"kind": "stage_answered"}
    events: list[Any] = [refused, within, stage, stage, {"kind": "note"}, {"kind": "no_answer_given"}]
    counts = {"requests": 2, "input_tokens": 30, "output_tokens": 4, "cached_tokens": 5, "cost_millionths": 6}
    ended = {"started": START, "finished": START + timedelta(milliseconds=1)}
    found = measure_turn(ended | {"usage": counts, "tool_calls": [{}, {}], "events": events})
    assert found == TurnMeasures(1, 2, 34, 5, 2, 2, True, 2)


def test_a_turn_that_has_not_ended_took_no_time() -> None:
    assert measure_turn({"started": START}) == TurnMeasures()


@given(st.lists(JSON), st.dictionaries(st.sampled_from(["requests", "input_tokens"]), JSON))
def test_any_turn_in_a_store_can_be_summarized(events: list[Any], usage: dict[str, Any]) -> None:
    assert measure_turn({"started": START, "finished": START, "usage": usage, "events": events}).refusals >= 0


CELL: dict[str, Any] = {"kind": "cell"}
SPAN: dict[str, Any] = {"kind": "sentence"}


def extract_step(source: dict[str, Any]) -> dict[str, Any]:
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
        ("3", [extract_step(CELL)], "number", "lookup", "table"),
        ("3", [extract_step(SPAN)], "number", "lookup", "text"),
        (
            "3",
            [extract_step(CELL), extract_step(SPAN), computed("add", step(1), step(2))],
            "number",
            "add",
            "table and text",
        ),
        ("3", [extract_step(CELL), computed("divide", step(1), step(-1))], "number", "divide", "table"),
        ("3", [computed("identity", step(-2))], "number", "lookup", "earlier turns"),
        ("3", [computed("multiply", step(-2), HUNDRED)], "number", "multiply", "earlier turns and constants"),
        ("3", [computed("identity", HUNDRED)], "number", "lookup", "constants"),
        ("3", [computed("table_sum", ROW)], "number", "table_sum", "table"),
        ("3", [computed("count", GROUP)], "count", "count", "table and text"),
        (True, [computed("greater", step(-1), step(-2))], "yes_no", "greater", "earlier turns"),
        ({"text": "europe"}, [computed("argmax", GROUP)], "label", "argmax", "table and text"),
        ({"text": "a merger"}, [extract_step(SPAN)], "text", "lookup", "text"),
        ({"list": []}, [computed("filter", GROUP)], "list", "filter", "table and text"),
        ("3", [], "number", None, None),
    ],
)
def test_turn_is_classified_by_answer_and_plan(
    value: JsonValue, steps: list[Any], kind: str, operation: str | None, origin: str | None
) -> None:
    answer: dict[str, JsonValue] = {"value": value, "plan": {"steps": steps}, "confidence": 1}
    assert classes_of(answer) == TurnClasses(kind, operation, origin, 1.0)


@pytest.mark.parametrize("answer", [{}, {"value": None}, {"value": None, "plan": {"steps": [extract_step(CELL)]}}])
def test_unanswered_turn_lacks_a_plan(answer: dict[str, JsonValue]) -> None:
    assert classes_of(answer) == TurnClasses()


@pytest.mark.parametrize("plan", [None, [], "x", {"steps": 3}, {"steps": [None, {"operands": "x"}]}])
def test_any_stored_turn_can_be_summarized(plan: JsonValue) -> None:
    assert classes_of({"value": "3", "plan": plan, "confidence": "high"}).kind == "number"


def test_solver_answers_are_summarized() -> None:
    """Answers of a real solver are stored with the names that the summary expects."""

    turns = quaestor.open("sample#QUIL/2007/page_88.pdf").ask(
        ["what was the exercise price in 2007?", "and times 100?"]
    )
    found = [classes_of(serial.dump(turn.answer)) for turn in turns]
    assert [(turn.kind, turn.origin) for turn in found] == [
        ("number", "table"),
        ("number", "earlier turns and constants"),
    ]
    assert [turn.answer.kind for turn in turns] == [turn.kind for turn in found]
