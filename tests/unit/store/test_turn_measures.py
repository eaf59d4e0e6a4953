"""What is filed of a turn for the figures of its run: of any JSON."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quaestor.store.turn_summary import TurnMeasures, measure_parts

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
    found = measure_parts(START, START + timedelta(milliseconds=1), counts, [{}, {}], events)
    assert found == TurnMeasures(1, 2, 34, 5, 2, 2, True, 2)


def test_a_turn_that_has_not_ended_took_no_time() -> None:
    assert measure_parts(START, None, {}, [], []) == TurnMeasures()


@given(st.lists(JSON), st.dictionaries(st.sampled_from(["requests", "input_tokens"]), JSON))
def test_nothing_that_a_store_holds_is_refused(events: list[Any], usage: dict[str, Any]) -> None:
    assert measure_parts(START, START, usage, [], events).refusals >= 0
