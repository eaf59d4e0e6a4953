"""How plans went in a run, counted from what its turns left on record."""

import json

import pytest

from quaestor.conversation.events import (
    Event,
    NoAnswerGiven,
    PlanProposed,
    PlanRefused,
    ReplyRejected,
    as_object,
    dump_events,
    load_events,
)
from quaestor.solvers.workflow.checking import WRITE_PLAN, PlanStatistics, statistics
from quaestor.solvers.workflow.schema import ComputeStep, LiteralNumber, WorkflowPlan

STEP = ComputeStep(1, "compute", "add", (LiteralNumber("literal", 1.0), LiteralNumber("literal", 2.0)))


def proposed(plan: WorkflowPlan) -> PlanProposed:
    return PlanProposed(1, as_object(plan))


@pytest.mark.parametrize("thought", ["one\u2028two", "one\x85two", "one\x0btwo", "one\ntwo"])
def test_a_plan_is_counted_whatever_breaks_lines_in_its_thought(thought: str) -> None:
    events = [proposed(WorkflowPlan(thought, (STEP, STEP)))]
    stored = load_events(json.loads(json.dumps(dump_events(events), ensure_ascii=False)))
    assert statistics([(stored, True)]) == PlanStatistics(turns=1, first=1, repaired=0, failed=0, steps=2.0, empty=0)


def test_what_had_to_be_mended_is_told_apart_from_what_failed() -> None:
    plan = proposed(WorkflowPlan("", (STEP,)))
    mended: list[Event] = [ReplyRejected("PLAN", WRITE_PLAN, 1, ("no JSON",)), plan]
    lost: list[Event] = [plan, PlanRefused("PLAN", 1, ("no such row",))]
    silent: list[Event] = [proposed(WorkflowPlan("", (), "ambiguous")), NoAnswerGiven("ambiguous")]
    found = statistics([([plan], True), (mended, True), (lost, False), (silent, False), ([], True)])
    assert (found.turns, found.first, found.repaired, found.failed, found.silent) == (4, 1, 1, 1, 1)
