import asyncio
from pathlib import Path

import pytest
from played_runs import play_sample

from quaestor.application.run_views import RunViews
from quaestor.application.turn_views import TurnDetail, exchange_views, look_at_turn
from quaestor.errors import UnknownConversationError, UnknownRunError
from quaestor.store.base import open_store
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.testing.store_records import a_prompt, a_run


def look(store: Path, run: str, place: int, number: int | None = None) -> TurnDetail:
    """The turn at a place of the list of a run."""

    async def read() -> TurnDetail:
        async with open_store(str(store)) as opened, RunViews(opened, str(store)) as views:
            listed = await opened.list_turns(run, TurnFilter(), ListPart(place, 1))
            turn = listed.items[0]
            return await look_at_turn(views, opened, run, turn.conversation, number or turn.index + 1)

    return asyncio.run(read())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("turns") / "runs.db"


@pytest.fixture(scope="module")
def runs(store: Path) -> tuple[str, ...]:
    scored = play_sample(store, 2)
    return (*scored, *play_sample(store, 2, scored=False))


def test_a_turn_has_all_that_is_known_of_it(store: Path, runs: tuple[str, ...]) -> None:
    found = look(store, runs[0], 1)
    assert found.record.index == 1
    assert found.nodes[-1].kind in ("operation", "taken")
    assert found.document is not None
    assert found.graph is not None
    assert found.graph.document == found.document.id
    assert len(found.conversation) > 1
    assert found.reference is not None
    assert (found.reference.conversation, found.reference.turn) == (found.record.conversation, 1)
    verdict = found.conversation[1].verdict
    assert verdict is not None
    assert verdict.correct == found.reference.correct


def test_a_run_that_was_not_scored_shows_no_reference(store: Path, runs: tuple[str, ...]) -> None:
    found = look(store, runs[1], 0)
    assert found.reference is None
    assert found.document is not None


def test_what_is_not_there_is_not_found(store: Path, runs: tuple[str, ...]) -> None:
    with pytest.raises(UnknownConversationError):
        look(store, runs[0], 0, 99)
    with pytest.raises(UnknownRunError):
        look(store, "nosuch", 0)


def test_what_a_request_repeats_is_counted_and_not_said_again() -> None:
    first, second = a_prompt(a_run()), a_prompt(a_run(), number=1)
    views = exchange_views([first, second, a_prompt(a_run(), number=2)])
    assert [view.repeated for view in views] == [0, 1, 1]
    assert [len(view.request) for view in views] == [1, 0, 0]
    assert [view.reply and view.reply[0].text for view in views] == ["reply 0", "reply 1", ()]
