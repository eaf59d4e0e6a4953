"""What a turn of the workflow leaves on record, and what can be counted from it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quaestor.conversation.events import (
    Event,
    LookedUp,
    NoAnswerGiven,
    PlanProposed,
    PlanRefused,
    ReplyRejected,
    as_object,
)
from quaestor.core import serial
from quaestor.solvers.workflow.checking import CheckedPlan, empty_fields
from quaestor.solvers.workflow.lowering import query_of
from quaestor.solvers.workflow.schema import ComputeStep, WorkflowPlan
from quaestor.solvers.workflow.selecting import SelectedCells
from quaestor.solvers.workflow.table_lookup import TableMatch

_LONGEST_LABEL = 500

WRITE_PLAN = "write_plan"
"""What a model is asked to return where it writes a plan."""


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """How plans went in a run.

    Attributes:
        first: Turns whose first reply could be run as it was.
        repaired: Turns that needed a repair and were answered.
        failed: Turns that failed to be answered.
        steps: Mean number of steps of the last plan of a turn.
        empty: Fields of steps that were left empty, in the last plans.
        silent: Turns in which the model said that there is no answer.
    """

    turns: int
    first: int
    repaired: int
    failed: int
    steps: float
    empty: int
    silent: int = 0


def as_json(written: WorkflowPlan) -> str:
    """Return a plan as a model writes it."""
    return json.dumps(serial.dump(written), ensure_ascii=False)


def plan_event(number: int, written: WorkflowPlan) -> PlanProposed:
    """Return the event of a plan."""
    return PlanProposed(number, as_object(written))


def found_events(examined: CheckedPlan) -> list[LookedUp]:
    """Return an event for each number that was found: the words, if they led, how well, and the runner-up."""
    found = []
    for place, step in enumerate(examined.written.steps):
        number = examined.found.get(place)
        if isinstance(step, ComputeStep) or number is None:
            continue
        if isinstance(number, SelectedCells):
            found.append(LookedUp(place + 1, query_of(step), number.label[:_LONGEST_LABEL], number.score))
        elif isinstance(number, TableMatch):
            runner_up = (number.runner_up, number.runner_up_score) if number.runner_up else (None, None)
            found.append(LookedUp(place + 1, query_of(step), number.label, number.score, *runner_up))
        else:
            found.append(LookedUp(place + 1, query_of(step), number.label))
    return found


def statistics(turns: Iterable[tuple[Sequence[Event], bool]]) -> PlanStatistics:
    """Return the figures of some turns.

    Args:
        turns: For each what happened in it, and whether it was answered.
    """
    asked = [(events, answered) for events, answered in turns if any(map(_of_plan, events))]
    faultless = [not any(map(_is_fault, events)) for events, _ in asked]
    silent = sum(not answered and any(isinstance(e, NoAnswerGiven) for e in events) for events, answered in asked)
    plans = [plan for events, _ in asked if (plan := _last_plan(events)) is not None]
    return PlanStatistics(
        turns=len(asked),
        first=sum(well and answered for well, (_, answered) in zip(faultless, asked, strict=True)),
        repaired=sum(not well and answered for well, (_, answered) in zip(faultless, asked, strict=True)),
        failed=sum(not answered for _, answered in asked) - silent,
        steps=sum(len(plan.steps) for plan in plans) / len(plans) if plans else 0.0,
        empty=sum(map(empty_fields, plans)),
        silent=silent,
    )


def _of_plan(event: Event) -> bool:
    return isinstance(event, PlanProposed) or _is_fault(event)


def _is_fault(event: Event) -> bool:
    return isinstance(event, PlanRefused) or (isinstance(event, ReplyRejected) and event.wanted == WRITE_PLAN)


def _last_plan(events: Sequence[Event]) -> WorkflowPlan | None:
    last = next((event for event in reversed(events) if isinstance(event, PlanProposed)), None)
    return serial.restore(WorkflowPlan, last.plan) if last else None
