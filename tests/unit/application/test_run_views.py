"""Views of stored runs with their saved scores."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from quaestor.application.run_views import RunViews, answer_words
from quaestor.application.score_service import RunScores, ScoreParts, read_latest_scores, read_run_scores, score_run
from quaestor.datasets.formats import read_dataset
from quaestor.errors import InputError, UnknownRunError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scores import PairFilter, ScoreRecords, Tally, VerdictFilter, open_scores
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import read_gold
from quaestor.scoring.scorers import prediction_of
from quaestor.store.base import open_store
from quaestor.store.listing import ListPart, RunFilter, TurnFilter, TurnListing
from quaestor.store.records import TurnRecord
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import START, make_example, make_run, make_turns

pytestmark = pytest.mark.anyio

SCORED, GOING, OTHER = (
    make_run("scored"),
    make_run("going", minutes=1),
    replace(make_run("other"), dataset_digest="ef" * 32),
)
ALL = ListPart()


@asynccontextmanager
async def views_of(uri: str) -> AsyncIterator[RunViews]:
    """Yield views of a scored run, a running one that was resumed after its scoring, and one without a score."""
    async with open_store(uri) as store:
        for run in (SCORED, GOING, OTHER):
            await store.create_run(run)
            await store.complete_example(make_example(run), make_turns(run))
        scores = open_scores(uri)
        if scores is not None:
            async with scores:
                for run in (SCORED, GOING):
                    score = make_score(run, {"c1": (True, False)}, id=run.id)
                    await scores.add_score(replace(score, score=replace(score.score, scored=START)))
        await store.finish_run(SCORED.id, "complete", START - timedelta(seconds=1))
        async with RunViews(store, uri) as views:
            yield views


async def test_run_view_has_score_and_progress(tmp_path: Path) -> None:
    async with views_of(str(tmp_path / "runs.db")) as views:
        going, *others = (await views.runs(RunFilter(), ALL)).items
        assert (going.run.id, going.score, going.outdated, going.finished_conversations) == ("going", None, True, 1)
        scored = next(view for view in others if view.run.id == "scored")
        assert (scored.score and scored.score.id, scored.outdated, scored.finished_conversations) == (
            "scored",
            False,
            2,
        )
        assert await views.run("scored") == scored
        with pytest.raises(UnknownRunError):
            await views.run("nosuch")


async def test_turns_are_counted_by_verdict_if_scored(tmp_path: Path) -> None:
    async with views_of(str(tmp_path / "runs.db")) as views:
        scored, other = await views.run("scored"), await views.run("other")
        counts = await views.counts(scored)
        assert counts.tallies["index"] == (Tally(0, 1, 1, 1), Tally(1, 0, 1, 1))
        assert (counts.causes, counts.turns) == ({"scale": 1}, 2)
        assert (await views.counts(other)).tallies["index"] == [Tally(0, 0, 0, 1), Tally(1, 0, 0, 1)]


async def test_verdicts_from_before_a_run_was_resumed_are_ignored(tmp_path: Path) -> None:
    async with views_of(str(tmp_path / "runs.db")) as views:
        going, scored = await views.run("going"), await views.run("scored")
        wrong = VerdictFilter(False)
        assert (await views.turns(going, TurnFilter(), VerdictFilter(), ALL)).total == 2
        assert (await views.turns(going, TurnFilter(), wrong, ALL)).total == 0
        found = await views.turns(scored, TurnFilter(), wrong, ALL)
        assert [(turn.number, turn.verdict and turn.verdict.cause) for turn in found.items] == [(2, "scale")]
        assert [turn.number for turn in await views.neighbours(scored, "c1")] == [1, 2]


async def test_only_runs_of_the_same_questions_are_compared(tmp_path: Path) -> None:
    async with views_of(str(tmp_path / "runs.db")) as views:
        scored, going, other = [await views.run(run.id) for run in (SCORED, GOING, OTHER)]
        assert (await views.compare(scored, going, PairFilter(), ALL)).total == 2
        assert (await views.count_pairs(scored, going)).total == 2
        with pytest.raises(InputError):
            await views.compare(scored, other, PairFilter(), ALL)


async def test_store_without_scores_can_be_viewed(tmp_path: Path) -> None:
    async with views_of("sqlite://") as views:
        view = await views.run("scored")
        assert (view.score, view.outdated) == (None, False)
        assert (await views.turns(view, TurnFilter(), VerdictFilter(), ALL)).total == 2
        assert await views.choices()
        with pytest.raises(InputError):
            await views.compare(view, view, PairFilter(), ALL)


RUN = replace(make_run(), finished=START, status="complete")


@pytest.fixture
async def uri(tmp_path: Path) -> str:
    """A store with one complete run."""
    uri = str(tmp_path / "runs.db")
    async with open_store(uri) as store:
        await store.create_run(RUN)
    return uri


async def add(uri: str, *kept: ScoreRecords) -> None:
    scores = open_scores(uri)
    assert scores is not None
    async with scores:
        for score in kept:
            await scores.add_score(score)


def later(kept: ScoreRecords, hours: int) -> ScoreRecords:
    return replace(kept, score=replace(kept.score, scored=START + timedelta(hours=hours)))


async def test_the_latest_score_of_each_file_is_read(uri: str) -> None:
    names = (("s1", "pages.json", 1), ("s2", "corrected.json", 2), ("s3", "pages.json", 3))
    scores = [later(make_score(RUN, {"c1": (True, False)}, id=id, dataset=file), hours) for id, file, hours in names]
    await add(uri, *scores)
    found = await read_run_scores(uri, RUN)
    assert [score.id for score in found.latest] == ["s3", "s2"]
    assert [key for key, verdict in found.verdicts.items() if not verdict.correct] == [("c1", 1)]
    assert found.conversations["c1"].failed_turns == [1]
    assert await read_latest_scores(uri, [RUN]) == {RUN.id: scores[2].score}


@pytest.mark.parametrize("finished", [None, START + timedelta(hours=2)])
async def test_resumed_run_lacks_verdicts_until_it_is_scored_again(uri: str, finished: object) -> None:
    await add(uri, later(make_score(RUN, {"c1": (True, False)}), 1))
    resumed = replace(RUN, finished=finished)  # type: ignore[arg-type]  # parametrised
    found = await read_run_scores(uri, resumed)
    assert (len(found.latest), found.outdated, found.verdicts) == (1, True, {})
    assert await read_latest_scores(uri, [resumed]) == {}


async def test_nothing_is_read_without_stored_scores(uri: str) -> None:
    assert await read_run_scores(uri, RUN) == RunScores()
    assert await read_run_scores("sqlite://", RUN) == RunScores()
    assert await read_latest_scores("sqlite://", [RUN]) == {}


async def test_score_that_cannot_be_saved_is_returned(tmp_path: Path) -> None:
    pages, gold = read_dataset(sample_path(), 1), read_gold(sample_path())
    async with open_store("sqlite://") as store:
        run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=1), store, InlineEngine())
        scored = await score_run(store, run, pages, gold, str(tmp_path / "nosuch.db"))
        assert scored.report.score.execution.total == 4
        assert scored.unkept
        assert (await score_run(store, run, pages, gold)).unkept is None


async def test_run_is_scored_by_conversation_and_its_turns_are_kept_on_request() -> None:
    pages, gold = read_dataset(sample_path(), 3), read_gold(sample_path())
    async with open_store("sqlite://") as store:
        run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=3), store, InlineEngine())
        ids: list[str | None] = []
        read = store.turns

        async def turns(run: str, conversation: str | None = None) -> tuple[TurnRecord, ...]:
            ids.append(conversation)
            return await read(run, conversation)

        store.turns = turns  # type: ignore[method-assign, assignment]
        ways: tuple[ScoreParts, ...] = ("figures", "verdicts", "turns")
        figures, lean, full = [await score_run(store, run, pages, gold, wanted=wanted) for wanted in ways]
        assert ids == [one.id for one in pages.listed] * 3
        assert (figures.report.score, figures.report.turns) == (lean.report.score, ())
        assert (
            lean.report
            == full.report
            == score_predictions(map(prediction_of, await read(run.id)), gold, pages.conversations)
        )
        assert (len(lean.turns), len(full.turns)) == (0, 12)


TURN = TurnListing(
    "c", 0, "?", {"value": "0.125", "scale": "one"}, "0.125", None, "complete", "number", None, None, 0.5
)


def test_text_answer() -> None:
    assert answer_words(TURN) == "0.125"
    assert answer_words(replace(TURN, number=None, answer={})) != answer_words(TURN)
    assert answer_words(replace(TURN, number=None, answer={}, status="understanding")) == "…"
    assert answer_words(replace(TURN, answer={"value": []})) == "0.125"
