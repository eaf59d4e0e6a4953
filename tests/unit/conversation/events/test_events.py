import json
from dataclasses import dataclass
from typing import get_args

import pytest
from pydantic import JsonValue, ValidationError
from sample_events import EVENTS

from quaestor.conversation.events.kinds import Event, Note, as_object, dump_events, load_events
from quaestor.conversation.events.lines import event_lines
from quaestor.conversation.events.trace import Trace

KINDS: tuple[type, ...] = get_args(get_args(Event)[0])


def test_every_kind_has_an_example_and_a_name_of_its_own() -> None:
    assert {type(event) for event, _ in EVENTS} == set(KINDS)
    assert len({event.kind for event, _ in EVENTS}) == len(KINDS)


@pytest.mark.parametrize(("event", "lines"), EVENTS, ids=lambda value: getattr(value, "kind", ""))
def test_an_event_comes_back_from_json_and_is_worded_in_lines(event: Event, lines: tuple[str, ...]) -> None:
    text = json.dumps(dump_events([event]))
    assert load_events(json.loads(text)) == (event,)
    assert json.loads(text)[0]["kind"] == event.kind
    assert event_lines([event]) == lines
    assert all(line.splitlines() == [line] for line in lines)


def test_all_of_them_come_back_in_their_order() -> None:
    events = tuple(event for event, _ in EVENTS)
    assert load_events(dump_events(events)) == events
    assert event_lines(events) == tuple(line for _, lines in EVENTS for line in lines)


@pytest.mark.parametrize("stored", [{"kind": "sung"}, {"text": "no kind"}, "text", {"kind": "tool_called", "tool": 1}])
def test_what_is_no_event_is_refused(stored: JsonValue) -> None:
    with pytest.raises(ValidationError):
        load_events([stored])


@dataclass(frozen=True)
class Wild:
    number: int
    share: float
    free: dict[str, float]
    absent: str | None = None


def test_what_a_model_wrote_becomes_what_every_store_holds() -> None:
    written = as_object(Wild(10**30, float("inf"), {"a\0b": -2.0}))
    assert written == {"number": str(10**30), "share": "inf", "free": {"a b": -2.0}}
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_a_trace_is_added_to_and_read_and_nothing_else() -> None:
    trace = Trace()
    trace.append(Note("one"))
    trace.extend([Note("two"), Note("three")])
    assert [event.text for event in trace if isinstance(event, Note)] == ["one", "two", "three"]
    assert len(trace) == len(trace.events) == 3
    for _ in trace:  # what is added while it is read comes with the next reading
        trace.append(Note("later"))
    assert len(trace) == 6
    for change in ("insert", "pop", "remove", "clear", "sort", "__setitem__", "__delitem__"):
        assert not hasattr(trace, change)
