"""Readings of a conversation: distinguished by their answers, and consistent with the answers that were given."""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest
from pages import page
from values import a_value

from quaestor.conversation.turn import Memory
from quaestor.core.quantity import Scale
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import run_turn
from quaestor.plan.execute import execute
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Extract, Ref
from quaestor.questions.question import NO_QUESTION, read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.beam import (
    START,
    BeamState,
    Hypotheses,
    Hypothesis,
    advance_beam,
    find_agreeing_turns,
    is_same_answer,
    normalize_logs,
    rank_hypotheses,
    sort_by_result,
)
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction
from quaestor.solvers.embedded.writing import write_plan

RENT = page([["", "2008", "2007"], ["rent", "5", "7"], ["lease", "2", "3"]])


def outcome(value: float, leaf: int = 0, scale: Scale = Scale.ONE) -> TurnAction:
    return TurnAction("lookup", (Operand("leaf", leaf, value),), value, Dimension(scale))


def choices(*found: tuple[float, float]) -> Hypotheses:
    """Return hypotheses with the given values and shares, after a reading of no turns."""
    ranked = tuple(
        Hypothesis(START[0], outcome(value, leaf), math.log(share)) for leaf, (value, share) in enumerate(found)
    )
    return Hypotheses(ranked, np.array([value for value, _ in found]))


@pytest.fixture(scope="module")
def solver() -> EmbeddedSolver:
    return EmbeddedSolver(load_weights())


def test_readings_with_the_same_answers_are_merged() -> None:
    paths = advance_beam(choices((5.0, 0.4), (7.0, 0.35), (5.0, 0.25)), read_question("what was it?"))
    assert [path.state.outcomes[0].value for path in paths] == [5.0, 7.0]
    assert [math.exp(path.log) for path in paths] == pytest.approx([0.65, 0.35])


def test_share_of_a_result_is_the_sum_of_its_plans() -> None:
    found = choices((5.0, 0.4), (7.0, 0.35), (5.0, 0.25))
    assert [(choice.outcome.value, round(share, 9)) for choice, share in found.results] == [
        (5.0, 0.65),
        (7.0, 0.35),
    ]
    evidence = found.evidence(0.5, 2)
    assert (evidence.share, evidence.runner_up) == pytest.approx((0.65, 0.35))


def test_result_of_several_plans_outweighs_a_likelier_single_plan() -> None:
    found = sort_by_result(choices((7.0, 0.4), (5.0, 0.25), (3.0, 0.05), (5.0, 0.3)).ranked)
    assert [(choice.outcome.value, round(math.exp(choice.log), 9)) for choice in found] == [
        (5.0, 0.3),
        (5.0, 0.25),
        (7.0, 0.4),
        (3.0, 0.05),
    ]
    ranked = Hypotheses(found, np.array([7.0, 5.0, 3.0, 5.0]))
    assert [round(share, 9) for _, share in ranked.results] == [0.55, 0.4, 0.05]
    assert ranked.evidence(1.0, 0).runner_up == pytest.approx(0.4)


def test_shares_of_comparisons_are_not_added() -> None:
    def compared(value: float, share: float, leaf: int) -> Hypothesis:
        action = TurnAction("greater", (Operand("leaf", leaf, 1.0), Operand("leaf", leaf + 1, 2.0)), value)
        return Hypothesis(START[0], action, math.log(share))

    found = sort_by_result([compared(0.0, 0.3, 0), compared(1.0, 0.4, 1), compared(0.0, 0.2, 2)])
    assert [choice.outcome.value for choice in found] == [1.0, 0.0, 0.0]


def test_shares_sum_to_one() -> None:
    assert np.exp(normalize_logs(np.array([3.0, -2.0, 700.0]))).sum() == pytest.approx(1)


def test_same_value_in_another_scale_is_another_answer() -> None:
    assert is_same_answer(outcome(5.0), outcome(5.0, leaf=3))
    assert not is_same_answer(outcome(5.0), outcome(5.0, scale=Scale.PERCENT))
    assert not is_same_answer(outcome(5.0), TurnAction("lookup", (), None))


def test_operand_that_differs_from_the_stored_answer_is_written_out(solver: EmbeddedSolver) -> None:
    leaves = solver.pages.page(GraphProvider.of([RENT]).graph(RENT)).leaves
    five, seven = (next(n for n, leaf in enumerate(leaves.leaves) if leaf.quantity.value == v) for v in (5, 7))
    read = DialogueState((read_question("a?"), read_question("b?")), (outcome(5.0, five), outcome(7.0, seven)))
    given = DialogueState((read_question("a?"), read_question("b?")), (outcome(2.0, 2), outcome(7.0, seven)))
    difference = TurnAction("subtract", (Operand("result", 0, 5.0), Operand("result", 1, 7.0)), -2.0)
    plan = write_plan(difference, leaves, read, find_agreeing_turns(read, given))
    extract, compute = plan.steps
    assert isinstance(extract, Extract)
    assert extract.number == 5
    assert isinstance(compute, Compute)
    assert compute.operands == (Ref(1), Ref(-1))


def test_answers_of_another_solver_are_used(solver: EmbeddedSolver) -> None:
    knowledge, memory = GraphProvider.of([RENT]), Memory()
    context = TurnContext(RENT, memory, knowledge.graph(RENT), knowledge.ontology)
    turn = asyncio.run(run_turn("what was the rent in 2008?", context, solver))
    assert turn.answer.number == 5
    other = replace(turn, answer=replace(turn.answer, value=a_value(11)))
    for memory, first in ((Memory((turn,)), 5), (Memory((other,)), 11)):
        context = TurnContext(RENT, memory, knowledge.graph(RENT), knowledge.ontology)
        answer = asyncio.run(solver.solve("what is that times 100?", context))
        assert answer.plan is not None
        assert execute(answer.plan, memory.registers).result.number == answer.number == first * 100


def test_a_path_of_no_turns_is_certain() -> None:
    assert (BeamState(DialogueState()),) == START
    assert advance_beam(choices(), NO_QUESTION) == ()


def test_readings_are_ranked_together_as_separately(solver: EmbeddedSolver) -> None:
    of_page, weights = solver.pages.page(GraphProvider.of([RENT]).graph(RENT)), load_weights()
    first, second = read_question("what was the rent in 2008?"), read_question("and the lease?")
    paths = tuple(
        BeamState(DialogueState().after(first, outcome(5.0, 0)).after(second, done), log)
        for done, log in ((outcome(2.0, 2), -0.2), (outcome(7.0, 1), -2.0), (TurnAction("lookup", (), None), -4.0))
    )
    reading = read_question("what is the difference between the two?")
    together = rank_hypotheses(paths, reading, of_page, weights)
    alone = [rank_hypotheses((path,), reading, of_page, weights) for path in paths]
    assert together.ranked == sort_by_result([choice for one in alone for choice in one.ranked])
    assert together.values.tolist() == [value for one in alone for value in one.values]
    assert together.turn(together.ranked[0]).state is together.ranked[0].before.state


def test_no_readings_give_no_plans(solver: EmbeddedSolver) -> None:
    of_page = solver.pages.page(GraphProvider.of([RENT]).graph(RENT))
    assert rank_hypotheses((), read_question("what was the rent in 2008?"), of_page, load_weights()).ranked == ()
