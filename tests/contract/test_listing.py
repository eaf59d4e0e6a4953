"""What every store must do of lists: runs and turns part by part, turns with verdicts, two runs side by side."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue
from saved_scores import a_score
from store_records import a_run, an_example, play, some_turns

from quaestor.errors import UnknownRunError
from quaestor.scores.base import ScoreStore, open_scores
from quaestor.scores.records import PairFilter, Tally, VerdictFilter
from quaestor.store.base import RunStore, open_store
from quaestor.store.listing import ListPart, RunChoices, RunFilter, TurnFilter
from quaestor.store.records import RunRecord, TurnRecord

ALL = ListPart()
RUN, OTHER = a_run(), a_run("another-run", minutes=5)
MODEL: dict[str, JsonValue] = {"provider": "test", "model": "small:1"}

CELL = {"kind": "cell", "document": "d", "table": 0, "row": 1, "column": 1}
TAKEN = {"id": 1, "kind": "extract", "source": CELL}
EARLIER = {
    "id": 1,
    "kind": "compute",
    "operation": "divide",
    "operands": [{"kind": "ref", "step": -1}, {"kind": "constant", "value": "100"}],
}


def asked(run: RunRecord, conversation: str, attempt: int = 1) -> tuple[TurnRecord, ...]:
    """Three turns: one taken from a cell, one computed from it, one without an answer."""
    answers: tuple[dict[str, Any], ...] = (
        {"value": "3", "plan": {"steps": [TAKEN]}, "confidence": 0.9},
        {"value": "0.03", "plan": {"steps": [EARLIER]}, "confidence": 0.4},
        {"value": None, "plan": None, "confidence": None},
    )
    questions = ("What were net SALES?", "and of 100 %?", "why (in 2_0)?")
    return tuple(
        replace(turn, answer=answer, number=answer["value"], question=question)
        for turn, answer, question in zip(some_turns(run, conversation, 3, attempt), answers, questions, strict=True)
    )


async def filled(store: RunStore, run: RunRecord, *conversations: str) -> None:
    await store.create_run(run)
    for conversation in conversations:
        await store.complete_example(an_example(run, conversation, turns=3), asked(run, conversation))


def test_runs_are_listed_part_by_part_and_filtered(uri: str) -> None:
    model = replace(OTHER, spec={"solver": "asking", "model": MODEL}, dataset="other.json")
    question = replace(a_run("a-question", minutes=9), kind="ask")

    async def scenario(store: RunStore) -> None:
        for run in (RUN, model, question):
            await store.create_run(run)
        page = await store.list_runs(RunFilter(), ListPart(1, 1))
        assert ([run.id for run in page.items], page.total) == ([OTHER.id], 3)
        assert await store.list_runs(RunFilter(("run",)), ALL) == replace(page, items=(model, RUN), total=2, part=ALL)
        for wanted in (
            RunFilter(model="test:small:1"), RunFilter(solver="asking"),
            RunFilter(("run",), datasets=("other.json", "third.json")),
        ):  # fmt: skip
            assert (await store.list_runs(wanted, ALL)).items == (model,)
        await store.finish_run(RUN.id, "complete", RUN.started)
        assert [run.id for run in (await store.list_runs(RunFilter(status="complete"), ALL)).items] == [RUN.id]
        assert await store.run_choices() == RunChoices(
            ("other.json", "pages.json"), ("asking", "scripted"), ("test:small:1",)
        )

    play(uri, scenario)


def test_an_empty_store_lists_nothing(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        assert (await store.list_runs(RunFilter(("run",)), ALL)).total == 0
        assert await store.run_choices() == RunChoices((), (), ())
        with pytest.raises(UnknownRunError, match="'nosuch'"):
            await store.list_turns("nosuch", TurnFilter(), ALL)
        with pytest.raises(UnknownRunError, match="'nosuch'"):
            await store.count_turns("nosuch", "kind")

    play(uri, scenario)


FILTERS = [
    (TurnFilter(), [0, 1, 2]),
    (TurnFilter("net sales"), [0]),
    (TurnFilter("100 %"), [1]),
    (TurnFilter("(in 2_0"), [2]),
    (TurnFilter(".*"), []),
    (TurnFilter(conversation="c2"), []),
    (TurnFilter(index=1), [1]),
    (TurnFilter(kind="none"), [2]),
    (TurnFilter(operation="lookup"), [0]),
    (TurnFilter(operation="divide", kind="number"), [1]),
    (TurnFilter(origin="table"), [0]),
    (TurnFilter(origin="earlier turns and constants"), [1]),
    (TurnFilter(low=0.5), [0]),
    (TurnFilter(low=0.4, high=0.4), [1]),
    (TurnFilter(high=0.95), [0, 1]),
    (TurnFilter(order="confidence"), [1, 0, 2]),
]


def test_turns_are_filtered(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await filled(store, RUN, "c1")
        await filled(store, OTHER, "c1", "c2")
        for wanted, places in FILTERS:
            page = await store.list_turns(RUN.id, wanted, ALL)
            assert ([turn.index for turn in page.items], page.total) == (places, len(places)), wanted

    play(uri, scenario)


def test_a_listed_turn_has_what_is_kept_of_it(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await filled(store, RUN, "c2", "c1")
        page = await store.list_turns(RUN.id, TurnFilter(), ListPart(3, 2))
        assert [(turn.conversation, turn.index) for turn in page.items] == [("c2", 0), ("c2", 1)]
        kept, turn = asked(RUN, "c2")[1], page.items[1]
        assert (turn.question, turn.answer, turn.number) == (kept.question, kept.answer, kept.number)
        assert (turn.error, turn.status) == (kept.error, "complete")
        assert (turn.kind, turn.operation, turn.confidence) == ("number", "divide", 0.4)
        assert page.total == 6

    play(uri, scenario)


def test_turns_are_counted_by_their_classes(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await filled(store, RUN, "c1", "c2")
        assert await store.count_turns(RUN.id, "index") == {0: 2, 1: 2, 2: 2}
        assert await store.count_turns(RUN.id, "operation") == {"lookup": 2, "divide": 2, None: 2}
        assert await store.count_turns(RUN.id, "kind") == {"number": 4, "none": 2}

    play(uri, scenario)


def test_only_the_attempt_that_counts_is_listed(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        pending = an_example(RUN, status="pending", turns=0)
        await store.begin_example(pending)
        for turn in asked(RUN, "c1"):
            await store.save_turn(turn)
        assert (await store.list_turns(RUN.id, TurnFilter(), ALL)).total == 3
        attempt = await store.begin_example(pending)
        assert (await store.list_turns(RUN.id, TurnFilter(), ALL)).total == 0
        again = asked(RUN, "c1", attempt)[:1]
        await store.complete_example(an_example(RUN, turns=1, attempt=attempt), again)
        assert [turn.index for turn in (await store.list_turns(RUN.id, TurnFilter(), ALL)).items] == [0]
        assert await store.count_turns(RUN.id, "index") == {0: 1}

    play(uri, scenario)


Scenario = Callable[[ScoreStore], Coroutine[None, None, None]]


def play_scored(uri: str, scenario: Scenario) -> None:
    """Play a scenario on two runs of two conversations; the first is scored, of the second one conversation."""

    async def opened() -> None:
        async with open_store(uri) as store:
            await filled(store, RUN, "c1", "c2")
            await filled(store, OTHER, "c1", "c2")
            scores = open_scores(uri)
            assert scores is not None
            async with scores:
                await scores.add_score(a_score(RUN, {"c1": (True, False, False), "c2": (True, True, False)}))
                await scores.add_score(a_score(OTHER, {"c1": (True, True, False)}, id="s2"))
                await scenario(scores)

    asyncio.run(opened())


def test_the_latest_scores_of_some_runs_are_found(uri: str) -> None:
    async def scenario(scores: ScoreStore) -> None:
        found = await scores.latest_scores([OTHER.id, "nosuch", RUN.id])
        assert {run: score.id for run, score in found.items()} == {RUN.id: "s1", OTHER.id: "s2"}
        assert await scores.latest_scores([]) == {}

    play_scored(uri, scenario)


@pytest.mark.parametrize(
    ("verdicts", "wanted", "places"),
    [
        (VerdictFilter(), TurnFilter(), [("c1", 0), ("c1", 1), ("c1", 2), ("c2", 0), ("c2", 1), ("c2", 2)]),
        (VerdictFilter(True), TurnFilter(), [("c1", 0), ("c2", 0), ("c2", 1)]),
        (VerdictFilter(False), TurnFilter(kind="number"), [("c1", 1)]),
        (VerdictFilter(cause="scale"), TurnFilter(index=2), [("c1", 2), ("c2", 2)]),
        (VerdictFilter(cause="operation"), TurnFilter(), []),
    ],
)
def test_turns_are_listed_by_their_verdicts(
    uri: str, verdicts: VerdictFilter, wanted: TurnFilter, places: list[tuple[str, int]]
) -> None:
    async def scenario(scores: ScoreStore) -> None:
        page = await scores.list_turns(RUN.id, wanted, verdicts, ALL)
        assert [(judged.turn.conversation, judged.turn.index) for judged in page.items] == places
        assert page.total == len(places)
        kept = {(v.conversation, v.index): v for v in await scores.verdicts(RUN.id)}
        assert all(judged.verdict == kept[judged.turn.conversation, judged.turn.index] for judged in page.items)

    play_scored(uri, scenario)


def test_what_was_not_judged_is_listed_without_a_verdict(uri: str) -> None:
    async def scenario(scores: ScoreStore) -> None:
        page = await scores.list_turns(OTHER.id, TurnFilter(), VerdictFilter(), ListPart(2, 2))
        assert [judged.verdict is None for judged in page.items] == [False, True]
        assert (await scores.list_turns(OTHER.id, TurnFilter(), VerdictFilter(False), ALL)).total == 1
        assert await scores.tally(OTHER.id, "operation") == {
            "lookup": Tally(1, 1, 2),
            "divide": Tally(1, 1, 2),
            None: Tally(0, 1, 2),
        }
        assert await scores.causes(RUN.id) == {"scale": 3}

    play_scored(uri, scenario)


def test_two_runs_are_put_side_by_side(uri: str) -> None:
    async def scenario(scores: ScoreStore) -> None:
        counts = await scores.count_pairs(RUN.id, OTHER.id)
        assert counts.outcomes == {"both": 1, "second": 1, "neither": 1, "unjudged": 3}
        assert (counts.differ, counts.total) == (0, 6)
        places = {"both": ("c1", 0), "second": ("c1", 1), "neither": ("c1", 2)}
        for outcome, place in places.items():
            page = await scores.compare(RUN.id, OTHER.id, PairFilter(outcome), ALL)  # type: ignore[arg-type]
            assert [(pair.first.turn.conversation, pair.second.turn.index) for pair in page.items] == [place]
            assert page.items[0].second.verdict in await scores.verdicts(OTHER.id)
        assert (await scores.compare(RUN.id, OTHER.id, PairFilter("first"), ALL)).items == ()
        unjudged = await scores.compare(RUN.id, OTHER.id, PairFilter("unjudged"), ListPart(1, 1))
        assert (unjudged.total, unjudged.items[0].first.turn.index) == (3, 1)
        assert (await scores.compare(RUN.id, OTHER.id, PairFilter(differ=False, text="SALES"), ALL)).total == 2

    play_scored(uri, scenario)


def numbered(number: str) -> dict[str, Any]:
    return {"value": number, "plan": None, "confidence": None}


def test_answers_that_differ_are_found(uri: str) -> None:
    """Numbers that are equal to five decimals are the same answer, and so are two that are missing."""
    first, second, third = asked(OTHER, "c1")
    changed = replace(first, number="4", answer=numbered("4"))
    longer = replace(second, number="0.030001", answer=numbered("0.030001"))

    async def opened() -> None:
        async with open_store(uri) as store:
            await filled(store, RUN, "c1", "c2")
            await store.create_run(OTHER)
            turns = (changed, longer, third)
            await store.complete_example(an_example(OTHER, "c1", turns=3), turns)
            scores = open_scores(uri)
            assert scores is not None
            async with scores:
                page = await scores.compare(RUN.id, OTHER.id, PairFilter(differ=True), ALL)
                assert [(pair.first.turn.number, pair.second.turn.number) for pair in page.items] == [("3", "4")]
                assert page.items[0].differ
                counts = await scores.count_pairs(RUN.id, OTHER.id)
                assert (counts.differ, counts.total, counts.outcomes) == (1, 3, {"unjudged": 3})
                same = await scores.compare(RUN.id, OTHER.id, PairFilter(differ=False), ListPart(1, 1))
                assert (same.total, [pair.first.turn.number for pair in same.items]) == (2, [None])

    asyncio.run(opened())
