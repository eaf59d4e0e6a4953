"""The grounds of a reading, its runner-up, and withheld answers."""

import asyncio
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from pages import page

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import SettingsError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.sample import sample_path
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.grounds import (
    add_runner_up,
    describe_rereading,
    describe_runner_up,
    find_other_reading,
    withhold_value,
)
from quaestor.solvers.registry import make_solver

PAGE = page(
    [
        ["", "2008", "2007"],
        ["net revenue", "$ 5363", "$ 5012"],
        ["operating costs", "410", "395"],
        ["loss", "-3.97", "2"],
    ]
)


@pytest.fixture(scope="module")
def sample() -> Dataset:
    return read_dataset(sample_path())


def play(document: Document, *questions: str, **options: object) -> tuple[Turn, ...]:
    solver = make_solver("embedded", options)
    return asyncio.run(answer_conversation(Conversation("x", document, questions), solver))


def context() -> TurnContext:
    knowledge = GraphProvider.of([PAGE])
    return TurnContext(PAGE, Memory(), knowledge.graph(PAGE), knowledge.ontology)


def extract_cell(row: int, column: int, value: str, reading: str = "signed", step: int = 1) -> Extract:
    source: Source = CellRef(PAGE.id, 0, row, column)
    quantity = Quantity(Decimal(value), text=value)
    return Extract(step, source, "here", quantity, reading=reading)  # type: ignore[arg-type]  # a literal type


def answered(*steps: Extract | Compute, sure: float) -> Answer:
    return answer_from_plan(Plan(steps), context(), confidence=sure)


def test_grounds_name_the_matched_words() -> None:
    first, second, third = play(
        PAGE, "what was the net revenue in 2008?", "and what was it in 2007?", "what was, then, the change?"
    )
    assert [turn.answer.number for turn in (first, second)] == [Decimal(5363), Decimal(5012)]
    assert all(word in (first.answer.grounds or "") for word in ('"net revenue"', "2008"))
    assert all(word in (second.answer.grounds or "") for word in ('"net revenue"', "question 1", "2007"))
    assert third.answer.number == Decimal(351)
    assert all(word in (third.answer.grounds or "") for word in ('"the change"', "answers 1 and 2"))


def test_column_is_matched_in_a_transposed_table() -> None:
    turned = page([["", "net revenue", "operating costs"], ["2008", "5363", "410"], ["2007", "5012", "395"]])
    (turn,) = play(turned, "what were the operating costs in 2007?")
    assert turn.answer.number == Decimal(395)
    assert all(word in (turn.answer.grounds or "") for word in ("column", '"operating costs"', "2007"))


def test_a_loss_and_its_magnitude_are_two_readings() -> None:
    loss = answered(extract_cell(3, 1, "-3.97"), sure=0.5)
    magnitude = answered(extract_cell(3, 1, "-3.97", "magnitude"), sure=0.4)
    sentence = describe_runner_up(loss, magnitude)
    assert re.findall(r"-?\d+(?:\.\d+)?%?", sentence) == ["-3.97", "3.97", "40%"]
    sentence = describe_runner_up(replace(magnitude, confidence=0.6), loss)
    assert re.findall(r"-?\d+(?:\.\d+)?%?", sentence) == ["3.97", "-3.97", "50%"]


def test_exchanged_operands_are_described_as_such() -> None:
    costs, before = extract_cell(2, 1, "410"), extract_cell(2, 2, "395", step=2)
    change = answered(costs, before, Compute(3, "subtract", (Ref(1), Ref(2))), sure=0.5)
    back = answered(costs, before, Compute(3, "subtract", (Ref(2), Ref(1))), sure=0.3)
    ratio = answered(costs, before, Compute(3, "divide", (Ref(2), Ref(1))), sure=0.3)
    turned, other = describe_runner_up(change, back), describe_runner_up(change, ratio)
    assert "-15, 30%" in turned
    assert "96.3 % (" in other
    assert turned.partition(":")[0] != other.partition(":")[0]


def test_close_runner_up_is_named() -> None:
    first, second = answered(extract_cell(2, 1, "410"), sure=0.6), answered(extract_cell(2, 2, "395"), sure=0.3)
    reason = add_runner_up(replace(first, reason="a doubt"), second).reason
    assert reason is not None
    assert reason.startswith("a doubt; ")
    assert "395 (" in reason
    assert reason.endswith("30%")
    assert add_runner_up(first, None) == first


def test_a_runner_up_is_never_surer_than_the_answer() -> None:
    first, second = answered(extract_cell(2, 1, "410"), sure=0.11), answered(extract_cell(2, 2, "395"), sure=0.19)
    sentence = describe_runner_up(first, second)
    assert "395 (" in sentence
    assert "%" not in sentence


def test_equal_answer_is_no_other_reading() -> None:
    first, same = answered(extract_cell(2, 1, "410"), sure=0.6), answered(extract_cell(1, 2, "410"), sure=0.5)
    other = answered(extract_cell(2, 2, "395"), sure=0.4)
    assert find_other_reading(first, [same, other]) is other
    assert find_other_reading(first, [same]) is None


@pytest.mark.very_slow
def test_no_runner_up_of_the_sample_is_surer_or_looks_the_same(sample: Dataset) -> None:
    solver, named = make_solver("embedded", {}), 0
    for conversation in sample.conversations:
        for turn in asyncio.run(answer_conversation(conversation, solver)):
            for other in turn.answer.other_readings:
                named += 1
                assert other.shown != show_number(turn.answer)
                if f"{other.confidence:.0%}" in (turn.answer.reason or ""):
                    assert (other.confidence or 0) <= (turn.answer.confidence or 0)
    assert named > 5


def test_a_new_reading_of_an_earlier_question_is_described() -> None:
    given, now = answered(extract_cell(2, 1, "410"), sure=0.6), answered(extract_cell(2, 2, "395"), sure=0.4)
    sentence = describe_rereading(0, given, now)
    assert re.search(r"question 1 .*410 \(.+395 \(", sentence)
    sentence = describe_rereading(1, replace(given, value=None), now)
    assert re.search(r"question 2 .*395 \(", sentence)
    assert "410" not in sentence


def test_withheld_answer_is_named_with_its_probability() -> None:
    answer = withhold_value(answered(extract_cell(1, 1, "5363"), sure=0.3141), 0.5)
    assert answer.value is None
    assert answer.reason is not None
    assert all(word in answer.reason for word in ("5,363 (", "0.31", "0.5"))
    assert answer.plan is not None


@pytest.mark.very_slow
def test_withholding_changes_no_other_answer(sample: Dataset) -> None:
    solver, careful = make_solver("embedded", {}), make_solver("embedded", {"abstain_below": 0.6})
    withheld_turns = given = 0
    for conversation in sample.conversations[:12]:
        turns = asyncio.run(answer_conversation(conversation, solver))
        fewer = asyncio.run(answer_conversation(conversation, careful))
        records = turn_records(TurnPlace("run", conversation.id), fewer)
        for turn, other, record in zip(turns, fewer, records, strict=True):
            assert turn.answer.confidence is not None
            assert other.answer.confidence == pytest.approx(turn.answer.confidence)
            if turn.answer.confidence < 0.6:
                withheld_turns += 1
                assert (other.answer.value, record.number, record.program, other.error) == (None, None, None, None)
            else:
                given += 1
                assert (other.answer.value, other.verified) == (turn.answer.value, True)
    assert withheld_turns
    assert given


@pytest.mark.parametrize("least", [-0.1, 1.5, "0.5", True, None])
def test_invalid_confidence_is_refused(least: object) -> None:
    with pytest.raises(SettingsError, match="'abstain_below'"):
        make_solver("embedded", {"abstain_below": least})
