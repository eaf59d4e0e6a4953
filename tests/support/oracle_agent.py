"""A model that makes the tool calls of a perfect agent for a plan.

It knows the page only through its graph. Numbers are looked up with the call that returns them, earlier answers are
referenced, and every step of the plan is calculated.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from model_server import Script

from quaestor.core.answer_value import json_number
from quaestor.core.provenance import CellRef, Source
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, extract_number, period_code
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import near_sentences
from quaestor.solvers.tools.page import GraphPage
from quaestor.solvers.tools.toolbox import Toolbox
from quaestor.testing.models import Call, ReceivedRequest, Reply

Json = Mapping[str, Any]


def agent_script(context: TurnContext, plan: Callable[[], Plan]) -> Script:
    """Return the script of a turn: the understanding with the first calls, further calls, the answer."""
    replies: list[tuple[Call, ...]] = []

    def answer(request: ReceivedRequest) -> Reply:
        if not replies:
            wanted = plan()
            first, *more = Calls(context, wanted).replies
            replies.extend([(Call("describe_understanding", {"description": wanted.thought}), *first), *more])
        return Reply(calls=replies.pop(0) if len(replies) > 1 else replies[0])

    return answer


@dataclass
class Calls:
    """The calls that build a plan, tried out in advance to learn their results.

    Attributes:
        replies: The calls of each reply. A calculation is in the same reply as its look-ups unless one of them returns
            several numbers, which have to be seen first; a result is seen before it is the answer.
    """

    context: TurnContext
    plan: Plan
    replies: list[tuple[Call, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._box = self._new_toolbox()
        self._step_values: dict[int, object] = {}
        self._words: dict[int, str] = {}
        self._pending: list[Call] = []
        places = {sentence.place for sentence in near_sentences(self.context.question.text, self.context)}
        mentions = [mention for mention in self.context.graph.mentions if mention.place in places]
        self._prompt_sources = {mention.source for mention in mentions}
        self._box.draft.know(mentions)
        answer: dict[str, Any] = {}
        for step in self.plan.steps:
            answer = self._extract(step) if isinstance(step, Extract) else self._compute(step)
        self._send()
        self.replies.append((Call("final_answer", answer),))

    def _send(self) -> None:
        if self._pending:
            self.replies.append(tuple(self._pending))
        self._pending = []

    def _extract(self, step: Extract) -> dict[str, Any]:
        """Look up a number unless the prompt contains it, and return it as an answer."""
        if step.text is not None:
            self._words[step.id] = step.text
            return {"words": [step.text]}
        assert step.number is not None
        value = json_number(step.number)
        self._step_values[step.id] = value
        call = None if self._is_in_prompt(step) else self._look_up(step)
        if call is None:
            return {"answer": value}
        reply = self._try_call(call)
        found = reply.get("step") or next(m["step"] for m in _mentions(reply) if _is_mention_of(m, step))
        if step.reading == "signed":
            self._step_values[step.id] = f"#{found}"
        return {"answer": self._step_values[step.id], "steps": [found]}

    def _is_in_prompt(self, step: Extract) -> bool:
        """Return whether the prompt contains the number and its value alone identifies it."""
        draft = self._box.draft
        if step.source not in self._prompt_sources or step.number is None:
            return False
        before = draft.mark
        operand = draft.trace(step.number).operand
        taken = draft.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
        draft.rewind(before)
        return isinstance(taken, Extract) and taken.source == step.source

    def _compute(self, step: Compute) -> dict[str, Any]:
        taken = [self._words.get(o.step) for o in step.operands if isinstance(o, Ref)]
        if any(taken) and len(taken) == len(step.operands):
            numbers = [self._step_values.get(o.step) for o in step.operands if isinstance(o, Ref)]
            return {"words": [word or number for word, number in zip(taken, numbers, strict=True)]}
        of_list = OPERATIONS[step.operation].of_list
        values = [value for operand in step.operands for value in self._values(operand, of_list)]
        if step.operation == "identity":
            self._step_values[step.id] = values[0]
            return {"answer": self._answer_value(step.operands[0])}
        reply = self._try_call(Call("calculate", {"operation": step.operation, "values": values}))
        self._step_values[step.id] = f"#{reply.get('step', 0)}"
        return {"answer": self._step_values[step.id]}

    def _values(self, operand: Operand, of_list: bool) -> list[object]:
        """Return an operand as values of a call: the cells of a group one by one, or as a list of their own."""
        if not isinstance(operand, CellGroup):
            return [self._value(operand)]
        cells: list[object] = [f"#{step}" for step in self._cells(operand)]
        if of_list:
            return cells
        return [f"#{self._try_call(Call('calculate', {'operation': 'items', 'values': cells})).get('step', 0)}"]

    def _cells(self, group: CellGroup) -> list[int]:
        """Return the steps of a group's cells, looked up by whole rows or columns with as few calls as possible."""
        numbers = {o.source: o for o in self.context.graph.observations if o.order == 0}
        cells = [numbers[source] for source in group.sources if isinstance(source, CellRef)]
        rows, columns = {cell.source.row for cell in cells}, {cell.source.column for cell in cells}
        axis, lines = ("row", rows) if len(rows) <= len(columns) else ("column", columns)
        steps: dict[tuple[int, int], int] = {}
        for line in sorted(lines):
            reply = self._try_call(Call("query_kg", {"filters": {"table": cells[0].source.table, axis: line}}))
            for shown in reply.get("values", [reply]):
                if "step" in shown:
                    steps[shown["source"]["row"], shown["source"]["column"]] = shown["step"]
        return [steps[cell.source.row, cell.source.column] for cell in cells]

    def _value(self, operand: Operand) -> object:
        if isinstance(operand, Ref):
            return self._step_values[operand.step] if operand.step > 0 else f"#{operand.step}"
        return json_number(operand.value) if isinstance(operand, Constant) else operand.text

    def _answer_value(self, operand: Operand) -> object:
        """Return an operand as the answer of a turn that calculates nothing."""
        return f"#{operand.step}" if isinstance(operand, Ref) and operand.step < 0 else self._value(operand)

    def _try_call(self, call: Call) -> Json:
        self._pending.append(call)
        reply = self._box.call(call.tool, call.arguments)
        if "step" not in reply:
            self._send()
        return reply

    def _look_up(self, step: Extract) -> Call | None:
        """Return the call that returns the number at a place; None if no tool does."""
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
            reply = self._new_toolbox().call("query_kg", arguments)
            if (
                reply["success"]
                and reply["source"] == _shown_source(item.source)
                and reply["rawValue"] == item.quantity.text
            ):
                return Call("query_kg", arguments)
        return None

    def _search(self, item: MentionFact | HeaderNumber) -> Call | None:
        words = f"{item.before} {item.after}" if isinstance(item, MentionFact) else item.label
        ways: list[dict[str, Any]] = [{"words": words}]
        if item.period:
            ways.insert(0, {"words": words, "period": period_code(item.period)})
        for way in ways:
            reply = self._new_toolbox().call("find_in_text", way)
            wanted = extract_number(1, item)
            if any(_is_mention_of(shown, wanted) for shown in _mentions(reply)):
                return Call("find_in_text", way)
        return None

    def _new_toolbox(self) -> Toolbox:
        return Toolbox(self.context.graph, self.context.ontology, self.context.memory)


def _mentions(reply: Json) -> list[Json]:
    return [mention for sentence in reply.get("sentences", []) for mention in sentence["mentions"]]


def _is_mention_of(mention: Json, step: Extract) -> bool:
    source, place = mention["source"], step.source
    if source["kind"] != place.kind or mention["rawValue"] != (step.quantity and step.quantity.text):
        return False
    return place.kind == "cell" or (source["section"], source["sentence"], source["start"]) == (
        place.section, place.sentence, place.start,
    )  # fmt: skip


def _shown_source(source: Source) -> Json:
    shown = {"document": source.document, "kind": source.kind}
    return (
        {**shown, "table": source.table, "row": source.row, "column": source.column} if source.kind == "cell" else shown
    )
