"""Rules for run stores: scores, which are stored in the same tables."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.errors import UnknownRunError
from quaestor.scores import (
    ConversationScoreRecord,
    PairFilter,
    ScoreRecord,
    ScoreRecords,
    ScoreStore,
    Tally,
    Verdict,
    VerdictFilter,
)
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.store.records import RunRecord
from quaestor.testing.content_rules import OTHER_RUN, add_listed_run, make_listed_turns
from quaestor.testing.store_records import START, make_example, make_run, make_turns
from quaestor.testing.store_rules import RUN, OpenStore, collect_rules, expect_error

Verdicts = Mapping[str, Sequence[bool]]

_ALL = ListPart()


def make_score(run: RunRecord, verdicts: Verdicts, *, id: str = "s1", dataset: str = "pages.json") -> ScoreRecords:
    """Return a score with the given verdicts by conversation; a program is right if its answer is wrong."""
    turns = [right for correct in verdicts.values() for right in correct]
    figure: dict[str, JsonValue] = {"correct": sum(turns), "total": len(turns), "low": 0.25, "high": 1.0, "pages": 2}
    score = ScoreRecord(
        id=id, run=run.id, dataset=dataset, dataset_digest=run.dataset_digest, scored=START, version="1.2.3",
        metrics={"execution": figure, "display": {"correct": 0, "total": 0, "low": 0.0, "high": 0.0, "pages": 0}},
        conversations=len(verdicts), turns=len(turns), correct_answers=sum(turns), accuracy=sum(turns) / len(turns),
        unanswered=1, mean_turns=len(turns) / len(verdicts), mean_tool_calls=2.5,
    )  # fmt: skip
    conversations = [
        ConversationScoreRecord(
            id, run.id, name, len(correct), sum(correct), sum(correct) / len(correct),
            [place for place, right in enumerate(correct) if not right], 2.5,
        )
        for name, correct in verdicts.items()
    ]  # fmt: skip
    judged = {
        (name, place): Verdict(right, None if place == 0 else not right, None if right else "scale")
        for name, correct in verdicts.items()
        for place, right in enumerate(correct)
    }
    return ScoreRecords(score, tuple(conversations), judged)


_FIRST = make_score(RUN, {"c1": (True, False), "c2": (True, True, True)})
_LATER = make_score(RUN, {"c1": (True, True), "c2": (True, False, False)}, id="s2")
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
        await store.complete_example(make_example(RUN), make_turns(RUN))
        yield store, scores


@asynccontextmanager
async def _two_runs(open_store: OpenStore) -> AsyncIterator[ScoreStore]:
    """Open the scores of two runs with two conversations each; in the second run only one conversation is scored."""
    async with opened(open_store) as (store, scores):
        for run in (RUN, OTHER_RUN):
            await add_listed_run(store, run, "c1", "c2")
        await scores.add_score(make_score(RUN, {"c1": (True, False, False), "c2": (True, True, False)}))
        await scores.add_score(make_score(OTHER_RUN, {"c1": (True, True, False)}, id="s2"))
        yield scores


async def returns_an_equal_score_until_a_later_one_is_added(open_store: OpenStore) -> None:
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


async def returns_scores_of_all_runs_latest_first(open_store: OpenStore) -> None:
    other = make_run("another-run")
    async with _one_run(open_store) as (store, scores):
        await store.create_run(other)
        await scores.add_score(_LATER)
        await scores.add_score(_FIRST)
        await scores.add_score(make_score(other, {"c1": (False,)}, id="s0"))
        first, *others = await scores.scores()
        assert (first, {score.id for score in others}) == (_LATER.score, {"s0", "s1"})
        assert await scores.scores(RUN.id) == (_LATER.score, _FIRST.score)
        assert await scores.verdicts(RUN.id) == _LATER.verdicts
        assert [score.run for score in await scores.scores(other.id)] == [other.id]


async def rejects_a_score_of_an_unknown_run(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        await expect_error(
            UnknownRunError, scores.add_score(make_score(replace(RUN, id="nosuch"), {"c1": (True,)})), "'nosuch'"
        )
        assert await scores.scores() == ()


async def deletes_scores_with_their_run(open_store: OpenStore) -> None:
    other = make_run("another-run")
    async with _one_run(open_store) as (store, scores):
        await store.create_run(other)
        other_score = make_score(other, {"c1": (False,)}, id="s0")
        for score in (_FIRST, _LATER, other_score):
            await scores.add_score(score)
        await store.delete_run(RUN.id)
        assert await scores.scores() == (other_score.score,)
        assert await scores.verdicts(RUN.id) == {}
        assert await scores.conversation_scores(RUN.id) == ()
        assert await scores.verdicts(other.id) == other_score.verdicts


async def allows_two_scores_to_be_added_at_once(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (_, scores):
        async with ScoreStore(open_store()._tables) as second:
            await asyncio.gather(scores.add_score(_FIRST), second.add_score(_LATER))
        assert {score.id for score in await scores.scores(RUN.id)} == {"s1", "s2"}
        assert await scores.verdicts(RUN.id) == _LATER.verdicts


async def returns_verdicts_with_answers(open_store: OpenStore) -> None:
    async with _one_run(open_store) as (store, scores):
        assert not len(await scores.judged_frame(RUN.id))
        # The third turn has a verdict, but was not run in the current attempt.
        earlier = make_turns(RUN, "c2", 3)
        await store.begin_example(make_example(RUN, "c2", status="pending", turns=0))
        for turn in earlier:
            await store.save_turn(turn)
        await store.begin_example(make_example(RUN, "c2", status="pending", turns=0))
        await store.complete_example(make_example(RUN, "c2", attempt=2), make_turns(RUN, "c2", 2, attempt=2))
        await scores.add_score(_FIRST)
        frame = await scores.judged_frame(RUN.id)
        places = [*zip(frame.conversations, frame.places, strict=True)]
        verdicts = await scores.verdicts(RUN.id)
        assert places == [*verdicts]
        assert len(places) == 5
        assert frame.verdicts == [
            {"execution": verdict.correct, "program": verdict.program_correct} for verdict in verdicts.values()
        ]
        assert frame.causes == [verdict.cause for verdict in verdicts.values()]
        turns = {(turn.conversation, turn.index): turn for turn in await store.turns(RUN.id)}
        assert frame.answers == [turns[place].number if place in turns else None for place in places]
        assert frame.answers[-1] is None
        assert {*frame.pages} == {make_example(RUN).document}
        confidences = [turns[place].answer.get("confidence") for place in places[:-1]]
        assert frame.confidences == [*confidences, None]


async def finds_latest_scores_of_several_runs(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        latest = await scores.latest_scores([OTHER_RUN.id, "nosuch", RUN.id])
        assert {run: score.id for run, score in latest.items()} == {RUN.id: "s1", OTHER_RUN.id: "s2"}
        assert await scores.latest_scores([]) == {}


_VERDICTS: Sequence[tuple[VerdictFilter, TurnFilter, list[tuple[str, int]]]] = (
    (VerdictFilter(), TurnFilter(), [("c1", 0), ("c1", 1), ("c1", 2), ("c2", 0), ("c2", 1), ("c2", 2)]),
    (VerdictFilter(True), TurnFilter(), [("c1", 0), ("c2", 0), ("c2", 1)]),
    (VerdictFilter(False), TurnFilter(kind="number"), [("c1", 1)]),
    (VerdictFilter(cause="scale"), TurnFilter(index=2), [("c1", 2), ("c2", 2)]),
    (VerdictFilter(cause="operation"), TurnFilter(), []),
)


async def lists_turns_by_verdict(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        expected = await scores.verdicts(RUN.id)
        for verdicts, turn_filter, places in _VERDICTS:
            page = await scores.list_turns(RUN.id, turn_filter, verdicts, _ALL)
            assert [(turn.conversation, turn.index) for turn, _ in page.items] == places
            assert page.total == len(places)
            assert all(verdict == expected[turn.conversation, turn.index] for turn, verdict in page.items)


async def lists_turns_without_a_verdict(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        page = await scores.list_turns(OTHER_RUN.id, TurnFilter(), VerdictFilter(), ListPart(2, 2))
        assert [verdict is None for _, verdict in page.items] == [False, True]
        assert (await scores.list_turns(OTHER_RUN.id, TurnFilter(), VerdictFilter(False), _ALL)).total == 1
        tallies = {Tally("lookup", 1, 1, 2), Tally("divide", 1, 1, 2), Tally(None, 0, 1, 2)}
        assert {*await scores.tally(OTHER_RUN.id, "operation")} == tallies
        assert await scores.causes(RUN.id) == {"scale": 3}


async def compares_two_runs(open_store: OpenStore) -> None:
    async with _two_runs(open_store) as scores:
        counts = await scores.count_pairs(RUN.id, OTHER_RUN.id)
        assert counts.outcomes == {"both": 1, "second": 1, "neither": 1, "unjudged": 3}
        assert (counts.differ, counts.total) == (0, 6)
        places = {"both": ("c1", 0), "second": ("c1", 1), "neither": ("c1", 2)}
        for outcome, place in places.items():
            page = await scores.compare(RUN.id, OTHER_RUN.id, PairFilter(outcome), _ALL)  # type: ignore[arg-type]
            assert [(first.conversation, second.index) for (first, _), (second, _) in page.items] == [place]
            assert page.items[0][1][1] == (await scores.verdicts(OTHER_RUN.id))[place]
        assert (await scores.compare(RUN.id, OTHER_RUN.id, PairFilter("first"), _ALL)).items == ()
        unjudged = await scores.compare(RUN.id, OTHER_RUN.id, PairFilter("unjudged"), ListPart(1, 1))
        assert (unjudged.total, unjudged.items[0][0][0].index) == (3, 1)
        assert (await scores.compare(RUN.id, OTHER_RUN.id, PairFilter(differ=False, text="SALES"), _ALL)).total == 2


async def finds_answers_that_differ(open_store: OpenStore) -> None:
    first, second, third = make_listed_turns(OTHER_RUN, "c1")
    changed = replace(first, number="4", answer=_numbered("4"))
    longer = replace(second, number="0.030001", answer=_numbered("0.030001"))
    async with opened(open_store) as (store, scores):
        await add_listed_run(store, RUN, "c1", "c2")
        await store.create_run(OTHER_RUN)
        await store.complete_example(make_example(OTHER_RUN, "c1", turns=3), (changed, longer, third))
        page = await scores.compare(RUN.id, OTHER_RUN.id, PairFilter(differ=True), _ALL)
        assert [(first.number, second.number) for (first, _), (second, _) in page.items] == [("3", "4")]
        counts = await scores.count_pairs(RUN.id, OTHER_RUN.id)
        assert (counts.differ, counts.total, counts.outcomes) == (1, 3, {"unjudged": 3})
        same = await scores.compare(RUN.id, OTHER_RUN.id, PairFilter(differ=False), ListPart(1, 1))
        assert (same.total, [first.number for (first, _), _ in same.items]) == (2, [None])


def _numbered(number: str) -> dict[str, Any]:
    return {"value": number, "plan": None, "confidence": None}


SCORE_RULES = collect_rules(globals())
