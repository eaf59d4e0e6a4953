"""A model that is given the reference program of each turn, and makes the tool calls that a perfect agent would make.

It knows a page as a reader would: by its graph. A number is asked for by the call that returns it, what an earlier turn
answered is referred to, every step of the program is calculated; where the page prints a number at several places it
takes the one that is meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice, product
from typing import Any

from model_replies import Asked, Call, Reply
from model_server import Script

from quaestor.errors import QuaestorError
from quaestor.graph.facts import HeaderNumber, Mention, Observation, period_code
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.agent.claims import read_final, settle
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.messages import number
from quaestor.solvers.tools.page import Page
from quaestor.solvers.tools.toolbox import Toolbox

_MOST_READINGS = 200
_MOST_PLACES = 6

Json = Mapping[str, Any]


@dataclass
class Reading:
    """One way to find the numbers of a program: calls, what they came to, and the answer given in the end."""

    calls: list[Call] = field(default_factory=list)
    final: dict[str, Any] = field(default_factory=dict)
    value: Decimal | bool | None = None


class AgentOracle:
    """The calls for one turn after the other of a conversation."""

    def __init__(self, context: TurnContext, golds: Sequence[GoldTurn]) -> None:
        self._context = context
        self._gold = golds[-1]
        self._plan = parse_program(self._gold.program)
        earlier = [parse_program(gold.program) for gold in golds[:-1]]
        self._earlier = {_expression(plan): f"#-{ago}" for ago, plan in reversed(list(enumerate(reversed(earlier), 1)))}

    def script(self) -> Script:
        """What the server answers in this turn: the understanding, the calls one by one, the answer."""
        reading = self._best()
        left = iter(reading.calls)

        def answer(asked: Asked) -> Reply:
            if "describe_understanding" in asked.tools:
                understanding = {"description": self._gold.program, "requiresCalculation": len(reading.calls) > 1}
                return Reply(calls=(Call("describe_understanding", understanding),))
            following = next(left, None)
            return Reply(calls=(following or Call("final_answer", reading.final),))

        return answer

    def _best(self) -> Reading:
        """The first way whose answer is right; the first of all where none is."""
        literals = list(dict.fromkeys(self._literals()))
        first: Reading | None = None
        for remember in (True, False):
            places = [self._calls(literal) for literal in literals]
            for chosen in islice(product(*places), _MOST_READINGS):
                reading = self._read(dict(zip(literals, chosen, strict=True)), remember)
                if executed_equal(reading.value, self._gold.executed):
                    return reading
                first = first or reading
        assert first is not None
        return first

    def _literals(self) -> Iterator[Constant]:
        for step in self._plan.steps:
            assert isinstance(step, Compute)
            for operand in step.operands:
                if isinstance(operand, Constant) and not operand.text.startswith("const_"):
                    yield operand

    def _calls(self, literal: Constant) -> list[Call | None]:
        """The calls that return a number, the likeliest first; None where there is none."""
        graph, wanted = self._context.graph, literal.value
        found: list[Call | None] = []
        numbers: list[Observation | Mention | HeaderNumber] = [*graph.observations, *graph.mentions, *graph.labels]
        for sign in (1, -1):
            for item in numbers:
                if sign * wanted in (item.quantity.value, item.quantity.number) and (sign == 1 or wanted > 0):
                    made = self._query(item) if isinstance(item, Observation) else self._search(item)
                    if made is not None and made not in found:
                        found.append(made)
        return found[:_MOST_PLACES] or [None]

    def _query(self, item: Observation) -> Call | None:
        page = Page(self._context.graph, self._context.ontology)
        instance = next(i for i in page.instances if i.name == item.instance)
        place: dict[str, Any] = {"table": item.source.table}
        ways: list[dict[str, Any]] = [{"year": str(item.year)}] if item.year else []
        ways += [{"instance": item.instance}, {**place, "row": item.source.row, "column": item.source.column}]
        ways.append({**ways[-1], "order": item.order})
        for filters in ways:
            made: dict[str, Any] = {"entityType": instance.type, "property": item.predicate, "filters": filters}
            reply = self._fresh().call("query_kg", made)
            if reply["success"] and reply["source"] == _where(item) and reply["rawValue"] == item.quantity.text:
                return Call("query_kg", made)
        return None

    def _search(self, item: Mention | HeaderNumber) -> Call | None:
        words = f"{item.before} {item.after}" if isinstance(item, Mention) else item.label
        ways: list[dict[str, Any]] = [{"words": words}]
        if item.period:
            ways.insert(0, {"words": words, "period": period_code(item.period)})
        for made in ways:
            reply = self._fresh().call("find_in_text", made)
            mentions = reply.get("mentions", [])
            assert isinstance(mentions, list)
            if any(isinstance(shown, dict) and shown["rawValue"] == item.quantity.text for shown in mentions):
                return Call("find_in_text", made)
        return None

    def _read(self, look_ups: Mapping[Constant, Call | None], remember: bool) -> Reading:
        """Makes the calls in advance, to see what they come to."""
        box, reading = self._fresh(), Reading()
        steps: dict[int, str] = {}
        taken: list[int] = []

        def make(made: Call) -> Json:
            reading.calls.append(made)
            return box.call(made.tool, made.arguments)

        def given(operand: Operand) -> object:
            whole = _expression(self._plan)
            said = _expression(self._plan, operand)
            if remember and said in self._earlier and said != whole:
                return self._earlier[said]
            if isinstance(operand, Ref):
                return steps[operand.step]
            if not isinstance(operand, Constant):
                return operand.text
            look_up = look_ups.get(operand)
            if look_up is not None and look_up not in reading.calls:
                taken.append(int(make(look_up).get("step", 0)))
            return number(operand.value)

        answer: object = None
        for step in self._plan.steps:
            assert isinstance(step, Compute)
            values = [given(operand) for operand in step.operands]
            if step.operation == "identity":
                answer = values[0]
                continue
            if _expression(self._plan, Ref(step.id)) in self._earlier and remember and step is not self._plan.steps[-1]:
                continue
            reply = make(Call("calculate", {"operation": step.operation, "values": values}))
            steps[step.id] = f"#{reply.get('step', 0)}"
            answer, taken = reply.get("result"), [int(reply.get("step", 0))]
        reading.final = {"answer": _said(answer), "steps": [step for step in taken if step]}
        reading.value = self._settled(box, reading.final)
        return reading

    def _settled(self, box: Toolbox, final: Json) -> Decimal | bool | None:
        try:
            return execute(settle(box.draft, *read_final(final)).plan, self._context.memory.registers).result.value
        except QuaestorError:
            return None

    def _fresh(self) -> Toolbox:
        return Toolbox(self._context.graph, self._context.ontology, self._context.memory)


def _expression(plan: Plan, operand: Operand | None = None) -> str:
    """A program, or what one of its operands comes to, written without step numbers."""
    operand = operand or Ref(plan.steps[-1].id)
    if not isinstance(operand, Ref):
        return operand.text
    step = plan.steps[operand.step - 1]
    assert isinstance(step, Compute)
    inner = ", ".join(_expression(plan, o) for o in step.operands)
    return inner if step.operation == "identity" else f"{step.operation}({inner})"


def _said(answer: object) -> object:
    return {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer


def _where(item: Observation) -> Json:
    source = item.source
    return {
        "document": source.document, "table": source.table, "row": source.row, "column": source.column, "kind": "cell",
    }  # fmt: skip
