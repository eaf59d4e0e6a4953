"""Priors of the numbers of a file, and numbers with their printed sign."""

from decimal import Decimal

import numpy as np
import pytest
from long_filing import a_long_filing
from scripted import a_document

from quaestor.core.provenance import CellRef
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.plan_rules import restore_signs
from quaestor.solvers.embedded.prior import build_prior
from quaestor.solvers.embedded.turn_state import Operand, TurnAction

FILING = a_long_filing()
KNOWLEDGE = GraphProvider.of([FILING], "extend")
ORDERS = [FILING.block(table.cells[0][0].ref).order for table in FILING.tables]
OPERATIONS, BALANCE, CASH, SEGMENTS, TAXES, DEBT = range(6)


def leaves(*tables: int) -> NumberMatrix:
    return build_number_matrix(KNOWLEDGE.graph(FILING.excerpt(ORDERS[table] for table in tables)))


def test_page_has_no_prior() -> None:
    page = a_document("NORD/2012/page_41.pdf")
    found = build_number_matrix(GraphProvider.of([page]).graph(page))
    assert build_prior(read_question("net sales?"), found, page) is None


def test_the_whole_label_comes_first() -> None:
    excerpt = FILING.excerpt([ORDERS[OPERATIONS], ORDERS[SEGMENTS]])
    both = leaves(OPERATIONS, SEGMENTS)
    prior = build_prior(read_question("what was operating income in 2022?"), both, excerpt)
    of_part = build_prior(read_question("what was the operating income of europe in 2022?"), both, excerpt)
    assert prior is not None
    assert of_part is not None
    at = {(leaf.source.table, leaf.source.row): float(prior.leaves[place]) for place, leaf in enumerate(both.leaves)
          if isinstance(leaf.source, CellRef)}  # fmt: skip
    assert at[OPERATIONS, 9] == 0.0 > at[OPERATIONS, 2]
    rows = [
        leaf.source.row for leaf in both.leaves if isinstance(leaf.source, CellRef) and leaf.source.table == SEGMENTS
    ]
    spoken = of_part.leaves[-len(rows) :]
    assert {rows[place] for place in np.flatnonzero(spoken == spoken.max())} == {3}
    shifted = prior.adjust_leaves(np.full(len(both), 0.5))
    assert shifted.max() == pytest.approx(0.5)


def test_a_difference_of_negative_amounts_keeps_its_sign() -> None:
    found = leaves(CASH)
    now, then = (
        found.index[CellRef(FILING.id, CASH, 6, column), Decimal(value)] for column, value in ((1, -36), (2, -30))
    )
    taken = TurnAction("subtract", (Operand("leaf", now, 36.0), Operand("leaf", then, 30.0)), 6.0)
    assert restore_signs(taken, found).value == -6.0
    assert restore_signs(TurnAction("lookup", (Operand("leaf", now, -36.0),), -36.0), found).value == -36.0
