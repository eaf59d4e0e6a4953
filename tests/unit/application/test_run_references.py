import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from played_runs import play_sample

from quaestor.application.run_references import played_file, reference_of, verdicts_on
from quaestor.sample import sample_path
from quaestor.store.base import open_store
from quaestor.store.records import RunRecord, TurnRecord


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, tuple[TurnRecord, ...]]:
    store = tmp_path_factory.mktemp("played") / "runs.db"
    (run,) = play_sample(store, 2, scored=False)

    async def read() -> tuple[RunRecord, tuple[TurnRecord, ...]]:
        async with open_store(str(store)) as opened:
            return await opened.run(run), await opened.turns(run)

    return asyncio.run(read())


def test_the_file_of_a_run_is_read_once(played: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = played
    file = played_file(run)
    assert file is not None
    assert file is played_file(run)
    assert set(file.conversations) == {turn.conversation for turn in turns}


def test_a_turn_has_its_reference_beside_it(played: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = played
    file = played_file(run)
    assert file is not None
    verdicts = verdicts_on(file, turns)
    assert verdicts is not None
    one = verdicts[1]
    beside = [turn for turn in turns if turn.conversation == one.conversation]
    assert reference_of(file, beside, one.turn) == one
    assert reference_of(file, beside, 99) is None


def test_a_file_that_has_moved_or_changed_is_not_there(
    played: tuple[RunRecord, tuple[TurnRecord, ...]], tmp_path: Path
) -> None:
    run, _ = played
    copy = tmp_path / "pages.json"
    shutil.copy(sample_path(), copy)
    moved = replace(run, dataset=str(copy), spec={**run.spec, "dataset": str(copy)})
    assert played_file(moved) is not None
    copy.write_text(copy.read_text(encoding="utf-8").replace("what", "which"), encoding="utf-8")
    os.utime(copy, ns=(1, 1))
    assert played_file(moved) is None
    copy.write_text("no dataset", encoding="utf-8")
    assert played_file(moved) is None
    copy.unlink()
    assert played_file(moved) is None


def test_questions_without_references_have_none(played: tuple[RunRecord, tuple[TurnRecord, ...]]) -> None:
    run, turns = played
    file = played_file(run)
    assert file is not None
    assert verdicts_on(replace(file, gold={}), turns) is None
    assert verdicts_on(file, ()) is None
