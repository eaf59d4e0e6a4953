"""Which factor brings the last answer to the scale that is asked for."""

import numpy as np
import pytest
from pages import page

from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.scales import Dimension
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.candidates import Candidates, enumerate_candidates
from quaestor.solvers.embedded.operand_pool import Signatures, build_pool
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.plan_scores import score_conversions
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

FIRST = read_question("what was it?")


def converted(question: str, answer: float, caption: str = "") -> set[tuple[str, float]] | None:
    """What is not ruled out after an answer that a sum came to: operations, each with its constant."""
    document = page([[caption, "2008", "2007"], ["sales", "435", "401"]])
    leaves = build_number_matrix(GraphProvider.of([document]).graph(document))
    asked, operands = read_question(question), (Operand("leaf", 0, 435.0), Operand("leaf", 1, 401.0))
    state = DialogueState().after(FIRST, TurnAction("add", operands, answer, Dimension()))
    plans = candidates(question, state, leaves)
    scores = score_conversions(asked, plans, state, leaves)
    if scores is None:
        return None
    kept = plans.take(np.flatnonzero(scores == 0.0)).outcomes()
    assert all(outcome.operands[0] == Operand("result", 0, answer) for outcome in kept)
    return {(outcome.operation, outcome.operands[1].value) for outcome in kept}


def candidates(question: str, state: DialogueState, leaves: NumberMatrix) -> Candidates:
    likely = np.full(len(leaves), 1 / len(leaves))
    asked, signatures = read_question(question), Signatures({"lookup(new)": 1.0})
    return enumerate_candidates([build_pool(leaves, likely, state, asked, signatures)], [signatures], asked)


@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        ("and what is that in millions?", 0.89, {("multiply", 1000.0)}),
        ("what is that in millions?", 151_265_345.8, {("divide", 1_000_000.0)}),
        ("how much would that be in billions?", 119_017.0, {("divide", 1000.0)}),
        ("in thousands?", 5_600_000_000.0, {("divide", 1000.0)}),
        ("what is that in dollars?", 43.9, {("multiply", 1e3), ("multiply", 1e6), ("multiply", 1e9)}),
    ],
)
def test_the_size_tells_the_factor_where_the_scale_is_not_known(
    question: str, answer: float, kept: set[tuple[str, float]]
) -> None:
    assert converted(question, answer) == kept


def test_a_known_scale_tells_the_factor() -> None:
    caption = "( in thousands )"
    assert converted("what is that in millions?", 1_766_791.0, caption) == {("divide", 1000.0)}
    assert converted("what is that in dollars?", 836.0, caption) == {("multiply", 1000.0)}


@pytest.mark.parametrize("question", ["and in percent?", "what were sales in millions?", "and in 2007?"])
def test_all_other_questions_are_ranked_as_ever(question: str) -> None:
    assert converted(question, 836.0) is None


def test_nothing_is_ruled_out_where_nothing_came_before() -> None:
    document = page([["", "2008"], ["sales", "435"]])
    leaves = build_number_matrix(GraphProvider.of([document]).graph(document))
    state = DialogueState()
    plans = candidates("in millions?", state, leaves)
    assert score_conversions(read_question("in millions?"), plans, state, leaves) is None
