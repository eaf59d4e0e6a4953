"""A model behind HTTP writes a plan, which is executed, or returned with its faults."""

from typing import Any

import pytest
from workflow_bench import OPERATING, change, compute, plan, play, script_of, table, text

from quaestor.conversation.events import NoAnswerGiven, Note, ReplyRejected, event_lines
from quaestor.solvers.signs import SIGN_DROPPED
from quaestor.solvers.workflow.checking import statistics
from quaestor.solvers.workflow.spec import WorkflowLimits
from quaestor.testing.models import Protocol, ReceivedRequest, Reply, structured

pytestmark = pytest.mark.usefixtures("local_models")

EXPENDITURES = text(1, "capital expenditures", "capital expenditures were in and")


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
@pytest.mark.parametrize("native", [True, False])
def test_a_plan_is_answered_with_its_sources(protocol: Protocol, native: bool) -> None:
    run = play(script_of([change()]), protocol=protocol, native=native)
    turn = run.turn
    assert turn.error is None
    assert turn.verified
    assert f"{turn.answer.number:.5f}" == "0.14136"
    assert len(turn.answer.sources) == 2
    assert run.phases == ["PLAN"]
    first, *_ = event_lines(turn.events)
    assert first.startswith('plan 1: {"thought_process"')
    assert any(
        f"step 1: {OPERATING} | 2009 -> {OPERATING}, 2009 (score 100" in line for line in event_lines(turn.events)
    )


@pytest.mark.parametrize("reason", ["not_on_page", "ambiguous"])
def test_model_may_decline_to_answer(reason: str) -> None:
    turn = play(script_of([{**plan(), "no_answer": reason}])).turn
    assert (turn.answer.value, turn.error) == (None, None)
    assert "as asked" in str(turn.answer.reason)
    given = turn.events[-1]
    assert isinstance(given, NoAnswerGiven)
    assert given.reason == reason


def test_absolute_value_of_a_number_used_once_is_read_as_a_magnitude() -> None:
    investing = "net cash from investing activities"
    turn = play(script_of([plan(table(1, investing, "2009"), compute(2, "absolute", 1))])).turn
    assert turn.answer.number == 72945
    assert turn.answer.plan is not None
    assert turn.answer.plan.extracts[0].reading == "magnitude"
    both = plan(table(1, investing, "2009"), compute(2, "absolute", 1), compute(3, "add", 1, 2))
    twice = play(script_of([both, both])).turn
    assert twice.answer.number == 0
    assert twice.answer.plan is not None
    assert twice.answer.plan.extracts[0].reading == "signed"


def test_earlier_answers_are_referred_to_backwards() -> None:
    script = script_of(
        [plan(table(1, OPERATING, "2009")), plan(table(1, OPERATING, "2008")), plan(compute(1, "subtract", -2, -1))]
    )
    run = play(script, "what was it in 2009?", "and in 2008?", "what was the change?")
    assert [f"{turn.answer.value}" for turn in run.turns] == ["206588", "181001", "25587"]
    assert "Answer (#-1): 181001" in run.requests[2].prompts[0]


def test_faulty_plan_is_returned_with_all_its_faults() -> None:
    faulty = plan(table(1, "operating cash", "2006"), compute(2, "divide", 1))
    run = play(script_of([faulty, change()]))
    assert run.turn.error is None
    assert run.phases == ["PLAN", "PLAN_repair_1"]
    prompt = run.requests[1].prompts[-1]
    assert "'2006'" in prompt
    assert "step 2 (divide)" in prompt
    kinds = [event.kind for event in run.turn.events]
    assert kinds[:3] == ["plan_proposed", "reply_rejected", "plan_proposed"]
    rejected = run.turn.events[1]
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.phase, rejected.wanted, rejected.number, len(rejected.faults)) == ("PLAN", "write_plan", 1, 2)


def test_a_plan_that_stays_faulty_is_a_named_error() -> None:
    faulty = plan(table(1, "goodwill", "2008"))
    run = play(script_of([faulty] * 9), limits=WorkflowLimits(repairs=2))
    assert len(run.exchanges) == 3
    assert run.turn.answer.value is None
    assert run.turn.error is not None
    assert "ModelReplyError" in run.turn.error
    assert "'goodwill'" in run.turn.error


def pointing(script: list[dict[str, Any]], *numbers: int) -> Any:
    plans, pointed = script_of(script), iter(numbers)

    def answer(request: ReceivedRequest) -> Reply:
        if "these numbers of the text fit" in request.prompts[0]:
            return structured(request, {"number": next(pointed)})
        return plans(request)

    return answer


def test_model_chooses_between_ambiguous_numbers_of_the_text() -> None:
    run = play(pointing([plan(EXPENDITURES)], 2))
    assert run.phases == ["PLAN", "POINT_step_1"]
    listed = run.requests[1].prompts[0]
    assert "1. 38.6 (USD, million, 2009) in: capital expenditures were [$ 38.6 million]" in listed
    assert f"{run.turn.answer.value}" == "44.1"
    assert run.turn.verified


def test_choice_beyond_the_list_is_repeated_and_none_returns_to_the_planner() -> None:
    run = play(pointing([plan(EXPENDITURES), change()], 9, 0))
    assert run.phases == ["PLAN", "POINT_step_1", "POINT_step_1_repair_1", "PLAN_again_1"]
    assert "9" in run.requests[2].prompts[-1]
    assert "step 1" in run.requests[3].prompts[0]
    assert run.turn.error is None


def test_runtime_errors_are_returned_within_the_same_limit() -> None:
    open_zero = plan(EXPENDITURES, compute(2, "subtract", 1, 1), compute(3, "divide", 1, 2))
    run = play(pointing([open_zero, open_zero, open_zero], 1, 1, 1), limits=WorkflowLimits(repairs=1))
    assert run.phases == ["PLAN", "POINT_step_1", "PLAN_again_1", "POINT_step_1"]
    assert run.turn.error is not None
    assert "step 3: 38.6" in run.turn.error


def test_statistics_count_recorded_events() -> None:
    faulty = plan(table(1, "goodwill", "2008"))
    script = script_of([change(), faulty, change(), faulty, faulty])
    turns = play(script, "first?", "second?", "third?", limits=WorkflowLimits(repairs=1)).turns
    found = statistics((turn.events, turn.answer.value is not None) for turn in turns)
    assert (found.turns, found.first, found.repaired, found.failed, found.empty) == (3, 1, 1, 1, 0)
    assert found.steps == pytest.approx(7 / 3)
    assert statistics([((), True), ((Note("plan 1: {}"),), True)]).turns == 0


@pytest.mark.parametrize(("question", "phases"), [("what was the change?", 2), ("what was the absolute change?", 1)])
def test_unrequested_absolute_value_is_reported_once_and_remarked(question: str, phases: int) -> None:
    looked_up = (table(1, OPERATING, "2009"), table(2, OPERATING, "2008"))
    size = plan(*looked_up, compute(3, "subtract", 2, 1), compute(4, "absolute", 3))
    run = play(script_of([size] * phases), question)
    assert run.turn.answer.number == 25587
    assert len(run.requests) == phases
    assert run.turn.answer.reason == (SIGN_DROPPED if phases == 2 else None)
    assert any(SIGN_DROPPED in line for line in event_lines(run.turn.events)) == (phases == 2)
