"""What every RunStore must do with corrections. The fixture `uri` names each kind of store."""

import pytest
from store_records import a_correction, a_run, an_example, play, some_turns

from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore


def test_corrections_come_back_equal_in_their_order_and_leave_the_turns_alone(uri: str) -> None:
    run, turns = a_run(), some_turns(a_run())
    corrections = tuple(a_correction(run, number=number) for number in (1, 2, 3))

    async def write(store: RunStore) -> None:
        await store.create_run(run)
        await store.complete_example(an_example(run), turns)
        # A conversation that is over can be corrected still.
        for correction in reversed(corrections):
            await store.add_correction(correction)

    async def read(store: RunStore) -> None:
        assert await store.corrections(run.id, "c1") == corrections
        assert await store.corrections(run.id) == corrections
        assert await store.corrections(run.id, "c2") == ()
        assert await store.turns(run.id) == turns

    play(uri, write)
    play(uri, read)


def test_a_correction_is_written_once(uri: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending"))
        await store.add_correction(a_correction(run))
        with pytest.raises(DuplicateRecordError, match=r"correction 1 .*'c1'"):
            await store.add_correction(a_correction(run))
        assert await store.corrections(run.id) == (a_correction(run),)

    play(uri, scenario)


def test_what_was_never_begun_cannot_be_corrected(uri: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        with pytest.raises(UnknownRunError):
            await store.add_correction(a_correction(run))
        with pytest.raises(UnknownRunError):
            await store.corrections(run.id)
        await store.create_run(run)
        with pytest.raises(StoreError):
            await store.add_correction(a_correction(run))

    play(uri, scenario)


def test_each_attempt_has_its_own_corrections(uri: str) -> None:
    run = a_run()

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending"))
        await store.add_correction(a_correction(run))
        assert await store.begin_example(an_example(run, status="pending")) == 2
        assert await store.corrections(run.id, "c1") == ()
        second = a_correction(run, attempt=2)
        await store.add_correction(second)
        assert await store.corrections(run.id, "c1") == (second,)
        assert await store.corrections(run.id, "c1", 1) == (a_correction(run),)

    play(uri, scenario)


def test_corrections_go_with_their_run(uri: str) -> None:
    run, other = a_run(), a_run("20260105-093000-scripted-0002")

    async def scenario(store: RunStore) -> None:
        for one in (run, other):
            await store.create_run(one)
            await store.begin_example(an_example(one, status="pending"))
            await store.add_correction(a_correction(one))
        await store.delete_run(run.id)
        assert await store.corrections(other.id) == (a_correction(other),)
        await store.create_run(run)
        await store.begin_example(an_example(run, status="pending"))
        assert await store.corrections(run.id) == ()

    play(uri, scenario)
