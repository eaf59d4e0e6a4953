"""What comparisons need of documents is kept as it was, of one file and one choice of it, and says no reference."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.application.asked_pages import asked_pages, keep_asked, read_asked
from quaestor.application.comparison import RunsCompared, compare_stored
from quaestor.application.score_service import digest_of_references, score_run
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.readers.cache import FolderCache
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.store.base import open_store
from quaestor.store.records import RunRecord


async def played(uri: str, cache: FolderCache | None) -> list[RunRecord]:
    """Two runs of a few conversations, scored."""
    pages, gold, runs = read_dataset(sample_path(), 3), read_gold(sample_path()), []
    async with open_store(uri) as store:
        for _ in range(2):
            run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=3), store, InlineEngine())
            await score_run(store, run, pages, gold, uri, wanted="figures", cache=cache)
            runs.append(run)
    return runs


@pytest.mark.slow
def test_a_comparison_reads_no_document_where_the_score_has_left_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, cache = str(tmp_path / "runs.db"), FolderCache(tmp_path / "files")
    runs = asyncio.run(played(uri, cache))

    async def compared(cache: FolderCache | None) -> RunsCompared:
        async with open_store(uri, create=False) as store:
            return await compare_stored(store, [run.id for run in runs], uri, cache=cache)

    anew = asyncio.run(compared(None))
    assert anew.judged.labelled is not None
    monkeypatch.setattr("quaestor.application.judged_runs.read_played_file", None)
    kept = asyncio.run(compared(cache))
    assert kept.judged.labelled is None
    assert (kept.runs, kept.right, kept.pairs, kept.adjusted) == (anew.runs, anew.right, anew.pairs, anew.adjusted)
    for pair in kept.pairs:
        assert {part.by for part in pair.breakdowns} == {"turn", "operation", "origin", "conversation"}


@pytest.mark.slow
def test_what_is_kept_is_of_one_file_and_one_choice_of_it(tmp_path: Path) -> None:
    cache, gold = FolderCache(tmp_path / "files"), read_gold(sample_path())
    (run, _) = asyncio.run(played(str(tmp_path / "runs.db"), None))
    digest = digest_of_references(gold)
    asked = asked_pages(read_dataset(sample_path(), 3).conversations)
    assert read_asked(cache, run, digest) is None
    keep_asked(cache, run, digest, asked)
    assert read_asked(cache, run, digest) == asked
    assert read_asked(cache, replace(run, dataset_digest="0" * 64), digest) is None
    assert read_asked(cache, replace(run, spec={**run.spec, "limit": 2}), digest) is None
    assert read_asked(cache, run, digest_of_references(dict(gold))) is None
    (entry,) = cache.folder.iterdir()
    references = {turn.program for turns in gold.values() for turn in turns if "(" in turn.program}
    assert references
    assert not [program for program in references if program in entry.read_text(errors="replace")]
    key = entry.name.removesuffix(".kept")
    cache.put(key, b"[]")
    assert read_asked(cache, run, digest) is None
