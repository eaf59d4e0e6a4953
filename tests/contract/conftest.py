import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from mongo_server import COMMAND, MongoServer, database_uri, sockets_forgotten
from pymongo import MongoClient

REAL_SERVER = "QUAESTOR_TEST_MONGODB_URI"
"""Environment variable with the URI of a MongoDB server for these tests; they create and drop their own databases."""


def started(folder: Path) -> MongoServer:
    if not COMMAND.exists():
        pytest.skip("SecantusDB, the development server, is not installed")
    server = MongoServer(folder)
    server.start()
    return server


@pytest.fixture(scope="session")
def development_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    server = started(tmp_path_factory.mktemp("mongodb"))
    yield server
    server.kill()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[MongoServer]:
    """Yield a server that the test may kill and pause."""
    server = started(tmp_path / "mongodb")
    yield server
    server.kill()
    with sockets_forgotten():
        pass


def fresh_database(server: str) -> Iterator[str]:
    name = f"quaestor_test_{uuid.uuid4().hex[:12]}"
    uri = database_uri(server, name)
    yield uri
    with MongoClient[dict[str, object]](uri) as client:
        client.drop_database(name)


@pytest.fixture
def mongo_uri(development_server: MongoServer) -> Iterator[str]:
    """Yield an empty database of the development server, which is paused between tests since it uses CPU when idle."""
    development_server.go_on()
    yield from fresh_database(development_server.address)
    development_server.pause()


@pytest.fixture(
    params=["sqlite", pytest.param("mongodb", marks=pytest.mark.slow), *filter(os.environ.get, [REAL_SERVER])]
)
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield an empty store of each kind; quick tests use SQLite, and of MongoDB only the tests of `test_mongo.py`."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'runs.db'}"
    elif request.param == "mongodb":
        yield request.getfixturevalue("mongo_uri")
    else:
        yield from fresh_database(os.environ[REAL_SERVER])
