"""Write correct drafts from plans, and corrupt plans and drafts."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from gold_plans import GoldPlans
from values import number_in, quantity_of

from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.answer_value import YesNo, print_value
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.facts import Observation
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import benchmark_rows
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step
from quaestor.scoring.gold import read_gold
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.reflection.drafts import Draft, examine_draft, parse_draft
from quaestor.solvers.reflection.evidence import Finding
from quaestor.solvers.reflection.numbers import NumberIndex, place_code
from quaestor.store.records import now

_FACTORS = tuple(map(Decimal, ("1.1", "0.9", "1.01", "2", "10", "-1")))

Written = dict[str, Any]
"""A draft as JSON."""


_OF_ROWS = {"table_sum": "sum", "table_average": "average", "table_max": "maximum", "table_min": "minimum"}


def spelled_out(plan: Plan, document: Document) -> Plan:
    """Return the plan with each number of a table row as its own step, as in a draft."""
    grid = [[(cell.text, cell.ref) for cell in row] for table in document.tables for row in table.cells]
    steps: list[Step] = []
    numbers: dict[int, int] = {}

    def renumber(operand: Operand) -> Operand:
        return Ref(numbers[operand.step]) if isinstance(operand, Ref) and operand.step > 0 else operand

    for step in plan.steps:
        if isinstance(step, Extract):
            steps.append(replace(step, id=len(steps) + 1))
        elif step.operation in _OF_ROWS:
            label = step.operands[0]
            assert isinstance(label, RowRef)
            first = len(steps) + 1
            for quantity, source in benchmark_rows(grid)[label.text]:
                steps.append(Extract(len(steps) + 1, source, label.text, quantity))
            cells = tuple(Ref(number) for number in range(first, len(steps) + 1))
            steps.append(Compute(len(steps) + 1, _OF_ROWS[step.operation], cells))
        else:
            steps.append(replace(step, id=len(steps) + 1, operands=tuple(map(renumber, step.operands))))
        numbers[step.id] = len(steps)
    return replace(plan, steps=tuple(steps))


def write_draft(plan: Plan, context: TurnContext) -> Written:
    """Return a plan of numbers as the draft of an expert who makes no mistake, with all results."""
    execution = execute(plan, context.memory.registers)
    steps = write_steps(plan)
    for step, register in zip(steps, execution.registers, strict=True):
        if step["kind"] == "calculate":
            step["result"] = _number(register)
    result = execution.result
    return {"reasoning": "", "steps": steps, "answer": _number(result), "scale": result.scale.value}


def write_steps(plan: Plan) -> list[Written]:
    """Return the steps of a draft for a plan, without results; the cells of a group are looked up one by one."""
    steps: list[Written] = []
    places: dict[int, int] = {}

    def look_up(what: str, quantity: Quantity, source: Source, sign: int = 1) -> str:
        value = f"{sign * quantity.value:f}" + "%" * (quantity.scale is Scale.PERCENT)
        return add({"kind": "look_up", "what": what, "value": value, "where": place_code(source)})

    def add(step: Written) -> str:
        steps.append(step)
        return f"#{len(steps)}"

    def operands(operand: Operand, of_list: bool) -> list[str]:
        if isinstance(operand, CellGroup):
            cells = zip(operand.labels, operand.values, operand.sources, strict=True)
            found = [look_up(f"{operand.text}, {label}", value, place) for label, value, place in cells]
            return found if of_list else [add({"kind": "calculate", "operation": "items", "operands": found})]
        return [f"#{places.get(operand.step, operand.step)}" if isinstance(operand, Ref) else operand.text]

    for step in plan.steps:
        if isinstance(step, Extract) and step.text is not None:
            add({"kind": "quote", "words": step.text})
        elif isinstance(step, Extract):
            look_up(step.label, quantity_of(step), step.source, -1 if step.reading == "magnitude" else 1)
        else:
            of_list = OPERATIONS[step.operation].of_list
            taken = [text for operand in step.operands for text in operands(operand, of_list)]
            if step.operation != "identity":
                add({"kind": "calculate", "operation": step.operation, "operands": taken})
            elif taken[0].startswith("#-"):
                add({"kind": "earlier_answer", "answer": taken[0]})
            else:
                add({"kind": "calculate", "operation": "add", "operands": [*taken, 0]})
        places[step.id] = len(steps)
    return steps


def _number(register: StepResult) -> object:
    if isinstance(register.value, YesNo):
        return print_value(register.value)
    value = number_in(register.value)
    return f"{+value:.12g}".replace("E+", "e") if "E" in f"{value:.12g}" else f"{value:.12g}"


class Corruptor:
    """Introduce one kind of mistake into a plan or draft; return None if it does not apply."""

    def __init__(self, seed: int = 0) -> None:
        self._draw = random.Random(seed)

    def wrong_cell(self, plan: Plan, context: TurnContext) -> Plan | None:
        """Use another number of the same row or column, with its own description."""
        extracts = [s for s in plan.extracts if self._others(s, context)]
        if not extracts:
            return None
        step = self._draw.choice(extracts)
        other = self._draw.choice(self._others(step, context))
        changed = replace(step, source=other.source, label=other.label, quantity=other.quantity, reading="signed")
        return self._with(plan, changed)

    def swapped(self, plan: Plan, context: TurnContext) -> Plan | None:
        """Swap the operands of a subtraction, division or comparison."""
        steps = [s for s in plan.steps if isinstance(s, Compute) and s.operation in ("subtract", "divide", "greater")]
        if not steps:
            return None
        step = self._draw.choice(steps)
        return self._with(plan, replace(step, operands=step.operands[::-1]))

    def flipped_sign(self, plan: Plan, context: TurnContext) -> Plan | None:
        """Use a number with the opposite sign."""
        extracts = [s for s in plan.extracts if quantity_of(s).value]
        if not extracts:
            return None
        step = self._draw.choice(extracts)
        if quantity_of(step).value < 0:
            return self._with(plan, replace(step, reading="signed" if step.reading == "magnitude" else "magnitude"))
        flipped = replace(quantity_of(step), value=-quantity_of(step).value)
        return self._with(plan, replace(step, quantity=flipped))

    def wrong_operation(self, plan: Plan, context: TurnContext) -> Plan | None:
        """Use another operation on the same operands."""
        steps = [
            s for s in plan.steps if isinstance(s, Compute) and s.operation in ("add", "subtract", "multiply", "divide")
        ]
        if not steps:
            return None
        step = self._draw.choice(steps)
        others = [name for name in ("add", "subtract", "multiply", "divide") if name != step.operation]
        return self._with(plan, replace(step, operation=self._draw.choice(others)))

    def wrong_scale(self, plan: Plan, context: TurnContext) -> Plan | None:
        """Multiply or divide the result by a thousand or a million."""
        if execute(plan, context.memory.registers).result.number is None:
            return None
        factor = self._draw.choice((1000, 1_000_000))
        last = len(plan.steps)
        operation = self._draw.choice(("multiply", "divide"))
        scaled = Compute(last + 1, operation, (Ref(last), Constant(Decimal(factor), f"const_{factor}")))
        return replace(plan, steps=(*plan.steps, scaled))

    def wrong_arithmetic(self, draft: Written) -> Written | None:
        """Change a result by a large or a small factor; if the step is the last, change the answer too."""
        steps = [
            i for i, s in enumerate(draft["steps"]) if s["kind"] == "calculate" and s["result"] not in ("yes", "no")
        ]
        if not steps:
            return None
        place = self._draw.choice(steps)
        value = Decimal(str(draft["steps"][place]["result"]))
        off = value * self._draw.choice(_FACTORS) or Decimal(1)
        changed = self._changed(draft, place, result=f"{off:f}")
        return {**changed, "answer": f"{off:f}"} if place == len(draft["steps"]) - 1 else changed

    def made_up(self, draft: Written, context: TurnContext) -> Written | None:
        """Replace a number with one that the page does not print."""
        places = [i for i, s in enumerate(draft["steps"]) if s["kind"] == "look_up"]
        if not places:
            return None
        place = self._draw.choice(places)
        known = {abs(n.quantity.value) for n in NumberIndex(context.graph).all}
        known |= {abs(n.quantity.number) for n in NumberIndex(context.graph).all}
        value = Decimal(self._draw.randrange(1000, 10**6)) / 10
        while value in known:
            value += 1
        return self._changed(draft, place, value=f"{value:f}")

    def misread(self, draft: Written, context: TurnContext) -> Written | None:
        """Replace a number with that of another cell, keeping its name and place."""
        graph = context.graph
        places = [i for i, s in enumerate(draft["steps"]) if s["kind"] == "look_up" and s["where"].startswith("T")]
        if not places or len({o.quantity.value for o in graph.observations}) < 2:
            return None
        place = self._draw.choice(places)
        right = draft["steps"][place]["where"]  # A cell may print two numbers.
        there = {abs(n.quantity.value) for n in NumberIndex(graph).all if place_code(n.source) == right}
        others = [o for o in graph.observations if abs(o.quantity.value) not in there]
        if not others:
            return None
        value = self._draw.choice(others).quantity
        written = f"{value.value:f}" + ("%" if value.scale is Scale.PERCENT else "")
        if written == draft["steps"][place]["value"]:
            return None
        return self._changed(draft, place, value=written)

    def _others(self, step: Extract, context: TurnContext) -> list[Observation]:
        at = next((o for o in context.graph.observations if o.source == step.source), None)
        if at is None:
            return []
        return [
            o
            for o in context.graph.observations
            if o.source.table == at.source.table
            and (o.source.row == at.source.row) != (o.source.column == at.source.column)
            and abs(o.quantity.value) != abs(at.quantity.value)
        ]

    def _with(self, plan: Plan, step: Step) -> Plan:
        return replace(plan, steps=tuple(step if s.id == step.id else s for s in plan.steps))

    def _changed(self, draft: Written, place: int, **changes: object) -> Written:
        steps = [{**s, **changes} if i == place else s for i, s in enumerate(draft["steps"])]
        return {**draft, "steps": steps}


PLAN_MISTAKES: Mapping[str, Callable[[Corruptor, Plan, TurnContext], Plan | None]] = {
    "wrong cell": Corruptor.wrong_cell,
    "swapped operands": Corruptor.swapped,
    "flipped sign": Corruptor.flipped_sign,
    "wrong operation": Corruptor.wrong_operation,
    "wrong scale": Corruptor.wrong_scale,
}


def comes_to_another(plan: Plan, other: Plan, context: TurnContext) -> bool:
    """Return whether a corrupted plan has no answer, or another answer than the correct plan."""
    before = execute(plan, context.memory.registers).result
    try:
        after = execute(other, context.memory.registers).result
    except QuaestorError:
        return True
    return (before.value, before.scale) != (after.value, after.scale)


@dataclass(frozen=True)
class LabelledPlan:
    """A labelled turn with its reference as a plan.

    Attributes:
        context: The context of the turn; its memory contains the reference answers of earlier turns.
    """

    conversation: str
    question: str
    plan: Plan
    context: TurnContext


def labelled_plans(path: Path, conversations: int | None = None) -> Iterator[LabelledPlan]:
    """Yield the turns of a labelled file with their plans, for a random sample of conversations or for all."""
    golds = read_gold(path)
    chosen = list(read_dataset(path).conversations)
    if conversations is not None:
        chosen = random.Random(7).sample(chosen, conversations)
    knowledge = GraphProvider.of({c.document.id: c.document for c in chosen}.values())
    for conversation in chosen:
        graph, memory = knowledge.graph(conversation.document), Memory()
        plans = GoldPlans(graph)
        for question, gold in zip(conversation.questions, golds[conversation.id], strict=True):
            context = TurnContext(conversation.document, memory, graph, knowledge.ontology)
            plan = spelled_out(plans.add(question, gold.program), conversation.document)
            yield LabelledPlan(conversation.id, question, plan, context)
            memory = memory.add(Turn(question, answer_from_plan(plan, context), True, now(), now()))


def judge(draft: Written, turn: LabelledPlan) -> tuple[Finding, ...]:
    """Return the findings of the evidence about a draft."""
    read = serial.load(Draft, draft)
    numbers = NumberIndex(turn.context.graph)
    turns = len(turn.context.memory.turns)
    understood = parse_draft(read, turn.question, numbers, turn.context.document, turns)
    assert not understood.faults
    return examine_draft(understood, turn.question, turn.context.memory, numbers)
