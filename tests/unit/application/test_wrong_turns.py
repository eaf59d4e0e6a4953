"""What of a run went wrong: by the score that is kept, as long as all is as it was scored."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.application import run_references
from quaestor.application.score_service import score_run
from quaestor.application.wrong_turns import WrongTurns, find_wrong_turns
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.store.base import open_store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A labelled file whose every second answer the solver misses."""
    records = json.loads(sample_path().read_text(encoding="utf-8"))[:2]
    for record in records:
        record["annotation"]["exe_ans_list"][1::2] = [123456.0] * len(record["annotation"]["exe_ans_list"][1::2])
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.fixture
def uri(file: Path, tmp_path: Path) -> str:
    """A store with a run of the file, scored."""
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


def test_the_kept_score_says_what_comparing_anew_does(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    anew: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr("quaestor.application.wrong_turns.read_labelled", lambda *_: anew.append("read"))
        kept = wrong(uri)
    assert not anew
    monkeypatch.setattr(run_references, "version", lambda _: "of another time")
    judged = wrong(uri)
    order = sorted(judged.turns, key=lambda one: (one.turn.conversation, one.turn.index))
    assert replace(kept, causes={}) == replace(judged, turns=tuple(order), causes={})
    assert dict(kept.causes) == dict(judged.causes)
    assert kept.wrong > 3
    assert {str(one.reference.executed) for one in kept.turns if one.reference and one.turn.index == 1} == {"123456.0"}


def test_a_changed_reference_is_judged_anew(uri: str, file: Path) -> None:
    before = wrong(uri)
    records = json.loads(file.read_text(encoding="utf-8"))
    first = before.turns[0].turn
    (changed,) = (record for record in records if record["id"] == first.conversation)
    assert first.number is not None
    changed["annotation"]["exe_ans_list"][first.index] = float(first.number)
    file.write_text(json.dumps(records), encoding="utf-8")
    after = wrong(uri)
    assert after.wrong == before.wrong - 1
    assert first not in [one.turn for one in after.turns]


def test_where_the_file_is_gone_the_score_tells_without_references(uri: str, file: Path) -> None:
    before = wrong(uri)
    file.unlink()
    after = wrong(uri, most=1)
    assert (after.wrong, after.causes, after.compared) == (before.wrong, before.causes, True)
    assert [one.reference for one in after.turns] == [None]
