"""A solver on a labelled dataset, in one call and in steps."""

import asyncio
from pathlib import Path

import pytest

import quaestor
from quaestor.errors import DatasetError, SettingsError


def test_evaluate_scores_and_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scored = quaestor.evaluate("sample", limit=2)
    assert scored.report.score.results["conversations"].total == 2
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SettingsError, match="magic"):
        quaestor.evaluate("sample", limit=1, options={"magic": 1})


def test_a_run_in_steps_from_public_names() -> None:
    async def steps() -> int:
        dataset = quaestor.read_dataset(str(quaestor.sample_path()), limit=2)
        async with quaestor.open_store("sqlite://") as store:
            spec = quaestor.RunSpec.of(dataset, "embedded", limit=2)
            run = await quaestor.run_dataset(dataset, spec, store, quaestor.make_engine("inline", 1))
            return len(await store.turns(run.id))

    assert asyncio.run(steps()) > 2


def test_a_path_as_text_is_read_or_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(DatasetError, match=r"x\.png"):
        quaestor.read_dataset(str(tmp_path / "x.png"))
