"""Any answer that a plan can give can be described, stored, displayed, referred to and scored."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import get_args

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from sample_turns import a_turn
from selecting import plans

from quaestor.application.replies import answers_of
from quaestor.conversation.answer import Answer, AnswerKind
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.answer_value import Number, value_from_text, value_to_benchmark
from quaestor.core.provenance import CellRef
from quaestor.errors import PlanError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.exports.rows import ExportedConversation, to_csv, to_html, to_json, to_markdown
from quaestor.exports.workbook.writing import workbook_bytes
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.steps import Plan
from quaestor.questions.question import read_question
from quaestor.scoring.metrics import display_match, executed_equal, legacy_match
from quaestor.scoring.scorers import prediction_of
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.store.records import TurnRecord, now

PAGE = page(
    [
        ["( in millions )", "2011", "2010", "2009"],
        ["europe", "$ 120", "100", "90"],
        ["asia", "30 %", "35 %", "15 %"],
        ["costs per share", "0.3", "- 0.2", "0.1"],
    ]
)
PROVIDER = GraphProvider.of([PAGE])
PLACES = tuple(CellRef(PAGE.id, 0, row, column) for row in (1, 2, 3) for column in (1, 2, 3))
QUESTIONS = st.sampled_from(
    [
        "", "in which year was europe highest?", "which segments declined from 2010 to 2011?", "how many is that?",
        "and in that year, what was asia?", "what about that segment in 2009?", "list the three largest",
        "their average?", "did it increase?", "what were these values in 2010 and 2009, respectively?",
        "\N{BLACK SUN WITH RAYS}",
    ]
)  # fmt: skip


def check_conversation(first: Plan, second: Plan, questions: tuple[str, str]) -> None:
    memory = Memory()
    for plan, question in zip((first, second), questions, strict=True):
        intent = read_question(question)
        references = resolve(intent, memory)
        context = TurnContext(PAGE, memory, PROVIDER.graph(PAGE), PROVIDER.ontology, question=intent)
        try:
            answer = answer_from_plan(plan, context, question=question)
        except PlanError:
            answer = Answer(None)
        assert len(answer.description) <= 200
        assert str(answer)
        assert answer.kind in get_args(AnswerKind)
        registers = execute(answer.plan, memory.registers).registers if answer.plan is not None else ()
        turn = Turn(question, answer, True, now(), now(), references=references, registers=registers)
        memory = memory.add(turn)
    check_stored_and_scored(memory)


def check_stored_and_scored(memory: Memory) -> None:
    records = turn_records(TurnPlace("run", "conversation"), memory.turns)
    for turn, record in zip(memory.turns, records, strict=True):
        again = serial.load(Answer, record.answer)
        if "?" not in str(record.answer):  # a lone surrogate is stored as a question mark
            assert again == turn.answer
        assert again.kind == turn.answer.kind
        assert (record.number is None) == (turn.answer.value is None)
        json.dumps(serial.dump(record), ensure_ascii=False).encode()
        if turn.answer.value is not None:
            json.dumps(value_to_benchmark(turn.answer.value))
        predicted = prediction_of(record)
        assert (predicted.value is None) == (turn.answer.value is None)
        if predicted.number is not None:
            assert predicted.value == value_from_text(predicted.number)
        assert isinstance(predicted.value, Number) or not executed_equal(predicted.value, Number(Decimal(7)))
        display_match(predicted.value, "14.1%")
        legacy_match(predicted.value, "14.1%")
        assert (predicted.stated is None) == (predicted.value is None)
    assert len(list(answers_of(memory.turns, PAGE))) == 2
    check_exports(records)


def check_exports(records: Sequence[TurnRecord]) -> None:
    turns = tuple(
        a_turn(
            record.question,
            serial.load(Answer, record.answer),
            tuple(serial.load(StepResult, register) for register in record.registers),
        )
        for record in records
    )
    conversation = ExportedConversation("conversation", PROVIDER.graph(PAGE), turns)
    for export in (to_csv, to_json, to_markdown, to_html):
        assert export([conversation]).encode()
    assert workbook_bytes([conversation])


@settings(max_examples=share(15), deadline=None)
@given(plans(0, PLACES), plans(1, PLACES), st.tuples(QUESTIONS, QUESTIONS))
def test_answer_is_stored_shown_and_scored(first: Plan, second: Plan, questions: tuple[str, str]) -> None:
    check_conversation(first, second, questions)


@pytest.mark.very_slow
@settings(max_examples=100, deadline=None)
@given(plans(0, PLACES), plans(1, PLACES), st.tuples(QUESTIONS, QUESTIONS))
def test_many_answers_are_stored_shown_and_scored(first: Plan, second: Plan, questions: tuple[str, str]) -> None:
    check_conversation(first, second, questions)
