"""Rules for run stores: scores, which are stored in the same tables."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.errors import UnknownRunError
from quaestor.scores.base import ScoreStore
from quaestor.scores.records import (
    ConversationScoreRecord,
    PairFilter,
    ScoreRecord,
    ScoreRecords,
    Tally,
    Verdict,
    VerdictFilter,
)
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.store.records import RunRecord
from quaestor.testing.content_rules import OTHER, add_listed_run, listed_turns
from quaestor.testing.store_records import START, a_run, an_example, some_turns
from quaestor.testing.store_rules import RUN, OpenStore, find_rules, raises

Verdicts = Mapping[str, Sequence[bool]]

_ALL = ListPart()


def a_score(run: RunRecord, verdicts: Verdicts, *, id: str = "s1", dataset: str = "pages.json") -> ScoreRecords:
    """Return a score with the given verdicts by conversation; a program is right if its answer is wrong."""
    turns = [right for those in verdicts.values() for right in those]
    figure: dict[str, JsonValue] = {"correct": sum(turns), "total": len(turns), "low": 0.25, "high": 1.0, "pages": 2}
    score = ScoreRecord(
        id=id, run=run.id, dataset=dataset, dataset_digest=run.dataset_digest, scored=START, version="1.2.3",
        metrics={"execution": figure, "display": {"correct": 0, "total": 0, "low": 0.0, "high": 0.0, "pages": 0}},
        conversations=len(verdicts), turns=len(turns), correct_answers=sum(turns), accuracy=sum(turns) / len(turns),
        unanswered=1, mean_turns=len(turns) / len(verdicts), mean_tool_calls=2.5,
    )  # fmt: skip
    conversations = [
        ConversationScoreRecord(
            id, run.id, name, len(those), sum(those), sum(those) / len(those),
            [place for place, right in enumerate(those) if not right], 2.5,
        )
        for name, those in verdicts.items()
    ]  # fmt: skip
    judged = {
        (name, place): Verdict(right, None if place == 0 else not right, None if right else "scale")
        for name, those in verdicts.items()
        for place, right in enumerate(those)
    }
    return ScoreRecords(score, tuple(conversations), judged)


_FIRST = a_score(RUN, {"c1": (True, False), "c2": (True, True, True)})
_LATER = a_score(RUN, {"c1": (True, True), "c2": (True, False, False)}, id="s2")
_LATER = replace(_LATER, score=replace(_LATER.score, scored=START + timedelta(hours=1)))


@asynccontextmanager
async def opened(open_store: OpenStore) -> AsyncIterator[tuple[RunStore, ScoreStore]]:
    """Open a run store and its scores."""
    async with open_store() as store, ScoreStore(open_store()._tables) as scores:
        yield store, scores


@asynccontextmanager
async def _one_run(open_store: OpenStore) -> AsyncIterator[tuple[RunStore, ScoreStore]]:
    """Open a store with one complete run, and its scores."""
    async with opened(open_store) as (store, scores):
        await store.create_run(RUN)
        await store.complete_example(an_example(RUN), some_turns(RUN))
        yield store, scores


@asynccontextmanager
async def _two_runs(open_store: OpenStore) -> AsyncIterator[ScoreStore]:
    """Open the scores of two runs with two conversations each; in the second run only one conversation is scored."""
    async with opened(open_store) as (store, scores):
        for run in (RUN, OTHER):
            await add_listed_run(store, run, "c1", "c2")
        await scores.add_score(a_score(RUN, {"c1": (True, False, False), "c2": (True, True, False)}))
        await scores.add_score(a_score(OTHER, {"c1": (True, True, False)}, id="s2"))
        yield scores


async def a_score_comes_back_equal_until_there_is_a_later_one(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        assert await scores.scores(RUN.id) == ()
        assert await scores.verdicts(RUN.id) == {}
        assert await scores.conversation_scores(RUN.id) == ()
        await scores.add_score(_FIRST)
        assert await scores.scores(RUN.id) == (_FIRST.score,)
        assert await scores.conversation_scores(RUN.id) == _FIRST.conversations
        assert await scores.verdicts(RUN.id) == _FIRST.verdicts
        assert (await scores.scores(RUN.id))[0].scored.utcoffset() == timedelta(0)
        await scores.add_score(_LATER)
        assert await scores.scores(RUN.id) == (_LATER.score, _FIRST.score)
        assert await scores.verdicts(RUN.id) == _LATER.verdicts
        assert await scores.conversation_scores(RUN.id) == _LATER.conversations


async def scores_of_all_runs_come_latest_first(open_store: OpenStore) -> None:
    other = a_run("another-run")
    async with _one_run(open_store) as (store, scores):
        await store.create_run(other)
        await scores.add_score(_LATER)
        await scores.add_score(a_score(other, {"c1": (False,)}, id="s0"))
        assert [score.run for score in await scores.scores()] == [RUN.id, other.id]
        assert [score.run for score in await scores.scores(other.id)] == [other.id]


async def only_an_existing_run_can_be_scored(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        with raises(UnknownRunError, "'nosuch'"):
            await scores.add_score(a_score(replace(RUN, id="nosuch"), {"c1": (True,)}))
        assert await scores.scores() == ()


async def scores_are_deleted_with_their_run(open_store: OpenStore) -> None:
    other = a_run("another-run")
    async with _one_run(open_store) as (store, scores):
        await store.create_run(other)
        kept = a_score(other, {"c1": (False,)}, id="s0")
        for score in (_FIRST, _LATER, kept):
            await scores.add_score(score)
        await store.delete_run(RUN.id)
        assert await scores.scores() == (kept.score,)
        assert await scores.verdicts(RUN.id) == {}
        assert await scores.conversation_scores(RUN.id) == ()
        assert await scores.verdicts(other.id) == kept.verdicts


async def verdicts_are_those_of_the_latest_score(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        await scores.add_score(_LATER)
        await scores.add_score(_FIRST)
        assert await scores.scores(RUN.id) == (_LATER.score, _FIRST.score)
        assert await scores.verdicts(RUN.id) == _LATER.verdicts
        assert await scores.conversation_scores(RUN.id) == _LATER.conversations


async def two_scores_may_be_added_at_once(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        async with ScoreStore(open_store()._tables) as second:
            await asyncio.gather(scores.add_score(_FIRST), second.add_score(_LATER))
        assert {score.id for score in await scores.scores(RUN.id)} == {"s1", "s2"}
        assert await scores.verdicts(RUN.id) == _LATER.verdicts


async def verdicts_come_with_answers(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (store, scores):
        assert not len(await scores.judged_frame(RUN.id))
        # The third turn has a verdict, but was not run in the current attempt.
        earlier = some_turns(RUN, "c2", 3)
        await store.begin_example(an_example(RUN, "c2", status="pending", turns=0))
        for turn in earlier:
            await store.save_turn(turn)
        await store.begin_example(an_example(RUN, "c2", status="pending", turns=0))
        await store.complete_example(an_example(RUN, "c2", attempt=2), some_turns(RUN, "c2", 2, attempt=2))
        await scores.add_score(_FIRST)
        frame = await scores.judged_frame(RUN.id)
        places = [*zip(frame.conversations, frame.places, strict=True)]
        verdicts = await scores.verdicts(RUN.id)
        assert places == [*verdicts]
        assert len(places) == 5
        assert frame.verdicts == [
            {"execution": one.correct, "program": one.program_correct} for one in verdicts.values()
        ]
        assert frame.causes == [one.cause for one in verdicts.values()]
        turns = {(turn.conversation, turn.index): turn for turn in await store.turns(RUN.id)}
        assert frame.answers == [turns[place].number if place in turns else None for place in places]
        assert frame.answers[-1] is None
        assert {*frame.pages} == {an_example(RUN).document}
        given = [turns[place].answer.get("confidence") for place in places[:-1]]
        assert frame.confidences == [*given, None]


async def the_latest_scores_of_some_runs_are_found(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        found = await scores.latest_scores([OTHER.id, "nosuch", RUN.id])
        assert {run: score.id for run, score in found.items()} == {RUN.id: "s1", OTHER.id: "s2"}
        assert await scores.latest_scores([]) == {}


_VERDICTS: Sequence[tuple[VerdictFilter, TurnFilter, list[tuple[str, int]]]] = (
    (VerdictFilter(), TurnFilter(), [("c1", 0), ("c1", 1), ("c1", 2), ("c2", 0), ("c2", 1), ("c2", 2)]),
    (VerdictFilter(True), TurnFilter(), [("c1", 0), ("c2", 0), ("c2", 1)]),
    (VerdictFilter(False), TurnFilter(kind="number"), [("c1", 1)]),
    (VerdictFilter(cause="scale"), TurnFilter(index=2), [("c1", 2), ("c2", 2)]),
    (VerdictFilter(cause="operation"), TurnFilter(), []),
)


async def turns_are_listed_by_their_verdicts(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        kept = await scores.verdicts(RUN.id)
        for verdicts, wanted, places in _VERDICTS:
            page = await scores.list_turns(RUN.id, wanted, verdicts, _ALL)
            assert [(turn.conversation, turn.index) for turn, _ in page.items] == places
            assert page.total == len(places)
            assert all(verdict == kept[turn.conversation, turn.index] for turn, verdict in page.items)


async def turns_without_a_verdict_are_listed(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        page = await scores.list_turns(OTHER.id, TurnFilter(), VerdictFilter(), ListPart(2, 2))
        assert [verdict is None for _, verdict in page.items] == [False, True]
        assert (await scores.list_turns(OTHER.id, TurnFilter(), VerdictFilter(False), _ALL)).total == 1
        tallies = {Tally("lookup", 1, 1, 2), Tally("divide", 1, 1, 2), Tally(None, 0, 1, 2)}
        assert {*await scores.tally(OTHER.id, "operation")} == tallies
        assert await scores.causes(RUN.id) == {"scale": 3}


async def two_runs_are_compared(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        counts = await scores.count_pairs(RUN.id, OTHER.id)
        assert counts.outcomes == {"both": 1, "second": 1, "neither": 1, "unjudged": 3}
        assert (counts.differ, counts.total) == (0, 6)
        places = {"both": ("c1", 0), "second": ("c1", 1), "neither": ("c1", 2)}
        for outcome, place in places.items():
            page = await scores.compare(RUN.id, OTHER.id, PairFilter(outcome), _ALL)  # type: ignore[arg-type]
            assert [(first.conversation, second.index) for (first, _), (second, _) in page.items] == [place]
            assert page.items[0][1][1] == (await scores.verdicts(OTHER.id))[place]
        assert (await scores.compare(RUN.id, OTHER.id, PairFilter("first"), _ALL)).items == ()
        unjudged = await scores.compare(RUN.id, OTHER.id, PairFilter("unjudged"), ListPart(1, 1))
        assert (unjudged.total, unjudged.items[0][0][0].index) == (3, 1)
        assert (await scores.compare(RUN.id, OTHER.id, PairFilter(differ=False, text="SALES"), _ALL)).total == 2


async def answers_that_differ_are_found(open_store: OpenStore) -> None:
    first, second, third = listed_turns(OTHER, "c1")
    changed = replace(first, number="4", answer=_numbered("4"))
    longer = replace(second, number="0.030001", answer=_numbered("0.030001"))
    async with opened(open_store) as (store, scores):
        await add_listed_run(store, RUN, "c1", "c2")
        await store.create_run(OTHER)
        await store.complete_example(an_example(OTHER, "c1", turns=3), (changed, longer, third))
        page = await scores.compare(RUN.id, OTHER.id, PairFilter(differ=True), _ALL)
        assert [(first.number, second.number) for (first, _), (second, _) in page.items] == [("3", "4")]
        counts = await scores.count_pairs(RUN.id, OTHER.id)
        assert (counts.differ, counts.total, counts.outcomes) == (1, 3, {"unjudged": 3})
        same = await scores.compare(RUN.id, OTHER.id, PairFilter(differ=False), ListPart(1, 1))
        assert (same.total, [first.number for (first, _), _ in same.items]) == (2, [None])


def _numbered(number: str) -> dict[str, Any]:
    return {"value": number, "plan": None, "confidence": None}


SCORE_RULES = find_rules(globals())
