"""What a plan is told as, for people to follow."""

from collections.abc import Iterable

from pydantic import JsonValue

from quaestor.application import plan_steps
from quaestor.core import serial
from quaestor.web.api.values import Value


class PlanNodeReply(Value):
    """One thing that a plan is computed of.

    Attributes:
        key: Tells it from the others of its plan.
        kind: A number or words that are taken, a row, a group of cells, a constant, an earlier answer, an operation.
        title: What it is: the label of a number, the name of an operation.
        value: What it came to, in words; "" where that is not known.
        inputs: The keys of those that lead to it, in the order of the operation.
        sources: Where it stands in the document.
        turn: Of an earlier answer its number in the conversation, from 1.
        step: The number of the step in the plan, from 1; 0 where it is no step.
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
    """Returns what a plan is computed of, each after those that lead to it."""
    return tuple(
        PlanNodeReply(
            key=node.key,
            kind=node.kind,
            title=node.title,
            value=node.value,
            inputs=node.inputs,
            sources=tuple(serial.dump(source) for source in node.sources),
            turn=None if node.turn is None else node.turn + 1,
            step=node.step,
        )
        for node in nodes
    )
