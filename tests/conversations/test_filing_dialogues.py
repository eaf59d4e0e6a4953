"""Conversations of six questions over a long report, with a perfect model for each solver that asks one.

No request contains the whole report, and the excerpts contain everything that the plans need.
"""

import asyncio
from pathlib import Path

import pytest
from long_filing import a_long_filing
from oracle import SCRIPTS, OracleRun, oracle_of, run_with_oracle
from values import a_value

from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.registry import make_solver

TOKENS = 700

TURNS = (
    ("what were total net sales in 2023?", "800", 800),
    ("and in the prior year?", "720", 720),
    ("what is the percentage change?", "subtract(800, 720), divide(#0, 720)", 0.11111),
    ("how much were the dividends paid in 2023?", "-36", -36),
    ("what was the provision for income taxes in 2023?", "26", 26),
    ("as a percentage of income before provision for income taxes?", "divide(26, 124)", 0.20968),
)

FILED = (
    ("what were total net sales in 2021?", "365817", 365817),
    ("and in 2020?", "274515", 274515),
    ("what was the percentage change?", "subtract(365817, 274515), divide(#0, 274515)", 0.33259),
    ("what were research and development expenses in 2021?", "21914", 21914),
    ("as a percentage of total net sales?", "divide(21914, 365817)", 0.0599),
    ("what was total term debt at the end of 2021?", "118719", 118719),
)
"""Questions about a public annual report, `apple-2021-10k.pdf`."""

by_solver = pytest.mark.parametrize("solver", sorted(SCRIPTS))


def run_dialogue(
    solver: str, document: Document, turns: tuple[tuple[str, str, float], ...], tokens: int = TOKENS
) -> OracleRun:
    conversation = Conversation("asked", document, tuple(question for question, _, _ in turns))
    golds = {"asked": tuple(GoldTurn(program, a_value(value), None, 0) for _, program, value in turns)}
    oracle, excerpts = oracle_of(solver), PlaceExcerpts.of_file(document, tokens)
    return asyncio.run(run_with_oracle([conversation], golds, make_solver(solver, {}), oracle, lambda _: excerpts))


@by_solver
def test_six_questions_over_a_long_report(solver: str, local_models: None) -> None:
    found = run_dialogue(solver, a_long_filing(), TURNS)
    assert [outcome.cause for outcome in found.outcomes if not outcome.right] == []
    assert len(found.outcomes) == len(TURNS)


@pytest.mark.slow
@by_solver
def test_no_prompt_has_the_whole_report(solver: str, local_models: None) -> None:
    long, longer = (run_dialogue(solver, a_long_filing(filler), TURNS[:1]).usage.input_tokens for filler in (40, 400))
    assert longer < 1.2 * long


@pytest.mark.very_slow
@by_solver
def test_six_questions_over_a_filed_report(solver: str, local_models: None, filed: Document) -> None:
    found = run_dialogue(solver, filed, FILED, 4_000)
    assert [outcome.cause for outcome in found.outcomes if not outcome.right] == []


@pytest.fixture(scope="module")
def filed(shared_data: Path) -> Document:
    return read_document(shared_data / "filings" / "apple-2021-10k.pdf")
