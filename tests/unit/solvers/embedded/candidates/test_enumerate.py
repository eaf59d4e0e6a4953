"""Enumeration of plans: their values agree with exact execution."""

import asyncio
import math

import pytest
from pages import page, sample_pages
from values import number_in

from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import as_float
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.errors import ExecutionError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import run_turn
from quaestor.plan.execute import execute
from quaestor.plan.scales import Dimension
from quaestor.questions.question import NO_QUESTION, read_question
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.beam import PATHS, Hypotheses, find_agreeing_turns
from quaestor.solvers.embedded.candidates import MOST_CANDIDATES, MOST_OTHER_CANDIDATES, OPERATIONS
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.operand_pool import find_signature
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES
from quaestor.solvers.embedded.plan_rules import apply_overrides, is_ruled_out
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction
from quaestor.solvers.embedded.writing import read_state, write_plan

QUESTIONS = (
    "what was the total in the last year?",
    "and in the year before?",
    "what is the percentage change between the two?",
    "what is that times 100?",
    "is it greater than 5?",
)


@pytest.fixture(scope="module")
def solver() -> EmbeddedSolver:
    return EmbeddedSolver(load_weights())


def turns(document: Document, solver: EmbeddedSolver) -> list[tuple[TurnContext, str]]:
    """Return every turn of the conversation `QUESTIONS` about a page, with the solver's own answers as history."""
    knowledge, memory, found = GraphProvider.of([document]), Memory(), []
    for question in QUESTIONS:
        context = TurnContext(document, memory, knowledge.graph(document), knowledge.ontology)
        found.append((context, question))
        memory = memory.add(asyncio.run(run_turn(question, context, solver)))
    return found


def read_turns(solver: EmbeddedSolver) -> list[tuple[TurnContext, Hypotheses]]:
    return [
        (context, solver.pages.read(question, context))
        for document in sample_pages()[:6]
        for context, question in turns(document, solver)
    ]


@pytest.mark.slow
def test_values_agree_with_exact_execution(solver: EmbeddedSolver) -> None:
    compared = 0
    for context, choices in read_turns(solver):
        leaves = solver.pages.page(context.graph).leaves
        given = read_state(context.memory, leaves)
        for choice in choices.ranked:
            state = choice.before.state
            written = write_plan(choice.outcome, leaves, state, find_agreeing_turns(state, given))
            plan = with_label_scales(written, context.document)
            try:
                result = execute(plan, context.memory.registers).result
            except ExecutionError:
                continue
            assert choice.outcome.value is not None
            assert math.isclose(as_float(result.value) or 0.0, choice.outcome.value, rel_tol=1e-9, abs_tol=1e-9), plan
            if result.number is not None:
                assert result.scale == choice.outcome.counts.scale
            compared += 1
    assert compared > 200


def test_stored_plans_are_read_back(solver: EmbeddedSolver) -> None:
    for context, _ in turns(sample_pages()[0], solver)[1:]:
        leaves = solver.pages.page(context.graph).leaves
        state = read_state(context.memory, leaves)
        assert state.questions == context.memory.parsed_questions
        for turn, outcome in zip(context.memory.turns, state.outcomes, strict=True):
            assert turn.answer.value is not None
            assert outcome.value == pytest.approx(float(number_in(turn.answer.value)))
            assert outcome.operation in OPERATIONS
            assert all(not math.isnan(operand.value) for operand in outcome.operands)


@pytest.mark.slow
def test_candidates_are_bounded_and_measured_in_full(solver: EmbeddedSolver) -> None:
    for _, choices in read_turns(solver):
        assert 0 < choices.count <= MOST_CANDIDATES + MOST_OTHER_CANDIDATES * (PATHS - 1)
        assert all(math.isfinite(choice.log) for choice in choices.ranked)
    assert all((*LEAF_FEATURES.values(), *CANDIDATE_FEATURES.values()))


def test_no_number_is_combined_with_itself(solver: EmbeddedSolver) -> None:
    document = page([["", "2008", "2007"], ["sales", "5", "7"]], ("sales were $ 5 in 2008 .",))
    context, _ = turns(document, solver)[0]
    outcomes = [choice.outcome for choice in solver.pages.read("what is the difference?", context).ranked]
    pairs = [o for o in outcomes if len(o.operands) == 2 and all(x.kind == "leaf" for x in o.operands)]
    assert pairs
    assert all(o.operands[0].value != o.operands[1].value for o in pairs)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "squared"), [("what is 45 times 4?", False), ("what is that times 45?", True)])
def test_number_of_the_question_is_used_once_if_there_are_several(
    solver: EmbeddedSolver, question: str, squared: bool
) -> None:
    document = page([["", "2008", "2007"], ["amortization", "45", "44"]], ())
    context, _ = turns(document, solver)[0]
    values = solver.pages.read(question, context).values.tolist()
    assert (45 * 45 in values) is squared
    assert squared or 45 * 4 in values


def test_amount_and_percentage_are_not_added_or_subtracted(solver: EmbeddedSolver) -> None:
    document = page([["( in millions )", "2008", "share"], ["sales", "$ 500", "12%"], ["rent", "40", "7%"]], ())
    context, _ = turns(document, solver)[0]
    leaves = solver.pages.page(context.graph).leaves
    outcomes = [choice.outcome for choice in solver.pages.read("what was the total of sales and rent?", context).ranked]
    pairs = [o for o in outcomes if len(o.operands) == 2 and all(x.kind == "leaf" for x in o.operands)]
    linear = [o for o in pairs if o.operation in ("add", "subtract")]
    assert linear
    assert all(leaves.percent[o.operands[0].index] == leaves.percent[o.operands[1].index] for o in linear)


def test_equal_numbers_of_two_years_have_a_change_of_zero(solver: EmbeddedSolver) -> None:
    document = page([["", "2008", "2007"], ["rate", "21%", "21%"]], ("the rate was 21% in 2008 .",))
    context, _ = turns(document, solver)[0]
    outcomes = [choice.outcome for choice in solver.pages.read("what was the change in the rate?", context).ranked]
    differences = [o for o in outcomes if o.operation == "subtract" and {x.kind for x in o.operands} == {"leaf"}]
    assert differences
    assert all(o.value == 0 and {x.index for x in o.operands} & {1} for o in differences)


@pytest.mark.parametrize(
    ("operands", "signature"),
    [
        ((Operand("leaf", 3, 1.0), Operand("leaf", 0, 2.0)), "subtract(new,used)"),
        ((Operand("result", 1, 1.0), Operand("constant", 0, 100.0)), "subtract(result1,asked)"),
        ((Operand("result", 0, 1.0), Operand("constant", 0, 2.0)), "subtract(result2,2)"),
    ],
)
def test_a_signature_names_kinds_not_numbers(operands: tuple[Operand, ...], signature: str) -> None:
    looked_up = TurnAction("lookup", (Operand("leaf", 0, 2.0),), 2.0)
    state = DialogueState().after(NO_QUESTION, looked_up).after(NO_QUESTION, looked_up)
    assert find_signature(read_question("less 100?"), TurnAction("subtract", operands, 1.0), state) == signature


@pytest.mark.parametrize(
    ("question", "base", "operation"),
    [
        ("what is the percentage change?", Operand("leaf", 0, 4.0), "percentage_change"),
        ("and what was the growth rate in it?", Operand("result", 0, 4.0), "percentage_change"),
        ("what is the difference between the two percentage changes?", Operand("result", 0, 4.0), "subtract"),
        ("what was the change in the percentage of sales from exports?", Operand("leaf", 0, 4.0), "subtract"),
        ("what was the absolute percentage change in the rate?", Operand("leaf", 0, 4.0), "subtract"),
        ("what was the change in percentage?", Operand("leaf", 0, 4.0), "percentage_change"),
        ("what percentage change does this represent?", Operand("constant", 0, 1.0), "subtract"),
        ("what is the percentage change?", Operand("leaf", 0, 0.0), "subtract"),
        ("what is the change?", Operand("leaf", 0, 4.0), "subtract"),
    ],
)
def test_a_percentage_change_is_not_answered_by_a_difference(question: str, base: Operand, operation: str) -> None:
    assert (
        apply_overrides(read_question(question), TurnAction("subtract", (Operand("leaf", 1, 5.0), base), 1.0)).operation
        == operation
    )


@pytest.mark.parametrize(
    ("question", "scale", "ruled_out"),
    [
        ("and what was the percentage change from 2008?", Scale.MILLION, True),
        ("and what was the percentage change from 2008?", Scale.PERCENT, False),
        ("and in 2008?", Scale.MILLION, False),
    ],
)
def test_a_percentage_change_is_not_answered_by_an_amount(question: str, scale: Scale, ruled_out: bool) -> None:
    outcome = TurnAction("lookup", (Operand("leaf", 0, 4.0),), 4.0, Dimension(scale))
    assert is_ruled_out(read_question(question), outcome) == ruled_out
