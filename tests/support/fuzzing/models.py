"""Targets for the replies of models: plans, tool calls, drafts and verdicts, as objects and as text."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from reflection_bench import APPROVES, change
from solver_bench import context_of
from sparql_bench import CASH_2008, CASH_2009, QUESTION, retrieval, values
from toolboxes import OPTIONS, toolbox
from workflow_bench import cells, compute, plan, table, text, words
from workflow_bench import change as workflow_change

from fuzzing.drawing import Drawing, changed, text_of
from fuzzing.target import Reads, Target
from quaestor.conversation.turn import Memory
from quaestor.errors import QuaestorError
from quaestor.llm.structured.replies import read_json
from quaestor.plan.execute import execute
from quaestor.solvers.agent.claims import read_final
from quaestor.solvers.agent.protocol import Understanding, parse_calls
from quaestor.solvers.reflection.drafts import Draft, examine_draft, parse_draft
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.reflection.solver import Verdict
from quaestor.solvers.sparql.retrieval import WantedValues
from quaestor.solvers.tools.toolbox import TOOLS
from quaestor.solvers.workflow.checking import check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan

CALLS: list[Any] = [
    {"tool": "query_kg", "arguments": {"entityType": "CashFlow", "property": "x", "filters": {"year": "2007"}}},
    {"tool": "list_entities", "arguments": {"entityType": "CashFlow"}},
    {"tool": "introspect_ontology", "arguments": {"action": "get_properties", "entityType": "CashFlow"}},
    {"tool": "calculate", "arguments": {"operation": "subtract", "values": [206588, 181001]}},
    {"tool": "calculate", "arguments": {"operation": "argmax", "values": ["#1", "#2"]}},
    {"tool": "find_in_text", "arguments": {"words": "exercise price", "unit": "USD", "period": "2007"}},
]
PLANS: list[Any] = [
    workflow_change(),
    plan(table(1, "net cash from operating activities", "2008"), text(2, "price", "exercise price", "any", "2008")),
    plan(cells(1, ["all"], ["2008", "2009"]), compute(2, "argmax", 1)),
    plan(words(1, "net cash from operating activities"), compute(2, "divide", [1.0], [100.0])),
]
FINALS: list[Any] = [
    {"answer": 14.1, "steps": [1], "scale": "percent"},
    {"answer": None, "no_answer": {"missing": "2012"}, "explanation": "it is not there"},
    {"words": ["net cash"], "steps": []},
]
_UNDERSTOOD: list[Any] = [{"description": "a", "operation": "subtract", "operands": ["a", "b"], "references": ["that"]}]
_WANTED: list[Any] = [
    values(new={"sparql": CASH_2009}, old={"sparql": CASH_2008}),
    {"values": [{"name": "a", "words": "had sold"}, {"name": "b", "constant": 3}, {"name": "c", "result": "#-1"}]},
]
_DRAFTS: list[Any] = [change()]


def _workflow() -> Callable[[str], None]:
    context = context_of()

    def read(text: str) -> None:
        found = check_workflow_plan(read_json(WorkflowPlan, text), "what was it?", context)
        if not found.issues and not found.open:
            assert execute(found.final_plan).result.value == execute(found.plan).result.value

    return read


def _two_phases(text: str) -> None:
    retrieval(question=QUESTION).check(read_json(WantedValues, text))


def _reviewed() -> Callable[[str], None]:
    numbers, document = NumberIndex(context_of().graph), context_of().document

    def read(text: str) -> None:
        draft = read_json(Draft, text)
        understood = parse_draft(draft, "what was it?", numbers, document)
        if understood.plan.steps and not understood.faults:
            examine_draft(understood, "what was it?", Memory(), numbers)

    return read


def _replies(_: Path) -> Reads:
    readers: list[tuple[list[Any], Callable[[str], object]]] = [
        (PLANS, _workflow()),
        (_WANTED, _two_phases),
        (_DRAFTS, _reviewed()),
        (FINALS, read_final),
        (_UNDERSTOOD, lambda said: read_json(Understanding, said)),
        ([APPROVES], lambda said: read_json(Verdict, said)),
    ]

    def read(data: bytes) -> None:
        draw = Drawing(data)
        sound, reader = draw.choice(readers)
        as_object = draw.random() < 0.8
        text = json.dumps(changed(sound, draw)) if as_object else text_of(draw.rest)
        with suppress(QuaestorError):
            reader(text)

    return read


def _tools(_: Path) -> Reads:
    def read(data: bytes) -> None:
        draw = Drawing(data)
        box = toolbox(OPTIONS)
        for _ in range(draw.choice((1, 1, 2, 3))):
            if draw.random() < 0.8:
                call = changed(CALLS, draw)
                name = call["tool"] if isinstance(call, dict) else "calculate"
                tool = name if isinstance(name, str) else draw.choice(list(TOOLS))
                arguments: Any = call.get("arguments") if isinstance(call, dict) else call
                box.call(tool, arguments)
            else:
                for written in parse_calls(text_of(draw.rest)):
                    box.call(written.tool, written.arguments)
        with suppress(QuaestorError):
            box.draft.plan()

    return read


TARGETS = (Target("replies", _replies, 45), Target("tools", _tools, 40))
