"""Rules for run stores: runs, conversations, turns and claims.

Each rule opens an empty store, and fails with an AssertionError, or an error of the store, if the rule is broken.
"""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest import TestCase

from quaestor.errors import ClaimedError, DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart, RunChoices, RunFilter, TurnFilter
from quaestor.store.records import Claim
from quaestor.testing.store_records import GRAPH, START, a_correction, a_prompt, a_run, an_example, some_turns

OpenStore = Callable[[], RunStore]
StoreRule = Callable[[OpenStore], Coroutine[None, None, None]]

RUN = a_run()
_BEGUN = an_example(RUN, status="pending", turns=0)


def find_rules(found: Mapping[str, object]) -> tuple[StoreRule, ...]:
    """Return the rules of a module in order: its coroutine functions with the single parameter `open_store`."""
    rules = (rule for rule in found.values() if inspect.iscoroutinefunction(rule))
    return tuple(rule for rule in rules if list(inspect.signature(rule).parameters) == ["open_store"])


def raises(kind: type[Exception], pattern: str = "") -> Any:
    """Expect an error whose message matches a pattern; the context's `exception` is the error."""
    return TestCase().assertRaisesRegex(kind, pattern)  # noqa: PT027 - needs no pytest


async def records_come_back_equal_after_closing_and_opening(open_store: OpenStore) -> None:
    run, example, turns = replace(a_run(), kind="ask"), an_example(a_run()), some_turns(a_run())
    async with open_store() as store:
        await store.create_run(run)
        await store.complete_example(example, turns)
    async with open_store() as store:
        assert await store.run(run.id) == run
        assert await store.runs() == (run,)
        assert await store.examples(run.id) == (example,)
        assert await store.turns(run.id) == turns
        assert await store.turn(run.id, "c1", 1) == turns[1]
        assert (await store.run(run.id)).started.utcoffset() == timedelta(0)


async def an_empty_store_has_no_runs(open_store: OpenStore) -> None:
    async with open_store() as store:
        assert await store.runs() == ()
        assert (await store.list_runs(RunFilter(("run",)), ListPart())).total == 0
        assert await store.run_choices() == RunChoices((), (), ())
        with raises(UnknownRunError):
            await store.run("anything")


async def runs_come_latest_first(open_store: OpenStore) -> None:
    async with open_store() as store:
        for name, minutes in (("b", 5), ("a", 9), ("c", 1)):
            await store.create_run(a_run(name, minutes=minutes))
        assert [run.id for run in await store.runs()] == ["a", "b", "c"]


async def turns_come_by_conversation_and_index(open_store: OpenStore) -> None:
    run = a_run()
    async with open_store() as store:
        await store.create_run(run)
        for conversation in ("c2", "c1"):
            await store.complete_example(
                an_example(run, conversation, turns=12), some_turns(run, conversation, 12)[::-1]
            )
        keys = [(turn.conversation, turn.index) for turn in await store.turns(run.id)]
        assert keys == [(conversation, index) for conversation in ("c1", "c2") for index in range(12)]
        assert [turn.index for turn in await store.turns(run.id, "c2")] == list(range(12))
        assert [example.conversation for example in await store.examples(run.id)] == ["c1", "c2"]


async def a_run_finishes_and_is_resumed(open_store: OpenStore) -> None:
    run, end = a_run(), START + timedelta(hours=1)
    async with open_store() as store:
        await store.create_run(run)
        await store.finish_run(run.id, "stopped", end)
        assert await store.run(run.id) == replace(run, status="stopped", finished=end)
        await store.resume_run(run.id)
        assert await store.run(run.id) == run


async def a_run_id_is_taken_once(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(a_run("r", conversations=2))
        with raises(DuplicateRecordError, "'r'"):
            await store.create_run(a_run("r", conversations=3))
        assert (await store.run("r")).conversations == 2


async def an_unfinished_conversation_is_played_again(open_store: OpenStore) -> None:
    async with open_store() as store:
        for status in ("pending", "failed", "outage"):
            run = a_run(status)
            await store.create_run(run)
            await store.complete_example(an_example(run, status=status, turns=1), some_turns(run, count=1))
            assert await store.begin_example(an_example(run, status="pending", turns=0)) == 2
            assert await store.turns(run.id) == ()
            await store.complete_example(an_example(run, attempt=2), some_turns(run, attempt=2))
            assert await store.examples(run.id) == (an_example(run, attempt=2),)
            assert await store.turns(run.id) == some_turns(run, attempt=2)
            assert await store.turns(run.id, "c1", 1) == some_turns(run, count=1)
            assert await store.turn(run.id, "c1", 0, attempt=1) == some_turns(run)[0]


async def turns_are_kept_as_they_happen_and_outlive_their_writer(open_store: OpenStore) -> None:
    run = a_run()
    first, second = some_turns(run)
    begun = replace(second, status="understanding", finished=None, answer={"value": None}, number=None)
    async with open_store() as store:
        await store.create_run(run)
        assert await store.begin_example(an_example(run, status="pending", turns=0)) == 1
        await store.save_turn(first)
        await store.save_turn(begun)
        await store.save_turn(replace(begun, status="understanding_complete", events=second.events))
    async with open_store() as store:
        understood = replace(begun, status="understanding_complete", events=second.events)
        assert await store.turns(run.id) == (first, understood)
        await store.save_turn(second)
        assert await store.turns(run.id) == (first, second)
        # Stored turns can be omitted, and given turns replace stored ones.
        await store.complete_example(an_example(run), (replace(second, verified=False),))
        assert await store.turns(run.id) == (first, replace(second, verified=False))


async def attempts_are_counted_by_the_store_and_none_writes_into_another(open_store: OpenStore) -> None:
    run = a_run()
    async with open_store() as store:
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
        with raises(DuplicateRecordError):
            await store.complete_example(an_example(run, attempt=4), ())
        assert await store.turns(run.id) == some_turns(run, count=2, attempt=2)
        assert await store.turns(run.id, attempt=4) == some_turns(run, count=4, attempt=4)


async def a_conversation_that_was_never_begun_has_no_turn_and_no_correction(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(a_run())
        with raises(StoreError, "'c1'"):
            await store.save_turn(some_turns(a_run())[0])
        with raises(StoreError):
            await store.add_correction(a_correction(a_run()))
        assert await store.turns(a_run().id) == ()


async def a_complete_conversation_stays_as_it_is(open_store: OpenStore) -> None:
    run = a_run()
    async with open_store() as store:
        await store.create_run(run)
        await store.complete_example(an_example(run), some_turns(run))
        with raises(DuplicateRecordError, "'c1'"):
            await store.begin_example(an_example(run, status="pending"))
        with raises(DuplicateRecordError, "'c1'"):
            await store.complete_example(an_example(run, turns=1), some_turns(run, count=1))
        assert await store.turns(run.id) == some_turns(run)
        assert await store.examples(run.id) == (an_example(run),)


async def a_conversation_is_kept_whole_or_not_at_all(open_store: OpenStore) -> None:
    run = a_run()
    first, second = some_turns(run)
    async with open_store() as store:
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending", turns=0))
        with raises(DuplicateRecordError):
            await store.complete_example(an_example(run, turns=3), (first, second, first))
        assert await store.turns(run.id) == ()
        assert await store.examples(run.id) == (an_example(run, status="pending", turns=0),)


async def progress_counts_by_status(open_store: OpenStore) -> None:
    run = a_run(conversations=9)
    async with open_store() as store:
        await store.create_run(run)
        assert dict(await store.progress(run.id)) == {}
        for number, status in enumerate(("complete", "complete", "failed", "outage", "pending")):
            await store.complete_example(an_example(run, f"c{number}", status, turns=0), ())
        assert dict(await store.progress(run.id)) == {"complete": 2, "failed": 1, "outage": 1, "pending": 1}


async def every_operation_refuses_an_unknown_run(open_store: OpenStore) -> None:
    gone = a_run("gone")
    async with open_store() as store:
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
            store.count_examples("gone"),
            store.measure_turns("gone"),
            store.list_turns("gone", TurnFilter(), ListPart()),
            store.count_turns("gone", "kind"),
            store.save_graph("gone", "c1", GRAPH),
            store.load_graph("gone", "c1"),
            store.log_prompt(a_prompt(gone)),
            store.prompts("gone", "c1"),
            store.add_correction(a_correction(gone)),
            store.corrections("gone"),
            store.delete_run("gone"),
        ]
        for call in calls:
            with raises(UnknownRunError, "'gone'"):
                await call


async def an_unknown_turn_is_one_clear_line(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(a_run())
        await store.complete_example(an_example(a_run()), some_turns(a_run()))
        for conversation, index in (("c1", 2), ("c1", -1), ("c9", 0)):
            with raises(StoreError, f"{index} .*'{conversation}'") as caught:
                await store.turn(a_run().id, conversation, index)
            assert "\n" not in str(caught.exception)


async def a_store_can_be_closed_twice(open_store: OpenStore) -> None:
    store = open_store()
    await store.close()
    await store.close()
    with raises(StoreError):
        await store.runs()


async def a_claimed_conversation_is_begun_by_nobody_else(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(RUN)
        assert await store.begin_example(_BEGUN, Claim("ada", 30)) == 1
        assert await store.pending(RUN.id) == {"c1": "ada"}
        assert await store.examples(RUN.id) == (_BEGUN,)
        with raises(ClaimedError) as caught:
            await store.begin_example(_BEGUN, Claim("bob", 30))
        assert caught.exception.owner == "ada"
        # The same owner may begin again, as after a lost reply.
        assert await store.begin_example(_BEGUN, Claim("ada", 30)) == 1
        # Claims of an owner known to be gone are ignored.
        assert await store.begin_example(_BEGUN, Claim("bob", 30, over="ada")) == 2
        assert await store.pending(RUN.id) == {"c1": "bob"}


async def a_claim_ends_with_its_time_or_when_it_is_given_back(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(RUN)
        await store.begin_example(_BEGUN, Claim("ada", 0.3))
        await store.renew_claims(RUN.id, "ada", 0.6)
        await store.renew_claims(RUN.id, "bob", 60)
        await asyncio.sleep(0.35)
        with raises(ClaimedError):
            await store.begin_example(_BEGUN, Claim("bob", 30))
        await asyncio.sleep(0.4)
        assert await store.pending(RUN.id) == {"c1": None}
        assert await store.begin_example(_BEGUN, Claim("bob", 30, seen=1)) == 2
        await store.renew_claims(RUN.id, "bob", 0)
        assert await store.begin_example(_BEGUN, Claim("ada", 30)) == 3


async def what_was_played_since_is_not_played_again(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(RUN)
        await store.begin_example(_BEGUN, Claim("ada", 30))
        await store.complete_example(an_example(RUN, status="failed", turns=0), ())
        assert await store.pending(RUN.id) == {}
        with raises(ClaimedError) as caught:
            await store.begin_example(_BEGUN, Claim("bob", 30, seen=0))
        assert caught.exception.owner is None
        # A runner that starts later knows of that attempt.
        assert await store.begin_example(_BEGUN, Claim("bob", 30, seen=1)) == 2
        await store.complete_example(an_example(RUN, attempt=2), some_turns(RUN, attempt=2))
        with raises(DuplicateRecordError):
            await store.begin_example(_BEGUN, Claim("ada", 30, seen=2))


async def of_many_that_want_one_conversation_one_has_it(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(RUN)

        async def wants(owner: str) -> bool:
            async with open_store() as own:
                try:
                    return await own.begin_example(_BEGUN, Claim(owner, 30)) == 1
                except ClaimedError:
                    return False

        assert sum(await asyncio.gather(*(wants(f"runner {number}") for number in range(6)))) == 1


CONVERSATION_RULES = find_rules(globals())
