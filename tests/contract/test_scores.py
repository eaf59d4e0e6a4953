"""What every ScoreStore must do. The fixture `uri` names each kind of store."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta

import pytest
from saved_scores import a_score
from store_records import START, a_run, an_example, some_turns

from quaestor.errors import UnknownRunError
from quaestor.scores.base import ScoreStore, open_scores
from quaestor.store.base import RunStore, open_store

RUN = a_run()
FIRST = a_score(RUN, {"c1": (True, False), "c2": (True, True, True)})
LATER = a_score(RUN, {"c1": (True, True), "c2": (True, False, False)}, id="s2")
LATER = replace(LATER, score=replace(LATER.score, scored=START + timedelta(hours=1)))

Scenario = Callable[[RunStore, ScoreStore], Coroutine[None, None, None]]


def play(uri: str, scenario: Scenario) -> None:
    """Play a scenario on a store that has one complete run."""

    async def opened() -> None:
        async with open_store(uri) as store:
            await store.create_run(RUN)
            await store.complete_example(an_example(RUN), some_turns(RUN))
            scores = open_scores(uri)
            assert scores is not None
            async with scores:
                await scenario(store, scores)

    asyncio.run(opened())


def test_every_implementation_is_a_score_store(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        assert isinstance(scores, ScoreStore)
        assert not isinstance(store, ScoreStore)

    play(uri, scenario)


def test_a_score_comes_back_as_it_was(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        assert await scores.scores(RUN.id) == ()
        assert await scores.verdicts(RUN.id) == ()
        assert await scores.conversation_scores(RUN.id) == ()
        await scores.add_score(FIRST)
        assert await scores.scores(RUN.id) == (FIRST.score,)
        assert await scores.conversation_scores(RUN.id) == FIRST.conversations
        assert await scores.verdicts(RUN.id) == FIRST.verdicts
        assert (await scores.scores(RUN.id))[0].scored.utcoffset() == timedelta(0)

    play(uri, scenario)


def test_a_run_scored_again_keeps_the_figures_of_both_and_the_verdicts_of_the_latest(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        await scores.add_score(FIRST)
        await scores.add_score(LATER)
        assert await scores.scores(RUN.id) == (LATER.score, FIRST.score)
        assert await scores.verdicts(RUN.id) == LATER.verdicts
        assert await scores.conversation_scores(RUN.id) == LATER.conversations

    play(uri, scenario)


def test_scores_of_all_runs_come_latest_first(uri: str) -> None:
    other = a_run("another-run")

    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        await store.create_run(other)
        await scores.add_score(LATER)
        await scores.add_score(a_score(other, {"c1": (False,)}, id="s0"))
        assert [score.run for score in await scores.scores()] == [RUN.id, other.id]
        assert [score.run for score in await scores.scores(other.id)] == [other.id]

    play(uri, scenario)


def test_only_a_run_that_is_there_has_a_score(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        with pytest.raises(UnknownRunError, match="'nosuch'"):
            await scores.add_score(a_score(replace(RUN, id="nosuch"), {"c1": (True,)}))
        assert await scores.scores() == ()

    play(uri, scenario)


def test_scores_go_with_their_run(uri: str) -> None:
    other = a_run("another-run")

    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        await store.create_run(other)
        kept = a_score(other, {"c1": (False,)}, id="s0")
        for score in (FIRST, LATER, kept):
            await scores.add_score(score)
        await store.delete_run(RUN.id)
        assert await scores.scores() == (kept.score,)
        assert await scores.verdicts(RUN.id) == ()
        assert await scores.conversation_scores(RUN.id) == ()
        assert await scores.verdicts(other.id) == kept.verdicts

    play(uri, scenario)


def test_verdicts_are_those_of_the_latest_in_whichever_order_they_come(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        await scores.add_score(LATER)
        await scores.add_score(FIRST)
        assert await scores.scores(RUN.id) == (LATER.score, FIRST.score)
        assert await scores.verdicts(RUN.id) == LATER.verdicts
        assert await scores.conversation_scores(RUN.id) == LATER.conversations

    play(uri, scenario)


def test_two_that_score_at_once_leave_the_verdicts_of_the_later(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        second = open_scores(uri)
        assert second is not None
        async with second:
            await asyncio.gather(scores.add_score(FIRST), second.add_score(LATER))
        assert {score.id for score in await scores.scores(RUN.id)} == {"s1", "s2"}
        assert await scores.verdicts(RUN.id) == LATER.verdicts

    play(uri, scenario)


def test_verdicts_come_with_what_was_answered(uri: str) -> None:
    async def scenario(store: RunStore, scores: ScoreStore) -> None:
        assert not len(await scores.judged_frame(RUN.id))
        # The third turn has a verdict, and was not played in the attempt that counts.
        earlier = some_turns(RUN, "c2", 3)
        await store.begin_example(an_example(RUN, "c2", status="pending", turns=0))
        for turn in earlier:
            await store.save_turn(turn)
        await store.begin_example(an_example(RUN, "c2", status="pending", turns=0))
        await store.complete_example(an_example(RUN, "c2", attempt=2), some_turns(RUN, "c2", 2, attempt=2))
        await scores.add_score(FIRST)
        frame = await scores.judged_frame(RUN.id)
        places = [*zip(frame.conversations, frame.places, strict=True)]
        verdicts = await scores.verdicts(RUN.id)
        assert places == [(one.conversation, one.index) for one in verdicts]
        assert len(places) == 5
        assert frame.verdicts == [{"execution": one.correct, "program": one.program_correct} for one in verdicts]
        assert frame.causes == [one.cause for one in verdicts]
        turns = {(turn.conversation, turn.index): turn for turn in await store.turns(RUN.id)}
        assert frame.answers == [turns[place].number if place in turns else None for place in places]
        assert frame.answers[-1] is None
        assert {*frame.pages} == {an_example(RUN).document}
        given = [turns[place].answer.get("confidence") for place in places[:-1]]
        assert frame.confidences == [*given, None]

    play(uri, scenario)
