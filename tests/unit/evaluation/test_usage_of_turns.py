"""Usage of a turn: typed in Python, and stored as counts by name."""

import asyncio
from decimal import Decimal
from pathlib import Path

from made_up import a_record, write_dataset

from quaestor.conversation.answer import Answer
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.runner import answer_conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.solvers.base import TurnContext
from quaestor.store.base import open_store

PRICED = Usage(1, 1200, 85, 300, 0, Decimal("0.004217"))


class Paying:
    """Reports the usage of two calls per question."""

    name = "paying"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        context.usage += PRICED
        context.usage += PRICED
        return Answer(value=None)


def test_solver_adds_to_the_usage_of_its_turn(tmp_path: Path) -> None:
    dataset = read_dataset(write_dataset(tmp_path / "pages.json", a_record()))
    turns = asyncio.run(answer_conversation(dataset.conversations[0], Paying()))
    assert [turn.usage for turn in turns] == [PRICED + PRICED] * len(turns)
    assert turns[0].usage.cost == Decimal("0.008434")


def test_usage_is_stored_as_counts_under_stable_names(tmp_path: Path) -> None:
    dataset = read_dataset(write_dataset(tmp_path / "pages.json", a_record()))

    async def play() -> dict[str, int]:
        async with open_store(str(tmp_path / "runs.db")) as store:
            spec = RunSpec.of(dataset, "paying")
            run = await run_dataset(dataset, spec, store, InlineEngine(), factory=Paying)
            turn = await store.turn(run.id, dataset.conversations[0].id, 0)
            return turn.usage

    usage = asyncio.run(play())
    assert usage == {
        "requests": 2,
        "input_tokens": 2400,
        "output_tokens": 170,
        "cached_tokens": 600,
        "estimated_tokens": 0,
        "cost_millionths": 8434,
    }
    assert Usage.of_counts(usage) == PRICED + PRICED
    assert Usage.of_counts({"requests": 4, "input_tokens": 1200}) == Usage(4, 1200)
