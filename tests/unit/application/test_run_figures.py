"""Figures about the turns of runs and the stages of a cascade."""

from dataclasses import replace
from datetime import timedelta

from quaestor.application.run_figures import StageFigures, stage_figures, turn_figures
from quaestor.cli.render_runs import figure_lines, stage_lines
from quaestor.conversation.events import (
    Event,
    ExpertEvent,
    NoAnswerGiven,
    Note,
    PlanRefused,
    ReplyRejected,
    StageAnswered,
    dump_events,
)
from quaestor.store.records import TurnRecord
from quaestor.testing.store_records import START, make_run, make_turns, measure_records

REJECTED = ReplyRejected("ANSWER", "submit_answer", 1, ("no number",))


def turns(count: int) -> list[TurnRecord]:
    """Return answered turns; turn n took n hundred milliseconds, n requests and n tool calls."""
    one = make_turns(make_run())[1]
    return [
        replace(
            one,
            index=number - 1,
            finished=START + timedelta(milliseconds=100 * number),
            usage={
                "requests": number,
                "input_tokens": 10 * number,
                "output_tokens": number,
                "cached_tokens": 4 * number,
            },
            tool_calls=one.tool_calls * number,
            events=[],
        )
        for number in range(1, count + 1)
    ]


def test_time_calls_and_tokens_are_per_turn() -> None:
    found = turn_figures(measure_records(turns(21)))
    assert found is not None
    assert (found.turns, found.mean_requests, found.mean_tokens, found.mean_tool_calls) == (21, 11.0, 121.0, 11.0)
    assert found.mean_cached == 44.0
    assert "11.00 requests, 121 tokens (44 from the cache), 11.00 tool calls" in figure_lines(found, {})["per turn"]
    assert round(found.mean_seconds, 9) == 1.1
    assert round(found.p95_seconds, 9) == 2.0  # one of twenty turns took longer
    assert (found.p95_requests, found.p95_tokens, found.p95_tool_calls) == (20.0, 220.0, 20.0)


def test_figures_of_one_turn_and_of_none() -> None:
    found = turn_figures(measure_records(turns(1)))
    assert found is not None
    assert (found.mean_seconds, found.p95_seconds) == (0.1, 0.1)
    assert turn_figures(measure_records(())) is None


def test_repairs_are_counted_regardless_of_their_cause() -> None:
    first, second, third, fourth = turns(4)
    within = ExpertEvent(1, "agent", REJECTED)
    run = [
        replace(first, events=dump_events([Note("looked")])),
        replace(second, events=dump_events([REJECTED, PlanRefused("PLAN", 1, ("no row",))])),
        replace(third, events=dump_events([within]), verified=False),
        replace(fourth, events=dump_events([REJECTED]), number=None, verified=False),
    ]
    found = turn_figures(measure_records(run))
    assert found is not None
    assert (found.first_try, found.repaired, found.failed, found.repairs) == (1, 2, 1, 4)
    assert found.verified == 2


def test_turn_declined_by_a_model_has_not_failed() -> None:
    first, second, third = turns(3)
    silence = ExpertEvent(1, "workflow", NoAnswerGiven("ambiguous"))
    run = [
        first,
        replace(second, events=dump_events([silence]), number=None, verified=False),
        replace(third, number=None, verified=False),
    ]
    found = turn_figures(measure_records(run))
    assert found is not None
    assert (found.first_try, found.failed, found.silent) == (1, 1, 1)
    assert figure_lines(found, {})["plans"].count("1 (33.3 %)") >= 2


ASKED = {"requests": 2, "input_tokens": 1000, "output_tokens": 100, "cost_millionths": 2500}


def turn(*events: Event) -> TurnRecord:
    return replace(make_turns(make_run())[1], events=dump_events(events))


def first(*, accepted: bool) -> StageAnswered:
    return StageAnswered(1, "embedded", accepted, "7", 0.5, 0.7, seconds=0.01)


def test_turns_answers_failures_time_and_usage_are_counted_by_stage() -> None:
    sure = turn(Note("x"), first(accepted=True))
    unsure = turn(first(accepted=False), StageAnswered(2, "workflow", True, "8", seconds=2.0, usage=ASKED))
    failed = turn(first(accepted=False), StageAnswered(2, "workflow", False, error="no plan", seconds=1.0, usage=ASKED))
    one, two = found = stage_figures([sure, unsure, failed])
    assert one == StageFigures(1, "embedded", 3, 1, 0, 0.03, {})
    assert (two.asked, two.answered, two.failed, two.seconds) == (2, 1, 1, 3.0)
    assert (two.usage["requests"], two.usage["cost_millionths"]) == (4, 5000)
    first_line, second_line = stage_lines(found).values()
    assert all(part in first_line for part in ("embedded", "33.3 %", "10 ms"))
    assert all(part in second_line for part in ("workflow", "50.0 %", "1.5 s", "2,000", "0.0050"))
