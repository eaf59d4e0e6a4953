"""Priors of the numbers of a document with several tables, and numbers with their printed sign."""

import asyncio
from decimal import Decimal

import numpy as np
import pytest
from long_filing import a_long_filing

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory
from quaestor.core.provenance import CellRef
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.plan_rules import restore_signs
from quaestor.solvers.embedded.prior import build_prior
from quaestor.solvers.embedded.turn_state import Operand, TurnAction
from quaestor.solvers.registry import make_solver

FILING = a_long_filing()
KNOWLEDGE = GraphProvider.of([FILING], "extend")
ORDERS = [FILING.block(table.cells[0][0].ref).order for table in FILING.tables]
OPERATIONS, BALANCE, CASH, SEGMENTS, TAXES, DEBT = range(6)


def leaves(*tables: int) -> NumberMatrix:
    return build_number_matrix(KNOWLEDGE.graph(FILING.excerpt(ORDERS[table] for table in tables)))


def ask(question: str, weights: dict[int, float]) -> Answer:
    context = TurnContext(
        FILING,
        Memory(),
        KNOWLEDGE.graph(FILING),
        KNOWLEDGE.ontology,
        question=read_question(question),
        weights={ORDERS[table]: weight for table, weight in weights.items()},
    )
    return asyncio.run(make_solver("embedded", {}).solve(question, context))


def cells(answer: Answer) -> list[CellRef]:
    return [source for source in answer.sources if isinstance(source, CellRef)]


def test_page_has_no_prior() -> None:
    assert build_prior(read_question("net sales?"), leaves(OPERATIONS), FILING, {}) is None


def test_the_likelier_place_and_the_whole_label_come_first() -> None:
    excerpt = FILING.excerpt([ORDERS[OPERATIONS], ORDERS[SEGMENTS]])
    weights = {ORDERS[OPERATIONS]: 0.0, ORDERS[SEGMENTS]: -0.5}
    both = leaves(OPERATIONS, SEGMENTS)
    prior = build_prior(read_question("what was operating income in 2022?"), both, excerpt, weights)
    of_part = build_prior(read_question("what was the operating income of europe in 2022?"), both, excerpt, weights)
    assert prior is not None
    assert of_part is not None
    at = {(leaf.source.table, leaf.source.row): float(prior.leaves[place]) for place, leaf in enumerate(both.leaves)
          if isinstance(leaf.source, CellRef)}  # fmt: skip
    # The operating income of a segment is not meant if no segment is named.
    assert at[OPERATIONS, 9] == 0.0 > max(at[SEGMENTS, 3], at[SEGMENTS, 2])
    assert at[OPERATIONS, 9] > at[OPERATIONS, 2]
    rows = [
        leaf.source.row for leaf in both.leaves if isinstance(leaf.source, CellRef) and leaf.source.table == SEGMENTS
    ]
    spoken = of_part.leaves[-len(rows) :]
    assert {rows[place] for place in np.flatnonzero(spoken == spoken.max())} == {3}
    shifted = prior.adjust_leaves(np.full(len(both), 0.5))
    assert shifted.max() == pytest.approx(0.5)


def test_number_of_the_likelier_table_is_used() -> None:
    question = "what was operating income in 2022?"
    assert cells(ask(question, {OPERATIONS: 0.0, SEGMENTS: -1.0})) == [CellRef(FILING.id, OPERATIONS, 9, 2)]
    of_part = "what was the operating income of europe in 2022?"
    assert {source.table for source in cells(ask(of_part, {OPERATIONS: -1.0, SEGMENTS: 0.0}))} == {SEGMENTS}


def test_an_amount_in_parentheses_is_negative() -> None:
    answer = ask("what were dividends paid in 2022?", {CASH: 0.0})
    assert (answer.number, cells(answer)) == (Decimal(-30), [CellRef(FILING.id, CASH, 6, 2)])


def test_a_difference_of_negative_amounts_keeps_its_sign() -> None:
    found = leaves(CASH)
    now, then = (
        found.index[CellRef(FILING.id, CASH, 6, column), Decimal(value)] for column, value in ((1, -36), (2, -30))
    )
    taken = TurnAction("subtract", (Operand("leaf", now, 36.0), Operand("leaf", then, 30.0)), 6.0)
    assert restore_signs(taken, found).value == -6.0
    assert restore_signs(TurnAction("lookup", (Operand("leaf", now, -36.0),), -36.0), found).value == -36.0
