"""Stores return equal values of equal types: events, answers and any JSON."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from examples import share
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue
from sample_events import EVENTS

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import dump_events, load_events
from quaestor.core import serial
from quaestor.core.answer_value import ListItem, Number, Text, ValueList, YesNo, value_from_text, value_to_text
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.steps import CellGroup, Compute, Plan
from quaestor.store.base import RunStore
from quaestor.testing.store_records import START, make_example, make_run, make_turns, run_scenario


@pytest.mark.parametrize("moment", [datetime(2026, 1, 1), START + timedelta(microseconds=1)])
def test_times_that_stores_cannot_restore_are_refused(moment: datetime) -> None:
    with pytest.raises(ValueError, match="started"):
        replace(make_run(), started=moment)


@pytest.mark.parametrize("value", [1 << 63, -(1 << 63) - 1, {"a\0": 1}])
def test_values_that_some_store_cannot_hold_are_refused(value: JsonValue) -> None:
    with pytest.raises(ValueError, match="spec"):
        replace(make_run(), spec={"deep": [{"er": value}]})


AT = CellRef("NORD/2012/page_41.pdf", 0, 1, 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT.filter(lambda key: "\0" not in key), inner, max_size=3)
    ),
    max_leaves=6,
)


def test_every_event_is_restored(uri: str) -> None:
    run, events = make_run(), EVENTS
    turns = tuple(replace(turn, events=dump_events(events)) for turn in make_turns(run))

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(make_example(run), turns)
        for index in (0, 1):
            assert load_events((await store.turn(run.id, "c1", index)).events) == events

    run_scenario(uri, scenario)


def test_every_kind_of_answer_is_restored(uri: str) -> None:
    cells = CellGroup(
        "net sales", ("2009", "2010"), (Quantity(Decimal("3.10")), Quantity(Decimal(4))), (AT, AT), 0, Scale.MILLION
    )
    several = ValueList(
        (ListItem("2010", Decimal(4)), ListItem("europe"), ListItem(None, Decimal("0.30"), Scale.PERCENT))
    )
    answers = tuple(
        Answer(
            value,
            Scale.MILLION,
            plan=Plan((Compute(1, "argmax", (cells,)),)),
            sources=(AT,),
            period=Period("year", 2010),
        )
        for value in (Number(Decimal("1.50")), YesNo(False), Text("2010"), Text(""), several, ValueList(()))
    )
    run = make_run()
    turns = tuple(
        replace(turn, answer=serial.dump(answer), number=None if answer.value is None else value_to_text(answer.value))
        for turn, answer in zip(make_turns(run, count=len(answers)), answers, strict=True)
    )

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(make_example(run), turns)
        loaded = await store.turns(run.id)
        assert tuple(serial.load(Answer, turn.answer) for turn in loaded) == answers
        assert tuple(value_from_text(turn.number or "") for turn in loaded) == tuple(answer.value for answer in answers)

    run_scenario(uri, scenario)


@pytest.mark.slow
@settings(max_examples=share(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(JSON, min_size=1, max_size=6))
def test_any_json_is_restored_with_equal_values_and_types(uri: str, values: list[JsonValue]) -> None:
    run = make_run(uuid.uuid4().hex)
    turns = tuple(
        replace(turn, answer={"value": value}, sources=[value], tool_calls=[value], question=repr(value))
        for turn, value in zip(make_turns(run, count=len(values)), values, strict=True)
    )

    async def scenario(store: RunStore) -> None:
        await store.create_run(replace(run, spec={"all": values}))
        await store.complete_example(make_example(run), turns)
        assert await store.turns(run.id) == turns
        assert repr((await store.run(run.id)).spec) == repr({"all": values})

    run_scenario(uri, scenario)
