from pathlib import Path

import pytest

from quaestor.errors import StoreError
from quaestor.scores.base import open_scores
from quaestor.store.base import open_store


def test_nothing_is_kept_in_memory() -> None:
    assert open_scores("sqlite://") is None


def test_scores_stand_in_a_store_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        open_scores(str(tmp_path / "runs.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("written", ["{}", "sqlite:///{}"])
def test_they_are_named_as_the_runs_are(tmp_path: Path, written: str) -> None:
    import asyncio

    async def opened() -> None:
        uri = written.format(tmp_path / "runs.db")
        async with open_store(uri):
            scores = open_scores(uri)
            assert scores is not None
            async with scores:
                assert await scores.scores() == ()

    asyncio.run(opened())
