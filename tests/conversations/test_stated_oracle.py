"""A perfect model gives every kind of answer to questions of a benchmark with stated answers."""

import asyncio
from pathlib import Path

import pytest
from oracle import SCRIPTS
from stated_oracle import StatedRun, run_stated
from tatqa_pages import page, question, tatqa_pages, write_tatqa

from quaestor.datasets.formats import read_dataset
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

pytestmark = pytest.mark.usefixtures("local_models")

GRID = [
    ["(in thousands)", "2019", "2018", "2017"],
    ["Barges", "1,200", "1,000", "(1,250)"],
    ["Tugs", "300", "400", "350"],
    ["Ferries", "70", "60", "50"],
    ["Total revenue", "1,570", "1,460", "(850)"],
]
KINDS = page(
    "77aa-harbour",
    GRID,
    ["Revenue by vessel is shown in the table.", "Ferries are let to towns. Tugs are let to harbours, by the hour."],
    [
        question("In which year was the revenue of tugs the highest?", ["2018"], "span", "table"),
        question("Which vessel had the lowest revenue in 2019?", ["Ferries"], "span", "table"),
        question("In which years did revenue of tugs exceed $320 thousand?", ["2018", "2017"], "multi-span", "table"),
        question("How many years did the revenue of ferries exceed $55 thousand?", "2", "count", "table"),
        question("What are the vessels in the table?", ["Barges", "Tugs", "Ferries"], "multi-span", "table"),
        question("What was the revenue of barges in 2019, 2018 and 2017, respectively?", ["1,200", "1,000", "(1,250)"],
                 "multi-span", "table", "thousand"),
        question("To whom are tugs let?", ["harbours"], "span", "text"),
        question("How are tugs let?", ["by the hour"], "span", "text"),
    ],
)  # fmt: skip


def run_stated_oracle(solver: str, folder: Path) -> StatedRun:
    path = write_tatqa(folder, [KINDS, *tatqa_pages()])
    conversations = read_dataset(path).conversations
    return asyncio.run(run_stated(conversations, read_gold(path), make_solver(solver)))


@pytest.mark.parametrize("solver", sorted(SCRIPTS))
def test_every_kind_of_answer_is_right(solver: str, tmp_path: Path) -> None:
    run = run_stated_oracle(solver, tmp_path)
    assert [outcome for outcome in run.outcomes if not outcome.right] == []
    ways = {outcome.plan.way for outcome in run.outcomes if outcome.plan}
    assert ways == {"number", "numbers", "choice", "count", "labels", "words"}
    *_, last = run.lines()
    assert last.startswith("of the table: ")
    assert last.endswith(", 100.0 %")


def test_a_reference_that_is_not_on_the_page_is_wrong_and_counted(tmp_path: Path) -> None:
    record = page("88bb-dock", GRID, ["Nothing else."], [question("Who owns the dock?", ["a town"], "span", "table")])
    path = write_tatqa(tmp_path, [record])
    run = asyncio.run(run_stated(read_dataset(path).conversations, read_gold(path), make_solver("workflow")))
    (outcome,) = run.outcomes
    assert (outcome.right, outcome.plan) == (False, None)
    assert "of the table: 0 of 1, 0.0 %" in run.lines()
