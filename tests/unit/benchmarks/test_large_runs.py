"""The generated runs of the benchmark can be compared by their saved scores."""

import asyncio
from pathlib import Path

import pytest
from benchmarks.large_runs import IN_ONE, fill

from quaestor.application.comparison import RunsCompared, compare_stored
from quaestor.application.report.data import read_report
from quaestor.application.report.page import report_page
from quaestor.store.base import open_store


@pytest.mark.slow
def test_synthetic_runs_are_compared_and_reported(tmp_path: Path) -> None:
    uri = str(tmp_path / "runs.db")
    asyncio.run(fill(uri, 30))

    async def read() -> tuple[RunsCompared, str]:
        async with open_store(uri) as store:
            names = ["first", "second"]
            return await compare_stored(store, names, uri), report_page(await read_report(store, names, uri))

    found, page = asyncio.run(read())
    (pair,) = found.pairs
    assert (found.judged.basis, pair.figures.turns) == ("kept scores", 30 * IN_ONE)
    assert (pair.figures.by_page.groups, pair.figures.by_company.groups) == (30, 30)
    assert pair.figures.wins > 0
    assert pair.agreement.same + pair.agreement.different == 30 * IN_ONE
    assert 'id="confidence"' in page
