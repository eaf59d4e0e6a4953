"""The worked examples of the prompt are plans that run on the pages of the sample that they name."""

import json
import re
from decimal import Decimal

import pytest
from solver_bench import context_of
from values import number_in

from quaestor.conversation.answer import Answer
from quaestor.conversation.memory import Memory
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, Number
from quaestor.datasets.formats import read_dataset
from quaestor.plan.execute import execute
from quaestor.prompts import render, sources
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.workflow.checking import check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan
from quaestor.store.records import now

_EXAMPLE = re.compile(
    r"Page: (?P<page>\S+)\n(?:Earlier questions: (?P<earlier>.*)\n)?Question: (?P<question>.*)\nPlan: (?P<plan>.*)"
)
EXAMPLES = [found.groupdict() for found in _EXAMPLE.finditer(sources("workflow")["examples.j2"])]
EXPECTED = ["0.30729", "38.2", "43.6", "-6.7", "0.14136", "19.1", "7.38860", "16828.14", "-0.12472"]


def answers() -> dict[tuple[str, str], AnswerValue]:
    """The sample's answers by page and question."""
    golds = read_gold(sample_path())
    return {
        (conversation.document.id, question): gold.executed
        for conversation in read_dataset(sample_path()).conversations
        for question, gold in zip(conversation.questions, golds[conversation.id], strict=True)
    }


def test_there_is_an_example_for_each_of_the_nine_patterns() -> None:
    assert len(EXAMPLES) == len(EXPECTED) == 9
    assert "Examples, on other pages" in render("workflow/system", rules=[])


@pytest.mark.parametrize(("example", "expected"), list(zip(EXAMPLES, EXPECTED, strict=True)))
def test_an_example_runs_and_gives_what_the_sample_says(example: dict[str, str], expected: str) -> None:
    known = answers()
    memory = Memory()
    for question in (example["earlier"] or "").split(" / ") if example["earlier"] else ():
        earlier = Answer(known[example["page"], question])
        memory = memory.add(Turn(question, earlier, True, now(), now()))
    context = context_of(example["page"], memory)
    found = check_workflow_plan(serial.load(WorkflowPlan, json.loads(example["plan"])), example["question"], context)
    assert (found.issues, found.remarks, dict(found.open)) == ((), (), {})
    value = number_in(execute(found.plan, memory.registers).result.value)
    assert value == pytest.approx(Decimal(expected), abs=Decimal("0.00001"))
    if (example["page"], example["question"]) in known:
        assert executed_equal(Number(value), known[example["page"], example["question"]])
