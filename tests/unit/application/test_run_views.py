import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from quaestor.application.run_views import RunViews
from quaestor.errors import InputError, UnknownRunError
from quaestor.scores.base import open_scores
from quaestor.scores.records import PairFilter, Tally, VerdictFilter
from quaestor.store.base import open_store
from quaestor.store.listing import ListPart, RunFilter, TurnFilter
from quaestor.testing.score_rules import a_score
from quaestor.testing.store_records import START, a_run, an_example, some_turns

SCORED, GOING, OTHER = a_run("scored"), a_run("going", minutes=1), replace(a_run("other"), dataset_digest="ef" * 32)
ALL = ListPart()


def look(uri: str, scenario: Callable[[RunViews], Coroutine[None, None, None]]) -> None:
    """Play a scenario on a scored run, one that went on after that and is running, and one without a score."""

    async def opened() -> None:
        async with open_store(uri) as store:
            for run in (SCORED, GOING, OTHER):
                await store.create_run(run)
                await store.complete_example(an_example(run), some_turns(run))
            scores = open_scores(uri)
            if scores is not None:
                async with scores:
                    for run in (SCORED, GOING):
                        kept = a_score(run, {"c1": (True, False)}, id=run.id)
                        await scores.add_score(replace(kept, score=replace(kept.score, scored=START)))
            await store.finish_run(SCORED.id, "complete", START - timedelta(seconds=1))
            async with RunViews(store, uri) as views:
                await scenario(views)

    asyncio.run(opened())


def test_a_run_has_its_score_and_its_progress(tmp_path: Path) -> None:
    async def scenario(views: RunViews) -> None:
        going, *others = (await views.runs(RunFilter(), ALL)).items
        assert (going.run.id, going.score, going.outdated, going.played) == ("going", None, True, 1)
        scored = next(view for view in others if view.run.id == "scored")
        assert (scored.score and scored.score.id, scored.outdated, scored.played) == ("scored", False, 2)
        assert await views.run("scored") == scored
        with pytest.raises(UnknownRunError):
            await views.run("nosuch")

    look(str(tmp_path / "runs.db"), scenario)


def test_turns_are_counted_with_their_verdicts_where_there_are_some(tmp_path: Path) -> None:
    async def scenario(views: RunViews) -> None:
        scored, other = await views.run("scored"), await views.run("other")
        counts = await views.counts(scored)
        assert counts.tallies["index"] == {0: Tally(1, 1, 1), 1: Tally(0, 1, 1)}
        assert (counts.causes, counts.turns) == ({"scale": 1}, 2)
        assert (await views.counts(other)).tallies["index"] == {0: Tally(0, 0, 1), 1: Tally(0, 0, 1)}

    look(str(tmp_path / "runs.db"), scenario)


def test_verdicts_of_before_a_run_went_on_are_left_aside(tmp_path: Path) -> None:
    async def scenario(views: RunViews) -> None:
        going, scored = await views.run("going"), await views.run("scored")
        wrong = VerdictFilter(False)
        assert (await views.turns(going, TurnFilter(), VerdictFilter(), ALL)).total == 2
        assert (await views.turns(going, TurnFilter(), wrong, ALL)).total == 0
        found = await views.turns(scored, TurnFilter(), wrong, ALL)
        assert [(judged.turn.index, judged.verdict and judged.verdict.cause) for judged in found.items] == [
            (1, "scale")
        ]
        assert [turn.turn.index for turn in await views.neighbours(scored, "c1")] == [0, 1]

    look(str(tmp_path / "runs.db"), scenario)


def test_only_runs_of_the_same_questions_are_compared(tmp_path: Path) -> None:
    async def scenario(views: RunViews) -> None:
        scored, going, other = [await views.run(run.id) for run in (SCORED, GOING, OTHER)]
        assert (await views.compare(scored, going, PairFilter(), ALL)).total == 2
        assert (await views.count_pairs(scored, going)).total == 2
        with pytest.raises(InputError):
            await views.compare(scored, other, PairFilter(), ALL)

    look(str(tmp_path / "runs.db"), scenario)


def test_a_store_without_scores_can_be_looked_through(tmp_path: Path) -> None:
    async def scenario(views: RunViews) -> None:
        view = await views.run("scored")
        assert (view.score, view.outdated) == (None, False)
        assert (await views.turns(view, TurnFilter(), VerdictFilter(), ALL)).total == 2
        assert await views.choices()
        with pytest.raises(InputError):
            await views.compare(view, view, PairFilter(), ALL)

    look("sqlite://", scenario)
