"""A plan as a diagram for people: its inputs, its operations, and the result of each step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Number
from quaestor.core.provenance import Source
from quaestor.plan.execute import StepResult
from quaestor.plan.operations import metric_of
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef

NodeKind = Literal["taken", "row", "group", "constant", "earlier", "operation"]
_SIGNS = {"add": "+", "subtract": "\u2212", "multiply": "\u00d7", "divide": "\u00f7", "greater": ">", "exp": "^"}


@dataclass(frozen=True, slots=True)
class PlanNode:
    """A node of a plan.

    Attributes:
        key: Its unique key in the plan.
        kind: A number or text of the document, a row, a group of cells, a constant, an earlier answer or an operation.
        title: The label of a number, or the name of an operation.
        value: Its result, in words; "" if it is unknown.
        inputs: The keys of its inputs, in order.
        sources: The places in the document; empty for an operation.
        turn: The number of the earlier answer, from 1, or null.
        step: The number of the step in the plan, from 1; 0 if it is not a step.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    key: str
    kind: NodeKind
    title: str
    value: str = ""
    inputs: tuple[str, ...] = ()
    sources: tuple[Annotated[Source, Discriminator("kind")], ...] = ()
    turn: int | None = None
    step: int = 0


def turn_nodes(turn: Turn, earlier: Sequence[Answer]) -> tuple[PlanNode, ...]:
    """Return the nodes of a turn's plan; empty without a plan."""
    plan = turn.answer.plan
    return () if plan is None else plan_nodes(plan, turn.registers, [*map(show_number, earlier)])


def plan_nodes(plan: Plan, registers: Sequence[StepResult] = (), earlier: Sequence[str] = ()) -> tuple[PlanNode, ...]:
    """Return the nodes of a plan in topological order; the last one is the answer."""
    nodes: dict[str, PlanNode] = {}
    for place, step in enumerate(plan.steps):
        value = _result_text(step, registers[place]) if place < len(registers) else ""
        if isinstance(step, Extract):
            shown = value or step.text or (step.quantity.text if step.quantity else "")
            node = PlanNode(f"s{step.id}", "taken", step.label, shown, sources=(step.source,), step=step.id)
        else:
            inputs = []
            for number, operand in enumerate(step.operands):
                if isinstance(operand, Ref) and operand.step >= 0:
                    inputs.append(f"s{operand.step}")
                else:
                    input_node = _input_node(operand, f"{step.id}-{number}", earlier)
                    nodes.setdefault(input_node.key, input_node)
                    inputs.append(input_node.key)
            node = PlanNode(f"s{step.id}", "operation", step.operation, value, tuple(inputs), step=step.id)
        nodes[node.key] = node
    return tuple(nodes.values())


def operation_sign(name: str) -> str:
    """Return the sign of an operation, or its name if it has none.

    >>> operation_sign("add"), operation_sign("table_sum")
    ('+', 'table sum')
    """
    return _SIGNS.get(name, name.replace("_", " "))


def _input_node(operand: Operand, place: str, earlier: Sequence[str]) -> PlanNode:
    """Return the node of an operand that is not a step of the plan."""
    match operand:
        case Ref(step=step):
            turn = len(earlier) + step
            if turn < 0:
                return PlanNode(f"e{step}", "earlier", f"the answer {-step} turns ago")
            return PlanNode(f"e{step}", "earlier", f"answer of turn {turn + 1}", earlier[turn], turn=turn + 1)
        case Constant():
            return PlanNode(f"c{place}", "constant", "constant", _constant(operand))
        case RowRef():
            return PlanNode(f"r{place}", "row", operand.text, _first_numbers(operand), sources=operand.sources)
        case CellGroup():
            return PlanNode(f"g{place}", "group", operand.text, _first_numbers(operand), sources=operand.sources)


def _constant(operand: Constant) -> str:
    if operand.scale is None and operand.unit is None:
        return f"{operand.value:,f}"
    return show_number(Answer(value=Number(operand.value), scale=operand.counts.scale, unit=operand.unit))


def _first_numbers(operand: RowRef | CellGroup) -> str:
    shown = [quantity.text for quantity in operand.values[:3]]
    more = len(operand.values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _result_text(step: Extract | Compute, register: StepResult) -> str:
    metric = metric_of(step.operation) if isinstance(step, Compute) else "value"
    return show_number(Answer(value=register.value, scale=register.scale, unit=register.unit, metric_type=metric))
