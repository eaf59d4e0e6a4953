from collections.abc import Iterator
from pathlib import Path

import pytest
from played_runs import run_sample
from starlette.testclient import TestClient
from web import asking, client_of

from quaestor.web.app import create_app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def runs(folder: Path) -> tuple[str, ...]:
    """Ids of two scored runs of three conversations; the second lacks an answer to the last turn of each."""
    return run_sample(folder / "runs.db", 3, runs=2, others=True)


@pytest.fixture
def client(folder: Path, runs: tuple[str, ...]) -> Iterator[TestClient]:
    with client_of(create_app(asking(folder))) as opened:
        yield opened
