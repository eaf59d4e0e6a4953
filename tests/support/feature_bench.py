"""A made-up page and turns for the features of the embedded solver, small enough to verify by hand."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from pages import page

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.plan.scales import Dimension
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.candidates import OPERATIONS, Candidates
from quaestor.solvers.embedded.operand_pool import KINDS, NumberGroup, Pool
from quaestor.solvers.embedded.page import (
    NumberMatrix,
    PageFeatures,
    StemWeights,
    build_number_matrix,
    build_page_features,
)
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction, TurnView, make_turn_view

GRID = (
    ("( in millions )", "2009", "2008"),
    ("net sales", "$ 500", "400"),
    ("total costs", "( 90 )", "80"),
    ("tax rate", "25%", "20%"),
)
SENTENCE = "net income rose from $ 30 million in 2008 to $ 60 million in 2009 ."
SALES_2009, SALES_2008, COSTS_2009, COSTS_2008, RATE_2009, RATE_2008, INCOME_2008, INCOME_2009 = range(8)
"""Indices of the numbers of the page, in reading order."""

Row = tuple[str, int, float]
"""An operand of a pool: its kind, the index of its number or turn (0 for a constant), and its value."""


@cache
def made_page() -> PageFeatures:
    """Return the page features; every stem has weight one."""
    return features_of(GRID, (SENTENCE,))


def features_of(grid: Sequence[Sequence[str]], before: Sequence[str] = ()) -> PageFeatures:
    document = page(grid, before)
    return build_page_features(
        build_number_matrix(build_graph(document, build_ontology([document]), "strict")), StemWeights({}, 1.0)
    )


def leaf(index: int, value: float) -> Operand:
    return Operand("leaf", index, value)


def looked_up(index: int, value: float) -> TurnAction:
    """Return the action of a turn that looked up a number."""
    return TurnAction("lookup", (leaf(index, value),), value)


def state_of(*turns: tuple[str, TurnAction]) -> DialogueState:
    state = DialogueState()
    for question, action in turns:
        state = state.after(read_question(question), action)
    return state


def turn_of(question: str, *turns: tuple[str, TurnAction], of: PageFeatures | None = None) -> TurnView:
    """Return a turn on the page, after earlier turns."""
    return make_turn_view(read_question(question), state_of(*turns), of or made_page(), {})


def pool_of(
    leaves: NumberMatrix, rows: Sequence[Row], state: DialogueState, groups: Sequence[NumberGroup] = ()
) -> Pool:
    """Return a pool of these operands, followed by the operand that stands for none."""
    lookups, used = state.lookups, state.used_leaves
    operands, kinds, taken, since = [], [], [], []
    for kind, index, value in (*rows, ("none", 0, 0.0)):
        is_leaf, is_result = kind in ("new", "used"), kind.startswith("result")
        operands.append(
            Operand(
                "leaf" if is_leaf else "result" if is_result else "group" if kind == "group" else "constant",
                index,
                value,
            )
        )
        kinds.append(KINDS.index(kind))
        taken.append(index if is_leaf else lookups.get(index, -1) if is_result else -1)
        turn = index if is_result else used.get(index, -1) if is_leaf else -1
        since.append(len(state.outcomes) - turn if turn >= 0 else 0)
    return Pool(
        operands=tuple(operands),
        groups=tuple(groups),
        counts=tuple(leaves.counts[n] if n >= 0 else Dimension() for n in taken),
        magnitude=np.zeros(len(operands), bool),
        kind=np.array(kinds, np.int8),
        value=np.array([operand.value for operand in operands]),
        percent=np.array([n >= 0 and bool(leaves.percent[n]) for n in taken]),
        leaf=np.array(taken, np.int32),
        year=np.array([int(leaves.year[n]) if n >= 0 else 0 for n in taken], np.int32),
        turn=np.array(since, np.int32),
        score=np.log(np.linspace(0.9, 0.1, len(operands))),
        reading=np.zeros(len(operands), np.int32),
        ratio=np.zeros(len(operands), bool),
    )


def candidates_of(
    turn: TurnView,
    rows: Sequence[Row],
    *plans: tuple[str, int, int] | tuple[str, int],
    groups: Sequence[NumberGroup] = (),
) -> Candidates:
    """Return plans over a pool of `rows`: an operation on the rows with these indices."""
    pool = pool_of(turn.leaves, rows, turn.state, groups)
    first = np.array([plan[1] for plan in plans], np.intp)
    second = np.array([plan[2] if len(plan) == 3 else len(rows) for plan in plans], np.intp)
    a, b = pool.value[first], pool.value[second]
    results = {
        "lookup": a, "subtract": a - b, "add": a + b, "divide": a / np.where(b == 0, 1, b), "multiply": a * b,
        "greater": a > b, "percentage_change": (a - b) / np.where(b == 0, 1, b), "sum": a, "average": a,
    }  # fmt: skip
    return Candidates(
        pool=pool,
        operation=np.array([OPERATIONS.index(plan[0]) for plan in plans], np.int8),
        first=first,
        second=second,
        value=np.array([float(results[plan[0]][n]) for n, plan in enumerate(plans)]),
        signature=np.log(np.linspace(0.5, 0.1, len(plans))),
        prior=np.log(np.linspace(0.4, 0.2, len(plans))),
    )


CHANGE = (
    "what was the increase in net sales from 2008 to 2009, in millions?",
    ("net sales in 2008?", looked_up(SALES_2008, 400.0)),
)
"""A question with the stems "increas net sale million", and an earlier turn that looked up its start value."""
ROWS: tuple[Row, ...] = (
    ("new", SALES_2009, 500.0),
    ("result1", 0, 400.0),
    ("new", COSTS_2009, -90.0),
    ("new", INCOME_2009, 60.0),
    ("new", INCOME_2008, 30.0),
    ("constant", 0, 100.0),
)
PLANS = (
    ("subtract", 0, 1),
    ("subtract", 1, 0),
    ("divide", 2, 0),
    ("subtract", 3, 4),
    ("multiply", 0, 5),
    ("lookup", 0),
)
PROBABILITY = np.array([0.8, 0.7, 0.3, 0.1, 0.05, 0.04, 0.5, 0.6])
"""Probability of each number of the page being asked for."""


def changed() -> tuple[TurnView, Candidates]:
    """Return the turn `CHANGE` and the plans `PLANS` for it."""
    turn = turn_of(*CHANGE)
    return turn, candidates_of(turn, ROWS, *PLANS)
