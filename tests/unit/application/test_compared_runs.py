"""The two runs of other programs that come with the public data, compared on all their turns."""

import asyncio
from pathlib import Path

import pytest

from quaestor.application.compared_runs import RunsCompared, compare_stored
from quaestor.application.run_import import import_run
from quaestor.datasets.formats import read_dataset
from quaestor.store.base import open_store


@pytest.mark.very_slow
def test_the_careful_reading_beside_the_hosted_model(shared_data: Path, tmp_path: Path) -> None:
    uri, path = str(tmp_path / "runs.db"), shared_data / "convfinqa_tune.json"

    async def scenario() -> RunsCompared:
        dataset = read_dataset(path)
        async with open_store(uri) as store:
            files = [shared_data / f"{name}_tune.jsonl" for name in ("careful_reading", "hosted_model_answers")]
            names = [(await import_run(store, file, dataset)).run.id for file in files]
            return await compare_stored(store, names, uri)

    found = asyncio.run(scenario())
    assert [(run.right.correct, run.right.total) for run in found.runs] == [(729, 841), (501, 841)]
    (pair,) = found.pairs
    figures = pair.figures
    assert (figures.wins, figures.losses, figures.both, figures.neither) == (240, 12, 489, 100)
    from scipy.stats import binomtest

    assert figures.p == pytest.approx(binomtest(240, 252).pvalue, rel=1e-9)
    assert (figures.by_page.groups, figures.by_company.groups) == (126, 44)
    assert 0.2 < figures.by_page.low < figures.by_page.value < figures.by_page.high < 0.35
    for breakdown in pair.breakdowns:
        assert sum(group.figures.wins for group in breakdown.groups) == 240
        assert sum(group.figures.turns for group in breakdown.groups) == 841
    assert pair.agreement.same + pair.agreement.different == 841
