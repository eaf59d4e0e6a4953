"""A model that is given the reference program of each turn, and makes the tool calls that a perfect agent would make.

It knows a page as a reader would: by its graph. A number is asked for by the call that returns it, what an earlier turn
answered is referred to, every step of the program is calculated. It never looks at the reference's result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gold_plans import plan_of
from model_replies import Asked, Call, Reply
from model_server import Script
from oracle import question_of

from quaestor.core.answer_value import json_number, print_value
from quaestor.core.provenance import Source
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, period_code
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.page import GraphPage
from quaestor.solvers.tools.toolbox import Toolbox

Json = Mapping[str, Any]


class AgentOracle:
    """The replies for one turn after the other of a conversation."""

    def __init__(self, context: TurnContext, golds: Sequence[GoldTurn]) -> None:
        self._context, self._golds = context, golds

    def script(self) -> Script:
        """What the server answers in this turn: the understanding, the calls one by one, the answer."""
        left: list[Call] = []

        def answer(asked: Asked) -> Reply:
            if "describe_understanding" in asked.tools:
                left[:] = Calls(self._context, plan_of(question_of(asked), self._context, self._golds)).made
                said = {"description": self._golds[-1].program, "requiresCalculation": len(left) > 2}
                return Reply(calls=(Call("describe_understanding", said),))
            return Reply(calls=(left.pop(0) if len(left) > 1 else left[0],))

        return answer


@dataclass
class Calls:
    """The calls that make a plan, tried out in advance to see what they come to.

    Attributes:
        context: The turn.
        plan: What is meant.
        made: The calls, the answer last.
    """

    context: TurnContext
    plan: Plan
    made: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._box = self._fresh()
        self._given: dict[int, object] = {}
        answer: dict[str, Any] = {}
        for step in self.plan.steps:
            answer = self._extract(step) if isinstance(step, Extract) else self._compute(step)
        self.made.append(Call("final_answer", answer))

    def _extract(self, step: Extract) -> dict[str, Any]:
        """Looks a number up; the answer that it would be."""
        assert step.number is not None
        value = json_number(step.number)
        self._given[step.id] = value
        call = self._look_up(step)
        if call is None:
            return {"answer": value}
        return {"answer": value, "steps": [self._make(call).get("step", 0)]}

    def _compute(self, step: Compute) -> dict[str, Any]:
        values = [self._value(operand) for operand in step.operands]
        if step.operation == "identity":
            self._given[step.id] = values[0]
            return {"answer": self._known(step.operands[0])}
        reply = self._make(Call("calculate", {"operation": step.operation, "values": values}))
        self._given[step.id] = f"#{reply.get('step', 0)}"
        return {"answer": _said(reply.get("result")), "steps": [reply.get("step", 0)]}

    def _value(self, operand: Operand) -> object:
        if isinstance(operand, Ref):
            return self._given[operand.step] if operand.step > 0 else f"#{operand.step}"
        return json_number(operand.value) if isinstance(operand, Constant) else operand.text

    def _known(self, operand: Operand) -> object:
        """What an operand is, for an answer that calculates nothing."""
        if isinstance(operand, Ref) and operand.step < 0:
            answer = self.context.memory.answers[operand.step]
            return answer.value and print_value(answer.value) if answer.number is None else json_number(answer.number)
        return self._value(operand)

    def _make(self, call: Call) -> Json:
        self.made.append(call)
        return self._box.call(call.tool, call.arguments)

    def _look_up(self, step: Extract) -> Call | None:
        """The call that returns the number that stands at a place; None where no tool does."""
        graph = self.context.graph
        numbers: list[Observation | MentionFact | HeaderNumber] = [*graph.observations, *graph.mentions, *graph.labels]
        for item in numbers:
            if (item.source, item.quantity) == (step.source, step.quantity):
                return self._query(item) if isinstance(item, Observation) else self._search(item)
        return None

    def _query(self, item: Observation) -> Call | None:
        page = GraphPage(self.context.graph, self.context.ontology)
        instance = next(i for i in page.instances if i.name == item.instance)
        place: dict[str, Any] = {"table": item.source.table}
        ways: list[dict[str, Any]] = [{"year": str(item.year)}] if item.year else []
        ways += [{"instance": item.instance}, {**place, "row": item.source.row, "column": item.source.column}]
        ways.append({**ways[-1], "order": item.order})
        for filters in ways:
            made: dict[str, Any] = {"entityType": instance.type, "property": item.predicate, "filters": filters}
            reply = self._fresh().call("query_kg", made)
            if reply["success"] and reply["source"] == _where(item.source) and reply["rawValue"] == item.quantity.text:
                return Call("query_kg", made)
        return None

    def _search(self, item: MentionFact | HeaderNumber) -> Call | None:
        words = f"{item.before} {item.after}" if isinstance(item, MentionFact) else item.label
        ways: list[dict[str, Any]] = [{"words": words}]
        if item.period:
            ways.insert(0, {"words": words, "period": period_code(item.period)})
        for made in ways:
            reply = self._fresh().call("find_in_text", made)
            if any(shown["rawValue"] == item.quantity.text for shown in _mentions(reply)):
                return Call("find_in_text", made)
        return None

    def _fresh(self) -> Toolbox:
        return Toolbox(self.context.graph, self.context.ontology, self.context.memory)


def _mentions(reply: Json) -> list[Json]:
    return [mention for sentence in reply.get("sentences", []) for mention in sentence["mentions"]]


def _said(answer: object) -> object:
    return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer


def _where(source: Source) -> Json:
    shown = {"document": source.document, "kind": source.kind}
    return (
        {**shown, "table": source.table, "row": source.row, "column": source.column} if source.kind == "cell" else shown
    )
