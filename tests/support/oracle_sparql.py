"""A model that names the values and the formula of a plan without a mistake.

Values are queried by instance and property if these identify them, else by the labels of row and column, else by their
node. If the page prints a number at several places, the one whose words are most like those of the question is used.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from model_server import Script
from plan_steps import needs_more_than_numbers

from quaestor.graph.facts import Observation
from quaestor.graph.writing import observation_node
from quaestor.ontology.terms import property_name
from quaestor.plan.expressions import LIST_FUNCTIONS
from quaestor.plan.steps import CellGroup, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.solvers.base import TurnContext
from quaestor.solvers.sparql.grounding import QueriedNumbers
from quaestor.testing.models import ReceivedRequest, Reply, structured

_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "**", "greater": ">"}
_ROWS = {"table_sum": "sum", "table_average": "avg", "table_max": "max", "table_min": "min"}


def sparql_script(context: TurnContext, plan: Callable[[], Plan]) -> Script:
    """Return the script of a turn: the values, then the formula."""
    plans: list[WrittenPlan] = []

    def answer(request: ReceivedRequest) -> Reply:
        if not plans:
            plans.append(WrittenPlan(context, plan()))
        (written,) = plans
        reasoning = {"reasoning": written.plan.thought}
        if "The values that you named" in request.prompts[0]:
            return structured(request, {"formula": written.formula, **reasoning})
        if needs_more_than_numbers(written.plan) and "- cells: " not in request.prompts[0]:
            return structured(request, {"reasoning": "it is no number", "values": [], "no_answer": "other"})
        return structured(request, {**written.named, **reasoning})

    return answer


@dataclass
class WrittenPlan:
    """A plan as values and a formula."""

    context: TurnContext
    plan: Plan
    values: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = QueriedNumbers(self.context.graph)
        self._names: dict[object, str] = {}
        self.formula = self._step(len(self.plan.steps))
        if not self.values:
            # The plan uses constants only: naming no values would mean that there is no answer.
            self.values = [{"name": "constants", "description": self.formula, "constant": 0}]

    @property
    def named(self) -> dict[str, Any]:
        """The reply of the first phase: the values, and the name of the one that is the answer."""
        if self.formula in self._names.values():
            return {"values": self.values, "answer": self.formula}
        return {"values": self.values}

    def _step(self, number: int) -> str:
        step = self.plan.steps[number - 1]
        if isinstance(step, Extract) and step.text is not None:
            return self._named(step.source, step.label, {"words": step.text})
        if isinstance(step, Extract):
            name = self._on_page(step)
            return f"abs({name})" if step.reading == "magnitude" else name
        if step.operation in _ROWS:
            (label,) = step.operands
            assert isinstance(label, RowRef)
            return f"{_ROWS[step.operation]}({', '.join(self._row(label))})"
        operands = [self._operand(operand) for operand in step.operands]
        if step.operation == "as_printed" or step.operation in LIST_FUNCTIONS:
            return f"{step.operation}({', '.join(operands)})"
        return operands[0] if step.operation == "identity" else f"({f' {_SIGNS[step.operation]} '.join(operands)})"

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Constant):
            return f"{operand.value:f}"
        if isinstance(operand, CellGroup):
            return self._named(operand, operand.text, {"cells": self._cells(operand)})
        assert isinstance(operand, Ref)
        if operand.step > 0:
            return self._step(operand.step)
        place = len(self.context.memory.turns) + operand.step
        return self._named(operand, f"result {place}", {"result": f"result_{place}"})

    def _on_page(self, step: Extract) -> str:
        node = next(
            node
            for node, number in self._numbers.by_node.items()
            if number.source == step.source and number.quantity == step.quantity
        )
        return self._named(node, step.label, {"sparql": self._query(node)})

    def _row(self, label: RowRef) -> list[str]:
        rows = [o for o in self.context.graph.observations if o.order == 0 and o.row.label == label.text]
        nodes = [observation_node(o) for o in rows if o.source.row == rows[-1].source.row]
        return [self._named(node, self._numbers.by_node[node].label, {"sparql": self._query(node)}) for node in nodes]

    def _cells(self, group: CellGroup) -> str:
        """Return a query for cells, by the label of their line if that finds exactly them, else by their nodes."""
        by_source = {number.source: node for node, number in self._numbers.by_node.items()}
        nodes = [by_source[source] for source in group.sources]
        numbers = [self._numbers.by_node[node] for node in nodes]
        ways = []
        if all(isinstance(number, Observation) for number in numbers):
            rows = {number.row.label for number in numbers if isinstance(number, Observation)}
            columns = {number.column.label for number in numbers if isinstance(number, Observation)}
            for own, other, labels in (("row", "column", rows), ("column", "row", columns)):
                if len(labels) == 1:
                    line = f"kg:{own}Label {_text(labels.pop())} ; kg:{other}Label ?label"
                    ways.append(f"SELECT ?label ?v {{ ?o {line} ; kg:value ?v }}")
        listed = f"SELECT ?v {{ VALUES ?o {{ {' '.join(nodes)} }} ?o kg:value ?v }}"
        return next((way for way in ways if set(self._numbers.find(way)) == set(nodes)), listed)

    def _query(self, node: str) -> str:
        number = self._numbers.by_node[node]
        ways = []
        if isinstance(number, Observation):
            labels = f"kg:rowLabel {_text(number.row.label)} ; kg:columnLabel {_text(number.column.label)}"
            ways = [
                f"SELECT ?value WHERE {{ {number.instance} {number.predicate} ?value }}",
                f"SELECT ?value WHERE {{ ?o a kg:Observation ; {labels} ; kg:value ?value }}",
            ]
        named = f"SELECT ?value WHERE {{ {node} kg:value ?value }}"
        return next((way for way in ways if [*self._numbers.find(way)] == [node]), named)

    def _named(self, what: object, label: str, value: dict[str, Any]) -> str:
        if what not in self._names:
            name = f"{property_name(label)[:60].strip('_')}_{len(self._names)}"
            self._names[what] = name
            self.values.append({"name": name, "description": label, **value})
        return self._names[what]


def _text(label: str) -> str:
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'
