"""Rules for run stores: runs, conversations, turns and claims.

Each rule opens an empty store, and fails with an AssertionError, or an error of the store, if the rule is broken.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar
from unittest import TestCase

from quaestor.errors import ClaimedError, DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart, RunChoices, RunFilter, TurnFilter
from quaestor.store.records import Claim
from quaestor.testing.store_records import (
    GRAPH,
    START,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
)

E = TypeVar("E", bound=Exception)
OpenStore = Callable[[], RunStore]
StoreRule = Callable[[OpenStore], Coroutine[None, None, None]]

RUN = make_run()
PENDING = make_example(RUN, status="pending", turns=0)


def collect_rules(members: Mapping[str, object]) -> tuple[StoreRule, ...]:
    """Return the rules of a module in order: its coroutine functions with the single parameter `open_store`."""
    rules = (rule for rule in members.values() if inspect.iscoroutinefunction(rule))
    return tuple(rule for rule in rules if list(inspect.signature(rule).parameters) == ["open_store"])


@asynccontextmanager
async def store_with_run(open_store: OpenStore) -> AsyncIterator[RunStore]:
    """Open a store and add the run `RUN`."""
    async with open_store() as store:
        await store.create_run(RUN)
        yield store


async def expect_error(kind: type[E], call: Awaitable[object], pattern: str = "") -> E:
    """Await a call that must raise an error whose message matches a pattern, and return the error."""
    with TestCase().assertRaisesRegex(kind, pattern) as caught:  # noqa: PT027 - needs no pytest
        await call
    return caught.exception


async def returns_equal_records_after_reopening(open_store: OpenStore) -> None:
    run, example, turns = replace(RUN, kind="ask"), make_example(RUN), make_turns(RUN)
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


async def returns_nothing_from_an_empty_store(open_store: OpenStore) -> None:
    async with open_store() as store:
        assert await store.runs() == ()
        assert (await store.list_runs(RunFilter(("run",)), ListPart())).total == 0
        assert await store.run_choices() == RunChoices((), (), ())
        await expect_error(UnknownRunError, store.run("anything"))


async def orders_turns_by_conversation_and_index(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        for conversation in ("c2", "c1"):
            await store.complete_example(
                make_example(RUN, conversation, turns=12), make_turns(RUN, conversation, 12)[::-1]
            )
        keys = [(turn.conversation, turn.index) for turn in await store.turns(RUN.id)]
        assert keys == [(conversation, index) for conversation in ("c1", "c2") for index in range(12)]
        assert [turn.index for turn in await store.turns(RUN.id, "c2")] == list(range(12))
        assert [example.conversation for example in await store.examples(RUN.id)] == ["c1", "c2"]


async def finishes_and_resumes_a_run(open_store: OpenStore) -> None:
    end = START + timedelta(hours=1)
    async with store_with_run(open_store) as store:
        await store.finish_run(RUN.id, "stopped", end)
        assert await store.run(RUN.id) == replace(RUN, status="stopped", finished=end)
        await store.resume_run(RUN.id)
        assert await store.run(RUN.id) == RUN


async def rejects_a_duplicate_run_id(open_store: OpenStore) -> None:
    async with open_store() as store:
        await store.create_run(make_run("r", conversations=2))
        await expect_error(DuplicateRecordError, store.create_run(make_run("r", conversations=3)), "'r'")
        assert (await store.run("r")).conversations == 2


async def restarts_an_unfinished_conversation(open_store: OpenStore) -> None:
    async with open_store() as store:
        for status in ("pending", "failed", "outage"):
            run = make_run(status)
            await store.create_run(run)
            await store.complete_example(make_example(run, status=status, turns=1), make_turns(run, count=1))
            assert await store.begin_example(make_example(run, status="pending", turns=0)) == 2
            assert await store.turns(run.id) == ()
            await store.complete_example(make_example(run, attempt=2), make_turns(run, attempt=2))
            assert await store.examples(run.id) == (make_example(run, attempt=2),)
            assert await store.turns(run.id) == make_turns(run, attempt=2)
            assert await store.turns(run.id, "c1", 1) == make_turns(run, count=1)
            assert await store.turn(run.id, "c1", 0, attempt=1) == make_turns(run)[0]


async def stores_turns_immediately_and_keeps_them_after_reopening(open_store: OpenStore) -> None:
    first, second = make_turns(RUN)
    unfinished = replace(second, status="understanding", finished=None, answer={"value": None}, number=None)
    async with store_with_run(open_store) as store:
        assert await store.begin_example(PENDING) == 1
        await store.save_turn(first)
        await store.save_turn(unfinished)
        await store.save_turn(replace(unfinished, status="understanding_complete", events=second.events))
    async with open_store() as store:
        understood = replace(unfinished, status="understanding_complete", events=second.events)
        assert await store.turns(RUN.id) == (first, understood)
        await store.save_turn(second)
        assert await store.turns(RUN.id) == (first, second)
        # Stored turns can be omitted, and given turns replace stored ones.
        await store.complete_example(make_example(RUN), (replace(second, verified=False),))
        assert await store.turns(RUN.id) == (first, replace(second, verified=False))


async def numbers_attempts_and_keeps_their_turns_separate(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        attempts = await asyncio.gather(*(store.begin_example(PENDING) for _ in range(4)))
        assert sorted(attempts) == [1, 2, 3, 4]
        for attempt in (4, 2):
            for turn in make_turns(RUN, count=attempt, attempt=attempt):
                await store.save_turn(turn)
        assert await store.turns(RUN.id) == make_turns(RUN, count=4, attempt=4)
        await store.complete_example(make_example(RUN, attempt=2), ())
        assert await store.turns(RUN.id) == make_turns(RUN, count=2, attempt=2)
        await expect_error(DuplicateRecordError, store.complete_example(make_example(RUN, attempt=4), ()))
        assert await store.turns(RUN.id) == make_turns(RUN, count=2, attempt=2)
        assert await store.turns(RUN.id, attempt=4) == make_turns(RUN, count=4, attempt=4)


async def rejects_turns_and_corrections_of_an_unknown_conversation(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await expect_error(StoreError, store.save_turn(make_turns(RUN)[0]), "'c1'")
        await expect_error(StoreError, store.add_correction(make_correction(RUN)))
        assert await store.turns(RUN.id) == ()


async def rejects_changes_of_a_complete_conversation(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.complete_example(make_example(RUN), make_turns(RUN))
        await expect_error(DuplicateRecordError, store.begin_example(make_example(RUN, status="pending")), "'c1'")
        await expect_error(
            DuplicateRecordError, store.complete_example(make_example(RUN, turns=1), make_turns(RUN, count=1)), "'c1'"
        )
        assert await store.turns(RUN.id) == make_turns(RUN)
        assert await store.examples(RUN.id) == (make_example(RUN),)


async def completes_a_conversation_atomically(open_store: OpenStore) -> None:
    first, second = make_turns(RUN)
    async with store_with_run(open_store) as store:
        await store.begin_example(PENDING)
        await expect_error(
            DuplicateRecordError, store.complete_example(make_example(RUN, turns=3), (first, second, first))
        )
        assert await store.turns(RUN.id) == ()
        assert await store.examples(RUN.id) == (PENDING,)


async def raises_unknown_run_error_in_every_operation(open_store: OpenStore) -> None:
    unknown = make_run("gone")
    async with open_store() as store:
        await store.create_run(make_run("here"))
        calls: list[Coroutine[None, None, object]] = [
            store.resume_run("gone"),
            store.finish_run("gone", "complete", START),
            store.run("gone"),
            store.begin_example(make_example(unknown)),
            store.save_turn(make_turns(unknown)[0]),
            store.complete_example(make_example(unknown), make_turns(unknown)),
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
            store.log_prompt(make_prompt(unknown)),
            store.prompts("gone", "c1"),
            store.add_correction(make_correction(unknown)),
            store.corrections("gone"),
            store.delete_run("gone"),
        ]
        for call in calls:
            await expect_error(UnknownRunError, call, "'gone'")


async def reports_an_unknown_turn_in_one_line(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.complete_example(make_example(RUN), make_turns(RUN))
        for conversation, index in (("c1", 2), ("c1", -1), ("c9", 0)):
            error = await expect_error(
                StoreError, store.turn(RUN.id, conversation, index), f"{index} .*'{conversation}'"
            )
            assert "\n" not in str(error)


async def allows_closing_twice(open_store: OpenStore) -> None:
    store = open_store()
    await store.close()
    await store.close()
    await expect_error(StoreError, store.runs())


async def rejects_other_owners_of_a_claimed_conversation(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        assert await store.begin_example(PENDING, Claim("ada", 30)) == 1
        assert await store.pending(RUN.id) == {"c1": "ada"}
        assert await store.examples(RUN.id) == (PENDING,)
        error = await expect_error(ClaimedError, store.begin_example(PENDING, Claim("bob", 30)))
        assert error.owner == "ada"
        # The same owner may begin again, as after a lost reply.
        assert await store.begin_example(PENDING, Claim("ada", 30)) == 1
        # Claims of an owner known to be gone are ignored.
        assert await store.begin_example(PENDING, Claim("bob", 30, over="ada")) == 2
        assert await store.pending(RUN.id) == {"c1": "bob"}


async def releases_claims_on_expiry_and_on_request(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.begin_example(PENDING, Claim("ada", 0.3))
        await store.renew_claims(RUN.id, "ada", 0.6)
        await store.renew_claims(RUN.id, "bob", 60)
        await asyncio.sleep(0.35)
        await expect_error(ClaimedError, store.begin_example(PENDING, Claim("bob", 30)))
        await asyncio.sleep(0.4)
        assert await store.pending(RUN.id) == {"c1": None}
        assert await store.begin_example(PENDING, Claim("bob", 30, seen=1)) == 2
        await store.renew_claims(RUN.id, "bob", 0)
        assert await store.begin_example(PENDING, Claim("ada", 30)) == 3


async def rejects_a_start_after_a_newer_attempt(open_store: OpenStore) -> None:
    async with store_with_run(open_store) as store:
        await store.begin_example(PENDING, Claim("ada", 30))
        await store.complete_example(make_example(RUN, status="failed", turns=0), ())
        assert await store.pending(RUN.id) == {}
        error = await expect_error(ClaimedError, store.begin_example(PENDING, Claim("bob", 30, seen=0)))
        assert error.owner is None
        # A runner that starts later knows of that attempt.
        assert await store.begin_example(PENDING, Claim("bob", 30, seen=1)) == 2
        await store.complete_example(make_example(RUN, attempt=2), make_turns(RUN, attempt=2))
        await expect_error(DuplicateRecordError, store.begin_example(PENDING, Claim("ada", 30, seen=2)))


async def gives_a_conversation_to_one_of_several_claimants(open_store: OpenStore) -> None:
    async with store_with_run(open_store):

        async def claim(owner: str) -> bool:
            async with open_store() as own:
                try:
                    return await own.begin_example(PENDING, Claim(owner, 30)) == 1
                except ClaimedError:
                    return False

        assert sum(await asyncio.gather(*(claim(f"runner {number}") for number in range(6)))) == 1


CONVERSATION_RULES = collect_rules(globals())
