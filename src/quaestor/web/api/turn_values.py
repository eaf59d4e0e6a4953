"""What a plan is told as, for people to follow."""

from collections.abc import Iterable

from pydantic import JsonValue

from quaestor.application import plan_steps
from quaestor.core import serial
from quaestor.web.api.values import Value


class PlanNodeReply(Value):
    """A node of a plan.

    Attributes:
        key: Its unique key in the plan.
        kind: A number or text of the document, a row, a group of cells, a constant, an earlier answer or an operation.
        title: The label of a number, or the name of an operation.
        value: Its result, in words; "" if it is unknown.
        inputs: The keys of its inputs, in order.
        turn: The number of the earlier answer, from 1, or null.
        step: The number of the step in the plan, from 1; 0 if it is not a step.
    """

    key: str
    kind: plan_steps.NodeKind
    title: str
    value: str
    inputs: tuple[str, ...]
    sources: tuple[dict[str, JsonValue], ...]
    turn: int | None
    step: int


def nodes_of(nodes: Iterable[plan_steps.PlanNode]) -> tuple[PlanNodeReply, ...]:
    """Return what a plan is computed of, each after those that lead to it."""
    return tuple(
        PlanNodeReply.of(
            node,
            sources=tuple(serial.dump(source) for source in node.sources),
            turn=None if node.turn is None else node.turn + 1,
        )
        for node in nodes
    )
