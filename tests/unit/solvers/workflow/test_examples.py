"""The worked examples of the prompt, one per line, are plans that run on pages of the sample."""

import re
from decimal import Decimal
from typing import Any

import pytest
from solver_bench import context_of
from values import number_in
from workflow_bench import Json, cells, compute, plan, table, text, words

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, Number
from quaestor.datasets.formats import read_dataset
from quaestor.plan.execute import execute
from quaestor.prompts import sources
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.workflow.checking import check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan
from quaestor.store.records import now

_EXAMPLE = re.compile(
    r"^- (?P<pattern>[^:?]*?)(?:, after (?P<earlier>\".*\"))?: (?P<question>.*\?) => (?P<steps>.*)$", re.M
)
EXAMPLES = [found.groupdict() for found in _EXAMPLE.finditer(sources("workflow")["examples.j2"])]
OF_KINDS = [found.groupdict() for found in _EXAMPLE.finditer(sources("workflow")["kinds.j2"])]
KINDS = [
    "2012",
    "connectors and fittings",
    "2",
    "2012: 1036.8; 2011: 969.7",
    "no",
    "two offshore grid projects were delivered ahead of plan",
]
"""The results of the examples of other kinds on the first page."""
PAGES = [
    ("NORD/2012/page_41.pdf", "0.30729"),
    ("LUMI/2018/page_35.pdf", "38.2"),
    ("NORD/2012/page_41.pdf", "43.6"),
    ("QUIL/2007/page_88.pdf", "-6.7"),
    ("HALC/2009/page_52.pdf", "0.14136"),
    ("VESK/2010/page_97.pdf", "19.1"),
    ("TAMR/2009/page_24.pdf", "7.38860"),
    ("ELDR/2017/page_47.pdf", "16828.14"),
    ("HALC/2009/page_52.pdf", "-0.12472"),
]
"""The page and the result of each example."""


def answers() -> dict[tuple[str, str], AnswerValue]:
    """Return the answers of the sample by page and question."""
    golds = read_gold(sample_path())
    return {
        (conversation.document.id, question): gold.executed
        for conversation in read_dataset(sample_path()).conversations
        for question, gold in zip(conversation.questions, golds[conversation.id], strict=True)
    }


def expand_steps(steps: str) -> Json:
    """Return the plan for the short form of an example."""
    return plan(*(_step(*step.split(" ", 1)) for step in steps.split("; ")))


def _step(number: str, line: str) -> Json:
    if line.startswith("table: "):
        return table(int(number), *line.removeprefix("table: ").split(" | "))
    if line.startswith("cells: "):
        rows, columns = line.removeprefix("cells: ").split(" | ")
        return cells(int(number), rows.split(", "), columns.split(", "))
    if line.startswith("quote: "):
        return words(int(number), line.removeprefix("quote: "))
    if line.startswith("text: "):
        return text(int(number), *line.removeprefix("text: ").split(" | "))
    operation, operands = line.split(" ", 1)
    taken: list[Any] = [int(o[1:]) if o.startswith("#") else [float(o)] for o in operands.split(", ")]
    return compute(int(number), operation, *taken)


@pytest.mark.parametrize(("example", "expected"), list(zip(OF_KINDS, KINDS, strict=True)))
def test_example_of_another_kind_gives_the_printed_answer(example: dict[str, str], expected: str) -> None:
    context = context_of(PAGES[0][0])
    found = check_workflow_plan(serial.load(WorkflowPlan, expand_steps(example["steps"])), example["question"], context)
    assert (found.issues, found.remarks, dict(found.open)) == ((), (), {})
    assert str(execute(found.final_plan).result.value) == expected


@pytest.mark.parametrize(("example", "page", "expected"), [(e, *p) for e, p in zip(EXAMPLES, PAGES, strict=True)])
def test_example_gives_the_answer_of_the_sample(example: dict[str, str], page: str, expected: str) -> None:
    known = answers()
    memory = Memory()
    for question in re.findall(r'"(.*?)"', example["earlier"] or ""):
        earlier = Answer(known[page, question])
        memory = memory.add(Turn(question, earlier, True, now(), now()))
    context = context_of(page, memory)
    found = check_workflow_plan(serial.load(WorkflowPlan, expand_steps(example["steps"])), example["question"], context)
    assert (found.issues, found.remarks, dict(found.open)) == ((), (), {})
    value = number_in(execute(found.plan, memory.registers).result.value)
    assert value == pytest.approx(Decimal(expected), abs=Decimal("0.00001"))
    if (page, example["question"]) in known:
        assert executed_equal(Number(value), known[page, example["question"]])
