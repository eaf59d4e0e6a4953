from dataclasses import replace

from store_records import a_run, some_turns

from quaestor.application.stage_figures import StageFigures, stage_figures
from quaestor.cli.render_figures import stage_lines
from quaestor.conversation.events.kinds import Event, Note, dump_events
from quaestor.conversation.events.stages import StageAnswered
from quaestor.store.records import TurnRecord

ASKED = {"requests": 2, "input_tokens": 1000, "output_tokens": 100, "cost_millionths": 2500}


def turn(*events: Event) -> TurnRecord:
    return replace(some_turns(a_run())[1], events=dump_events(events))


def first(*, taken: bool) -> StageAnswered:
    return StageAnswered(1, "embedded", taken, "7", 0.5, 0.7, seconds=0.01)


def test_turns_answers_failures_time_and_usage_are_told_by_stage() -> None:
    sure = turn(Note("x"), first(taken=True))
    unsure = turn(first(taken=False), StageAnswered(2, "workflow", True, "8", seconds=2.0, usage=ASKED))
    failed = turn(first(taken=False), StageAnswered(2, "workflow", False, error="no plan", seconds=1.0, usage=ASKED))
    one, two = found = stage_figures([sure, unsure, failed])
    assert one == StageFigures(1, "embedded", 3, 1, 0, 0.03, {})
    assert (two.asked, two.answered, two.failed, two.seconds) == (2, 1, 1, 3.0)
    assert (two.usage["requests"], two.usage["cost_millionths"]) == (4, 5000)
    first_line, second_line = stage_lines(found).values()
    assert all(part in first_line for part in ("embedded", "33.3 %", "10 ms"))
    assert all(part in second_line for part in ("workflow", "50.0 %", "1.5 s", "2,000", "0.0050"))


def test_a_run_without_stages_has_none() -> None:
    assert stage_figures([turn(Note("x"))]) == ()
    assert stage_lines(()) == {}
