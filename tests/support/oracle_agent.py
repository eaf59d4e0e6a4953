"""A model that is given the reference program of each turn, and makes the tool calls that a perfect agent would make.

It knows a page as a reader would: by its graph. A number is asked for by the call that returns it, what an earlier turn
answered is referred to, every step of the program is calculated. It never looks at the reference's result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gold_plans import plan_of
from model_server import Script
from oracle import question_of

from quaestor.core.answer_value import json_number
from quaestor.core.provenance import CellRef, Source
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, extract_number, period_code
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import near_sentences
from quaestor.solvers.tools.page import GraphPage
from quaestor.solvers.tools.toolbox import Toolbox
from quaestor.testing.models import Call, ReceivedRequest, Reply

Json = Mapping[str, Any]


class AgentOracle:
    """The replies for one turn after the other of a conversation."""

    def __init__(self, context: TurnContext, golds: Sequence[GoldTurn]) -> None:
        self._context, self._golds = context, golds

    def script(self) -> Script:
        """What the server answers in this turn: the understanding with the first calls, more of them, the answer."""
        replies: list[tuple[Call, ...]] = []

        def answer(request: ReceivedRequest) -> Reply:
            if not replies:
                question = question_of(request)
                calls = Calls(question, self._context, plan_of(question, self._context, self._golds))
                understanding = {"description": self._golds[-1].program}
                first, *more = calls.replies
                replies.extend([(Call("describe_understanding", understanding), *first), *more])
            return Reply(calls=replies.pop(0) if len(replies) > 1 else replies[0])

        return answer


@dataclass
class Calls:
    """The calls that make a plan, tried out in advance to see what they come to.

    Attributes:
        replies: The calls of each reply. A calculation goes with the look-ups that it is made on, unless one of them
            shows several numbers, which have to be seen first; what comes out is seen before it is the answer.
    """

    question: str
    context: TurnContext
    plan: Plan
    replies: list[tuple[Call, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._box = self._fresh()
        self._given: dict[int, object] = {}
        self._words: dict[int, str] = {}
        self._together: list[Call] = []
        places = {sentence.place for sentence in near_sentences(self.question, self.context)}
        mentions = [mention for mention in self.context.graph.mentions if mention.place in places]
        self._told = {mention.source for mention in mentions}
        self._box.draft.know(mentions)
        answer: dict[str, Any] = {}
        for step in self.plan.steps:
            answer = self._extract(step) if isinstance(step, Extract) else self._compute(step)
        self._send()
        self.replies.append((Call("final_answer", answer),))

    def _send(self) -> None:
        if self._together:
            self.replies.append(tuple(self._together))
        self._together = []

    def _extract(self, step: Extract) -> dict[str, Any]:
        """Looks a number up that is not told; the answer that it would be."""
        if step.text is not None:
            self._words[step.id] = step.text
            return {"words": [step.text]}
        assert step.number is not None
        value = json_number(step.number)
        self._given[step.id] = value
        call = None if self._is_told(step) else self._look_up(step)
        if call is None:
            return {"answer": value}
        reply = self._make(call)
        found = reply.get("step") or next(m["step"] for m in _mentions(reply) if _is_taken(m, step))
        if step.reading == "signed":
            self._given[step.id] = f"#{found}"
        return {"answer": self._given[step.id], "steps": [found]}

    def _is_told(self, step: Extract) -> bool:
        """Whether the prompt has the number, and its value alone means it."""
        draft = self._box.draft
        if step.source not in self._told or step.number is None:
            return False
        before = draft.mark
        operand = draft.trace(step.number).operand
        taken = draft.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
        draft.rewind(before)
        return isinstance(taken, Extract) and taken.source == step.source

    def _compute(self, step: Compute) -> dict[str, Any]:
        taken = [self._words.get(o.step) for o in step.operands if isinstance(o, Ref)]
        if taken and all(taken) and len(taken) == len(step.operands):
            return {"words": taken}
        of_list = OPERATIONS[step.operation].of_list
        values = [value for operand in step.operands for value in self._values(operand, of_list)]
        if step.operation == "identity":
            self._given[step.id] = values[0]
            return {"answer": self._known(step.operands[0])}
        reply = self._make(Call("calculate", {"operation": step.operation, "values": values}))
        self._given[step.id] = f"#{reply.get('step', 0)}"
        return {"answer": self._given[step.id]}

    def _values(self, operand: Operand, of_list: bool) -> list[object]:
        """What an operand is in a call: the cells of a group one by one, or as a list of their own."""
        if not isinstance(operand, CellGroup):
            return [self._value(operand)]
        cells: list[object] = [f"#{step}" for step in self._cells(operand)]
        if of_list:
            return cells
        return [f"#{self._make(Call('calculate', {'operation': 'items', 'values': cells})).get('step', 0)}"]

    def _cells(self, group: CellGroup) -> list[int]:
        """The steps of the cells of a group: of its whole rows, or columns, looked up by as few calls as it takes."""
        numbers = {o.source: o for o in self.context.graph.observations if o.order == 0}
        cells = [numbers[source] for source in group.sources if isinstance(source, CellRef)]
        rows, columns = {cell.source.row for cell in cells}, {cell.source.column for cell in cells}
        axis, lines = ("row", rows) if len(rows) <= len(columns) else ("column", columns)
        steps: dict[tuple[int, int], int] = {}
        for line in sorted(lines):
            reply = self._make(Call("query_kg", {"filters": {"table": cells[0].source.table, axis: line}}))
            for shown in reply.get("values", [reply]):
                if "step" in shown:
                    steps[shown["source"]["row"], shown["source"]["column"]] = shown["step"]
        return [steps[cell.source.row, cell.source.column] for cell in cells]

    def _value(self, operand: Operand) -> object:
        if isinstance(operand, Ref):
            return self._given[operand.step] if operand.step > 0 else f"#{operand.step}"
        return json_number(operand.value) if isinstance(operand, Constant) else operand.text

    def _known(self, operand: Operand) -> object:
        """What an operand is, for an answer that calculates nothing."""
        return f"#{operand.step}" if isinstance(operand, Ref) and operand.step < 0 else self._value(operand)

    def _make(self, call: Call) -> Json:
        self._together.append(call)
        reply = self._box.call(call.tool, call.arguments)
        if "step" not in reply:
            self._send()
        return reply

    def _look_up(self, step: Extract) -> Call | None:
        """The call that returns the number that is at a place; None if no tool does."""
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
            arguments: dict[str, Any] = {"entityType": instance.type, "property": item.predicate, "filters": filters}
            reply = self._fresh().call("query_kg", arguments)
            if reply["success"] and reply["source"] == _where(item.source) and reply["rawValue"] == item.quantity.text:
                return Call("query_kg", arguments)
        return None

    def _search(self, item: MentionFact | HeaderNumber) -> Call | None:
        words = f"{item.before} {item.after}" if isinstance(item, MentionFact) else item.label
        ways: list[dict[str, Any]] = [{"words": words}]
        if item.period:
            ways.insert(0, {"words": words, "period": period_code(item.period)})
        for way in ways:
            reply = self._fresh().call("find_in_text", way)
            wanted = extract_number(1, item)
            if any(_is_taken(shown, wanted) for shown in _mentions(reply)):
                return Call("find_in_text", way)
        return None

    def _fresh(self) -> Toolbox:
        return Toolbox(self.context.graph, self.context.ontology, self.context.memory)


def _mentions(reply: Json) -> list[Json]:
    return [mention for sentence in reply.get("sentences", []) for mention in sentence["mentions"]]


def _is_taken(mention: Json, step: Extract) -> bool:
    source, place = mention["source"], step.source
    if source["kind"] != place.kind or mention["rawValue"] != (step.quantity and step.quantity.text):
        return False
    return place.kind == "cell" or (source["section"], source["sentence"], source["start"]) == (
        place.section, place.sentence, place.start,
    )  # fmt: skip


def _where(source: Source) -> Json:
    shown = {"document": source.document, "kind": source.kind}
    return (
        {**shown, "table": source.table, "row": source.row, "column": source.column} if source.kind == "cell" else shown
    )
