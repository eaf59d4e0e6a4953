"""What every RunStore must do with runs, conversations and turns. The fixture `uri` names each kind of store."""

import asyncio
import multiprocessing
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from store_records import START, a_run, an_example, play, some_turns

from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore, open_store, time_of_new_run
from quaestor.store.records import RunRecord, TurnRecord, now


def test_every_implementation_is_a_run_store(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        assert isinstance(store, RunStore)

    play(uri, scenario)


def test_records_come_back_equal_after_closing_and_opening(uri: str) -> None:
    run, example, turns = a_run(), an_example(a_run()), some_turns(a_run())

    async def write(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(example, turns)

    async def read(store: RunStore) -> None:
        assert await store.run(run.id) == run
        assert await store.runs() == (run,)
        assert await store.examples(run.id) == (example,)
        assert await store.turns(run.id) == turns
        assert await store.turn(run.id, "c1", 1) == turns[1]
        assert (await store.run(run.id)).started.utcoffset() == timedelta(0)

    play(uri, write)
    play(uri, read)


def test_an_empty_store_has_no_runs(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        assert await store.runs() == ()
        with pytest.raises(UnknownRunError):
            await store.run("anything")

    play(uri, scenario)


def test_runs_come_latest_first(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        for name, minutes in (("b", 5), ("a", 9), ("c", 1)):
            await store.create_run(a_run(name, minutes=minutes))
        assert [run.id for run in await store.runs()] == ["a", "b", "c"]

    play(uri, scenario)


def test_a_run_that_is_created_last_is_the_latest_though_the_clock_was_put_back(uri: str) -> None:
    ahead = replace(a_run("ahead"), started=now() + timedelta(hours=1))

    async def scenario(store: RunStore) -> None:
        before = now()
        assert await time_of_new_run(store) >= before
        await store.create_run(ahead)
        await store.create_run(replace(a_run("after"), started=await time_of_new_run(store)))
        await store.create_run(replace(a_run("last"), started=await time_of_new_run(store)))
        assert [run.id for run in await store.runs()] == ["last", "after", "ahead"]

    play(uri, scenario)


def test_turns_come_by_conversation_and_index(uri: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        for conversation in ("c2", "c1"):
            await store.complete_example(
                an_example(run, conversation, turns=12), some_turns(run, conversation, 12)[::-1]
            )
        keys = [(turn.conversation, turn.index) for turn in await store.turns(run.id)]
        assert keys == [(conversation, index) for conversation in ("c1", "c2") for index in range(12)]
        assert [turn.index for turn in await store.turns(run.id, "c2")] == list(range(12))
        assert [example.conversation for example in await store.examples(run.id)] == ["c1", "c2"]

    play(uri, scenario)


def test_a_run_finishes_and_is_resumed(uri: str) -> None:
    run, end = a_run(), START + timedelta(hours=1)

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.finish_run(run.id, "stopped", end)
        assert await store.run(run.id) == replace(run, status="stopped", finished=end)
        await store.resume_run(run.id)
        assert await store.run(run.id) == run

    play(uri, scenario)


def test_a_run_id_is_taken_once(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run("r", conversations=2))
        with pytest.raises(DuplicateRecordError, match="'r'"):
            await store.create_run(a_run("r", conversations=3))
        assert (await store.run("r")).conversations == 2

    play(uri, scenario)


@pytest.mark.parametrize("status", ["pending", "failed", "outage"])
def test_an_unfinished_conversation_is_replaced(uri: str, status: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(an_example(run, status=status, turns=1), some_turns(run, count=1))
        assert await store.begin_example(an_example(run, status="pending", turns=0)) == 2
        assert await store.turns(run.id) == ()
        await store.complete_example(an_example(run, attempt=2), some_turns(run, attempt=2))
        assert await store.examples(run.id) == (an_example(run, attempt=2),)
        assert await store.turns(run.id) == some_turns(run, attempt=2)
        assert await store.turns(run.id, "c1", 1) == some_turns(run, count=1)
        assert await store.turn(run.id, "c1", 0, attempt=1) == some_turns(run)[0]

    play(uri, scenario)


def test_turns_are_kept_as_they_happen_and_outlive_their_writer(uri: str) -> None:
    run = a_run()
    first, second = some_turns(run)
    begun = replace(second, status="understanding", finished=None, answer={"value": None}, number=None)

    async def write(store: RunStore) -> None:
        await store.create_run(run)
        assert await store.begin_example(an_example(run, status="pending", turns=0)) == 1
        await store.save_turn(first)
        await store.save_turn(begun)
        await store.save_turn(replace(begun, status="understanding_complete", events=second.events))

    async def read(store: RunStore) -> None:
        understood = replace(begun, status="understanding_complete", events=second.events)
        assert await store.turns(run.id) == (first, understood)
        await store.save_turn(second)
        assert await store.turns(run.id) == (first, second)
        # What is kept already need not be given again, and what is given takes its place.
        await store.complete_example(an_example(run), (replace(second, verified=False),))
        assert await store.turns(run.id) == (first, replace(second, verified=False))

    play(uri, write)
    play(uri, read)


def test_attempts_are_counted_by_the_store_and_none_writes_into_another(uri: str) -> None:
    """Two processes play one conversation: the turns and the end that count are those of one attempt."""
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        attempts = await asyncio.gather(
            *(store.begin_example(an_example(run, status="pending", turns=0)) for _ in range(4))
        )
        assert sorted(attempts) == [1, 2, 3, 4]
        for attempt in (4, 2):
            for turn in some_turns(run, count=attempt, attempt=attempt):
                await store.save_turn(turn)
        assert await store.turns(run.id) == some_turns(run, count=4, attempt=4)
        await store.complete_example(an_example(run, attempt=2), ())
        assert await store.turns(run.id) == some_turns(run, count=2, attempt=2)
        with pytest.raises(DuplicateRecordError):
            await store.complete_example(an_example(run, attempt=4), ())
        assert await store.turns(run.id) == some_turns(run, count=2, attempt=2)
        assert await store.turns(run.id, attempt=4) == some_turns(run, count=4, attempt=4)

    play(uri, scenario)


def test_a_turn_of_a_conversation_that_was_never_begun_is_refused(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run())
        with pytest.raises(StoreError, match="'c1'"):
            await store.save_turn(some_turns(a_run())[0])
        assert await store.turns(a_run().id) == ()

    play(uri, scenario)


def test_a_run_says_what_kind_it_is_of(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(replace(a_run("asked"), kind="ask"))
        await store.create_run(a_run("played"))
        assert ((await store.run("asked")).kind, (await store.run("played")).kind) == ("ask", "run")

    play(uri, scenario)


def test_a_complete_conversation_stays_as_it_is(uri: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(an_example(run), some_turns(run))
        with pytest.raises(DuplicateRecordError, match="'c1'"):
            await store.begin_example(an_example(run, status="pending"))
        with pytest.raises(DuplicateRecordError, match="'c1'"):
            await store.complete_example(an_example(run, turns=1), some_turns(run, count=1))
        assert await store.turns(run.id) == some_turns(run)
        assert await store.examples(run.id) == (an_example(run),)

    play(uri, scenario)


def test_a_conversation_is_kept_whole_or_not_at_all(uri: str) -> None:
    run = a_run()
    first, second = some_turns(run)

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending", turns=0))
        with pytest.raises(DuplicateRecordError):
            await store.complete_example(an_example(run, turns=3), (first, second, first))
        assert await store.turns(run.id) == ()
        assert await store.examples(run.id) == (an_example(run, status="pending", turns=0),)

    play(uri, scenario)


def test_progress_counts_by_status(uri: str) -> None:
    run = a_run(conversations=9)

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        assert dict(await store.progress(run.id)) == {}
        for number, status in enumerate(("complete", "complete", "failed", "outage", "pending")):
            await store.complete_example(an_example(run, f"c{number}", status, turns=0), ())
        assert dict(await store.progress(run.id)) == {"complete": 2, "failed": 1, "outage": 1, "pending": 1}

    play(uri, scenario)


def test_every_operation_refuses_an_unknown_run(uri: str) -> None:
    gone = a_run("gone")

    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run("here"))
        calls: list[Coroutine[None, None, object]] = [
            store.resume_run("gone"),
            store.finish_run("gone", "complete", START),
            store.run("gone"),
            store.begin_example(an_example(gone)),
            store.save_turn(some_turns(gone)[0]),
            store.complete_example(an_example(gone), some_turns(gone)),
            store.examples("gone"),
            store.progress("gone"),
            store.turns("gone"),
            store.turn("gone", "c1", 0),
        ]
        for call in calls:
            with pytest.raises(UnknownRunError):
                await call

    play(uri, scenario)


def test_an_unknown_run_names_the_nearest(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        for minutes, name in enumerate(("20260105-093000-embedded-3f9a", "20270211-110022-agent-77c1", "x", "y", "z")):
            await store.create_run(a_run(name, minutes=minutes))
        with pytest.raises(UnknownRunError, match="20260105-093000-embedded-3f9a"):
            await store.run("20260105-093000-embedded-3f9b")
        with pytest.raises(UnknownRunError, match=r"z, y, x$"):
            await store.run("!!")

    play(uri, scenario)


@pytest.mark.parametrize(("conversation", "index"), [("c1", 2), ("c1", -1), ("c9", 0)])
def test_an_unknown_turn_is_one_clear_line(uri: str, conversation: str, index: int) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run())
        await store.complete_example(an_example(a_run()), some_turns(a_run()))
        with pytest.raises(StoreError, match=f"{index} .*'{conversation}'") as caught:
            await store.turn(a_run().id, conversation, index)
        assert "\n" not in str(caught.value)

    play(uri, scenario)


def test_half_a_surrogate_pair_is_refused_and_nothing_is_kept(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(a_run())
        broken = tuple(replace(turn, question="what \ud800 was it?") for turn in some_turns(a_run()))
        with pytest.raises(StoreError):
            await store.complete_example(an_example(a_run()), broken)
        assert await store.turns(a_run().id) == ()

    play(uri, scenario)


def test_close_twice_is_close_once(uri: str) -> None:
    async def scenario() -> None:
        store = open_store(uri)
        await store.close()
        await store.close()
        with pytest.raises(StoreError):
            await store.runs()

    asyncio.run(scenario())


def write_conversations(uri: str, run: RunRecord, writer: int, count: int) -> None:
    """Run in a process of its own: its conversations, then one that every writer wants."""

    async def scenario(store: RunStore) -> None:
        for number in range(count):
            name = f"c{writer}-{number}"
            await store.begin_example(an_example(run, name, "pending", turns=0))
            await store.complete_example(an_example(run, name, turns=3), some_turns(run, name, 3))
        try:
            attempt = await store.begin_example(an_example(run, "wanted", "pending", turns=0))
            wanted = an_example(run, "wanted", turns=1, attempt=attempt)
            await store.complete_example(wanted, some_turns(run, "wanted", 1, attempt))
            await store.create_run(a_run(f"winner-{writer}"))
        except DuplicateRecordError:
            await store.create_run(a_run(f"loser-{writer}"))

    play(uri, scenario)


@pytest.mark.very_slow
def test_writers_in_several_processes_lose_nothing_and_one_wins(uri: str) -> None:
    run, writers, count = a_run(), 3, 30
    context = multiprocessing.get_context("fork")
    # The store is not made beforehand: all of them open, and make, it at once; the run is whoever's comes first.
    barrier = context.Barrier(writers)

    def work(writer: int) -> None:
        barrier.wait()

        async def ready(store: RunStore) -> None:
            with suppress(DuplicateRecordError):
                await store.create_run(run)

        play(uri, ready)
        write_conversations(uri, run, writer, count)

    processes = [context.Process(target=work, args=(writer,)) for writer in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers

    async def scenario(store: RunStore) -> None:
        wanted = {f"c{writer}-{number}" for writer in range(writers) for number in range(count)} | {"wanted"}
        assert {example.conversation for example in await store.examples(run.id)} == wanted
        turns: tuple[TurnRecord, ...] = await store.turns(run.id)
        assert len(turns) == writers * count * 3 + 1
        names = sorted(record.id.split("-")[0] for record in await store.runs() if record.id != run.id)
        assert names == ["loser"] * (writers - 1) + ["winner"]

    play(uri, scenario)
