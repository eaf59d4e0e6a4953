import json
from dataclasses import dataclass
from typing import get_args

import pytest
from many_cases import for_each
from pydantic import JsonValue
from sample_events import EVENTS
from values import a_value

from quaestor.conversation.events import (
    AnswerClaimed,
    Event,
    ExpertEvent,
    LookedUp,
    NoAnswerGiven,
    Note,
    StageAnswered,
    ToolCalled,
    Trace,
    as_object,
    dump_events,
    event_lines,
    load_events,
)
from quaestor.core.quantity import Scale
from quaestor.errors import StoredValueError

KINDS: tuple[type, ...] = get_args(get_args(Event)[0])


def test_every_event_kind_has_an_example_and_a_unique_name() -> None:
    assert {type(event) for event in EVENTS} == set(KINDS)
    assert len({event.kind for event in EVENTS}) == len(KINDS)


@for_each(EVENTS)
def test_event_is_restored_from_json_and_described_in_lines(event: Event) -> None:
    text = json.dumps(dump_events([event]))
    assert load_events(json.loads(text)) == (event,)
    assert json.loads(text)[0]["kind"] == event.kind
    lines = event_lines([event])
    assert lines
    assert all(line.splitlines() == [line] for line in lines)


def test_lines_name_the_subject_of_an_event() -> None:
    look_up = LookedUp(2, "cash | 2009", "cash, 2009", 97.5, "costs, 2009", 60.0)
    expert = ExpertEvent(2, "reflection", ExpertEvent(1, "agent", ToolCalled("calculate", 4)))
    stage = StageAnswered(1, "embedded", accepted=False, shown="$ 7", confidence=0.412, least=0.7)
    for event, named in (
        (Note("one\ntwo"), ("one", "two")),
        (look_up, ("step 2", "cash | 2009", "cash, 2009", "97.5", "costs, 2009", "60")),
        (expert, ("draft 2", "reflection", "draft 1", "agent", "calculate")),
        (stage, ("stage 1", "embedded", "$ 7", "41%", "70%")),
        (NoAnswerGiven("ambiguous", "two lines fit"), ("two lines fit",)),
        (AnswerClaimed(a_value(1), Scale.MILLION, "USD"), ("1 million USD",)),
    ):
        shown = " ".join(event_lines([event]))
        assert [part for part in named if part not in shown] == []


def test_trace_is_restored_in_order() -> None:
    assert load_events(dump_events(EVENTS)) == EVENTS
    assert event_lines(EVENTS) == tuple(line for event in EVENTS for line in event_lines([event]))


@pytest.mark.parametrize("stored", [{"kind": "sung"}, {"text": "no kind"}, "text", {"kind": "tool_called", "tool": 1}])
def test_malformed_events_are_refused(stored: JsonValue) -> None:
    with pytest.raises(StoredValueError):
        load_events([stored])


@dataclass(frozen=True)
class UnusualValues:
    number: int
    share: float
    free: dict[str, float]
    absent: str | None = None


def test_model_output_is_converted_to_storable_json() -> None:
    written = as_object(UnusualValues(10**30, float("inf"), {"a\0b": -2.0}))
    assert written == {"number": str(10**30), "share": "inf", "free": {"a b": -2.0}}
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_trace_can_only_be_read_and_appended_to() -> None:
    trace = Trace()
    trace.append(Note("one"))
    trace.extend([Note("two"), Note("three")])
    assert [event.text for event in trace if isinstance(event, Note)] == ["one", "two", "three"]
    assert len(trace) == len(trace.events) == 3
    for _ in trace:  # events that are appended during an iteration are not part of it
        trace.append(Note("later"))
    assert len(trace) == 6
    for change in ("insert", "pop", "remove", "clear", "sort", "__setitem__", "__delitem__"):
        assert not hasattr(trace, change)
