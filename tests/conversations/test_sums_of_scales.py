"""The sum of 2.2 billion in the text and 325 million in a table, by every solver and in every form of output."""

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import agent_bench
import pytest
from made_up import a_record, write_dataset
from oracle import play_plans
from plan_steps import cell, compute, extract_from_sentence

from quaestor.application.replies import answers_of
from quaestor.cli.app import make_app
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.core.quantity import Scale
from quaestor.datasets.convfinqa import read_conversation
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.program import to_program
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import Call

TABLE = [
    ["cash flowsmillions", "2012", "2011"],
    ["term loans", "325", "310"],
    ["bonds", "480", "455"],
]
TEXT = ("the revolving credit facility provides $ 2.2 billion .", "the notes follow .")
FORMULAS = ("2.2 billion * 1000 + 325 million", "325 million + 2.2 billion * 1000")
PROGRAMS = ("multiply(2.2, const_1000), add(#0, 325)", "multiply(2.2, const_1000), add(325, #0)")
STEP_BY_STEP = (
    "what does the revolving credit facility provide?",
    "and what were the term loans in 2012?",
    "what is the sum of the two?",
)
QUESTIONS = ("what is the sum of the credit facility and the term loans in 2012?",)
RECORD = a_record("Single_NORD/2012/page_77.pdf-1", QUESTIONS, None, table=TABLE, text=TEXT)
DOCUMENT = read_conversation(RECORD, "here").document


def check_sum(answer: Answer) -> None:
    assert answer.plan is not None
    assert (answer.number, answer.scale, answer.unit) == (Decimal(2525), Scale.MILLION, "USD")
    assert answer.formula in FORMULAS
    assert to_program(answer.plan) in PROGRAMS
    assert show_number(answer) == "$ 2,525 million"


@pytest.mark.usefixtures("local_models")
def test_agent_adds_the_scales() -> None:
    steps = [
        agent_bench.reply(Call("introspect_ontology", {"action": "list_types"})),
        agent_bench.reply(Call("calculate", {"operation": "add", "values": ["2.2 billion", "325 million"]})),
        agent_bench.reply(agent_bench.final(2525, scale="million", steps=[1])),
    ]
    run = agent_bench.play(agent_bench.scripted(steps), *QUESTIONS, page=DOCUMENT)
    check_sum(run.turn.answer)
    output: Any = run.turn.tool_calls[-1].output
    assert [(shown["value"], shown["scale"]) for shown in output["operands"]] == [(2.2, "billion"), (325, "million")]
    assert (output["result"], output["scale"], output["ungrounded"]) == (2525, "million", [])


@pytest.mark.usefixtures("local_models")
@pytest.mark.parametrize("solver", ["workflow", "sparql", "reflection"])
def test_planned_sum_adds_the_scales(solver: str) -> None:
    plan = (extract_from_sentence(DOCUMENT, 0, 0), cell(DOCUMENT, 1, 1, step=2), compute(3, "add", 1, 2))
    check_sum(play_plans(solver, DOCUMENT, QUESTIONS, plan).turn.answer)


def embedded() -> tuple[Turn, ...]:
    conversation = Conversation("made up", DOCUMENT, STEP_BY_STEP)
    return asyncio.run(answer_conversation(conversation, make_solver("embedded")))


def test_exported_answer_has_the_sum() -> None:
    *_, answer = answers_of(embedded(), DOCUMENT)
    assert (answer.value, answer.scale.value, answer.unit, answer.display) == (
        "2525",
        "million",
        "USD",
        "$ 2,525 million",
    )
    assert answer.program in PROGRAMS
    assert answer.formula in FORMULAS


def test_ask_shows_the_sum(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    page = write_dataset(tmp_path / "page.json", RECORD)
    make_app(["ask"])(["ask", str(page), *STEP_BY_STEP], standalone_mode=False, prog_name="quaestor")
    shown = capfd.readouterr().out
    assert "$ 2,525 million" in shown
    assert any(formula in shown for formula in FORMULAS)
