"""Details of a turn with its reference, and lists of wrong turns."""

import asyncio
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from played_runs import run_sample

from quaestor.application import score_service
from quaestor.application.judged_runs import WrongTurns, find_run_file, find_wrong_turns, verdicts_on
from quaestor.application.run_views import RunViews, TurnDetail, exchange_views, read_turn_detail
from quaestor.application.score_service import score_run
from quaestor.datasets.formats import read_dataset
from quaestor.errors import UnknownConversationError, UnknownRunError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.store.base import open_store
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.store.records import RunRecord, TurnRecord
from quaestor.testing.store_records import make_prompt, make_run


def turn_at(store: Path, run: str, place: int, number: int | None = None) -> TurnDetail:
    """Return the turn at a position in the list of a run, or another turn of its conversation by number."""

    async def read() -> TurnDetail:
        async with open_store(str(store)) as opened, RunViews(opened, str(store)) as views:
            listed = await opened.list_turns(run, TurnFilter(), ListPart(place, 1))
            turn = listed.items[0]
            return await read_turn_detail(views, opened, run, turn.conversation, number or turn.index + 1)

    return asyncio.run(read())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("turns") / "runs.db"


@pytest.fixture(scope="module")
def runs(store: Path) -> tuple[str, ...]:
    scored = run_sample(store, 2)
    return (*scored, *run_sample(store, 2, scored=False))


def test_turn_view_has_all_details(store: Path, runs: tuple[str, ...]) -> None:
    found = turn_at(store, runs[0], 1)
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


def test_unscored_run_shows_no_references(store: Path, runs: tuple[str, ...]) -> None:
    found = turn_at(store, runs[1], 0)
    assert found.reference is None
    assert found.document is not None


def test_missing_turn_is_not_found(store: Path, runs: tuple[str, ...]) -> None:
    with pytest.raises(UnknownConversationError):
        turn_at(store, runs[0], 0, 99)
    with pytest.raises(UnknownRunError):
        turn_at(store, "nosuch", 0)


def test_repeated_messages_are_counted_and_not_shown_again() -> None:
    first, second = make_prompt(make_run()), make_prompt(make_run(), number=1)
    views = exchange_views([first, second, make_prompt(make_run(), number=2)])
    assert [view.repeated for view in views] == [0, 1, 1]
    assert [len(view.request) for view in views] == [1, 0, 0]
    assert [view.reply and view.reply[0].text for view in views] == ["reply 0", "reply 1", ()]


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, tuple[TurnRecord, ...]]:
    store = tmp_path_factory.mktemp("played") / "runs.db"
    (run,) = run_sample(store, 2, scored=False)

    async def read() -> tuple[RunRecord, tuple[TurnRecord, ...]]:
        async with open_store(str(store)) as opened:
            return await opened.run(run), await opened.turns(run)

    return asyncio.run(read())


def test_the_file_of_a_run_is_read_once(stored_run: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = stored_run
    file = find_run_file(run)
    assert file is not None
    assert file is find_run_file(run)
    assert set(file.conversations) == {turn.conversation for turn in turns}


def test_a_turn_has_its_reference_beside_it(stored_run: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = stored_run
    file = find_run_file(run)
    assert file is not None
    verdicts = verdicts_on(file, turns)
    assert verdicts is not None
    one = verdicts[1]
    beside = [turn for turn in turns if turn.conversation == one.conversation]
    assert one in verdicts_on(file, beside)


def test_moved_or_changed_file_is_reported_missing(
    stored_run: tuple[RunRecord, tuple[TurnRecord, ...]], tmp_path: Path
) -> None:
    run, _ = stored_run
    copy = tmp_path / "pages.json"
    shutil.copy(sample_path(), copy)
    moved = replace(run, dataset=str(copy), spec={**run.spec, "dataset": str(copy)})
    assert find_run_file(moved) is not None
    copy.write_text(copy.read_text(encoding="utf-8").replace("what", "which"), encoding="utf-8")
    os.utime(copy, ns=(1, 1))
    assert find_run_file(moved) is None
    copy.write_text("no dataset", encoding="utf-8")
    assert find_run_file(moved) is None
    copy.unlink()
    assert find_run_file(moved) is None


def test_questions_without_references_have_none(stored_run: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = stored_run
    file = find_run_file(run)
    assert file is not None
    assert verdicts_on(replace(file, gold={}), turns) == ()
    assert verdicts_on(file, ()) == ()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A labelled file in which every second reference answer is wrong."""
    records = json.loads(sample_path().read_text(encoding="utf-8"))[:2]
    for record in records:
        record["annotation"]["exe_ans_list"][1::2] = [123456.0] * len(record["annotation"]["exe_ans_list"][1::2])
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.fixture
def uri(file: Path, tmp_path: Path) -> str:
    """A store with a scored run of the file."""
    uri = str(tmp_path / "runs.db")

    async def play() -> None:
        pages = read_dataset(file)
        async with open_store(uri) as store:
            run = await run_dataset(pages, RunSpec.of(pages, "embedded"), store, InlineEngine())
            await score_run(store, run, pages, read_gold(file), uri, wanted="figures")

    asyncio.run(play())
    return uri


def wrong(uri: str, most: int | None = None) -> WrongTurns:
    async def find() -> WrongTurns:
        async with open_store(uri, create=False) as store:
            return await find_wrong_turns(store, "latest", scores_in=uri, most=most)

    return asyncio.run(find())


def test_stored_score_of_a_large_run_equals_a_new_comparison(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = wrong(uri)
    monkeypatch.setattr(score_service, "LARGE", 0)
    monkeypatch.setattr("quaestor.application.judged_runs.read_labelled", lambda *_: pytest.fail("read the file"))
    listed = wrong(uri)
    order = sorted((replace(one, reference=None) for one in judged.turns), key=lambda one: one.turn.index)
    order.sort(key=lambda one: one.turn.conversation)
    assert replace(listed, causes={}) == replace(judged, turns=tuple(order), causes={})
    assert dict(listed.causes) == dict(judged.causes)
    assert listed.wrong > 3
    assert {str(one.reference.executed) for one in judged.turns if one.reference and one.turn.index == 1} == {
        "123456.0"
    }


def test_verdicts_are_shown_without_references_if_the_file_is_missing(uri: str, file: Path) -> None:
    before = wrong(uri)
    file.unlink()
    after = wrong(uri, most=1)
    assert (after.wrong, after.causes, after.compared) == (before.wrong, before.causes, True)
    assert [one.reference for one in after.turns] == [None]
