"""What a turn of the workflow leaves on record, and what can be counted from it.

Owns the lines of the turn's understanding: each plan as JSON, each look-up, and how often it had to be repaired.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from quaestor.core import serial
from quaestor.solvers.workflow.checking import Examined, empty_fields
from quaestor.solvers.workflow.lowering import query_of
from quaestor.solvers.workflow.schema import ComputeStep, WorkflowPlan
from quaestor.solvers.workflow.table_lookup import Match

PHASE = "PLAN"
"""The phase in which plans are asked for; their faults are on record under its name."""

_PLAN = "plan "


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """How plans went in a run.

    Attributes:
        turns: Turns in which a plan was asked for.
        first: Turns whose first reply could be run as it was.
        repaired: Turns that needed a repair and were answered.
        failed: Turns without an answer.
        steps: Mean number of steps of the last plan of a turn.
        empty: Fields of steps that were left empty, in the last plans.
    """

    turns: int
    first: int
    repaired: int
    failed: int
    steps: float
    empty: int


def as_json(written: WorkflowPlan) -> str:
    """Returns a plan as a model writes it."""
    return json.dumps(serial.dump(written), ensure_ascii=False)


def plan_line(number: int, written: WorkflowPlan) -> str:
    """Returns the line for a plan."""
    return f"{_PLAN}{number}: {as_json(written)}"


def found_lines(examined: Examined) -> list[str]:
    """Returns a line for each number that was found: the words, where they led, how well, and the runner-up."""
    lines = []
    for place, step in enumerate(examined.written.steps):
        number = examined.numbers.get(place)
        if isinstance(step, ComputeStep) or number is None:
            continue
        how = ""
        if isinstance(number, Match):
            runner_up = f"; runner-up {number.runner_up} {number.runner_up_score:g}" if number.runner_up else ""
            how = f" (score {number.score:g}{runner_up})"
        lines.append(f"step {place + 1}: {query_of(step)} -> {number.label}{how}")
    return lines


def statistics(turns: Iterable[tuple[str | None, bool]]) -> PlanStatistics:
    """Returns the figures of some turns.

    Args:
        turns: For each the lines of its understanding, or None, and whether it was answered.
    """
    asked = [(text.splitlines(), answered) for text, answered in turns if text]
    asked = [(lines, answered) for lines, answered in asked if any(map(_of_plan, lines))]
    faultless = [not any(_is_fault(line) for line in lines) for lines, _ in asked]
    plans = [plan for lines, _ in asked if (plan := _last_plan(lines)) is not None]
    return PlanStatistics(
        turns=len(asked),
        first=sum(well and answered for well, (_, answered) in zip(faultless, asked, strict=True)),
        repaired=sum(not well and answered for well, (_, answered) in zip(faultless, asked, strict=True)),
        failed=sum(not answered for _, answered in asked),
        steps=sum(len(plan.steps) for plan in plans) / len(plans) if plans else 0.0,
        empty=sum(map(empty_fields, plans)),
    )


def _of_plan(line: str) -> bool:
    return line.startswith(_PLAN) or _is_fault(line)


def _is_fault(line: str) -> bool:
    return line.startswith(f"{PHASE}, ") or line.startswith(f"{PHASE}_again")


def _last_plan(lines: list[str]) -> WorkflowPlan | None:
    for line in reversed(lines):
        if line.startswith(_PLAN):
            try:
                return serial.load(WorkflowPlan, json.loads(line.partition(": ")[2]))
            except (ValueError, ValidationError):
                return None
    return None
