import asyncio
import socket

import pytest
from mongo_server import sockets_forgotten

from quaestor.errors import StoreError
from quaestor.store.base import open_store
from quaestor.store.mongo import MongoTables
from quaestor.store.mongo_connection import DEFAULTS


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("mongodb://localhost", "MongoDB localhost/quaestor"),
        ("mongodb://localhost:27018/work", "MongoDB localhost:27018/work"),
        ("mongodb://anna:hunter2@one,two:27018/work?replicaSet=rs&w=2", "MongoDB one,two:27018/work"),
        ("mongodb://anna:hunt%40er2@[::1]:27017/?authSource=admin", "MongoDB [::1]:27017/quaestor"),
    ],
)
def test_the_name_has_servers_and_database_and_no_password(uri: str, name: str) -> None:
    assert MongoTables(uri, create=True).name == name


@pytest.mark.parametrize(
    "uri",
    [
        "mongodb://",
        "mongodb:///runs",
        "mongodb://localhost:port/runs",
        "mongodb://localhost:99999",
        "mongodb://localhost/a$b",
        "mongodb://localhost/?timeoutMS=soon",
        "mongodb://localhost/?journal=perhaps",
        "mongodb://localhost/?w=0",
        "mongodb://localhost/?timeoutMSS=20",
        "mongodb://anna:hun/ter2@localhost/runs",
        "mongodb://anna:hun:ter2@localhost/runs",
        "mongodb://anna:hun@ter2@localhost/runs",
    ],
)
def test_a_malformed_uri_is_one_clear_line_without_the_password(uri: str) -> None:
    with pytest.raises(StoreError, match=r"mongodb://\[USER:PASSWORD@\]HOST") as caught:
        open_store(uri)
    assert "\n" not in str(caught.value)
    assert "hun" not in str(caught.value)


def test_options_of_the_uri_win_over_the_defaults() -> None:
    usual = MongoTables("mongodb://localhost", create=True)._client
    assert usual.options.pool_options.socket_timeout == DEFAULTS["socketTimeoutMS"] / 1000
    assert usual.write_concern.document == {"j": True}
    wished = MongoTables("mongodb://localhost/?SocketTimeoutMS=250&journal=false", create=True)._client
    assert wished.options.pool_options.socket_timeout == 0.25
    assert wished.write_concern.document == {"j": False}


@pytest.mark.slow
def test_an_unreachable_server_is_one_clear_line() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    async def scenario() -> str:
        uri = f"mongodb://anna:hunter2@127.0.0.1:{port}/runs?serverSelectionTimeoutMS=300"
        async with open_store(uri) as store:
            with pytest.raises(StoreError) as caught:
                await store.runs()
        return str(caught.value)

    with sockets_forgotten():
        message = asyncio.run(scenario())
    assert f"127.0.0.1:{port}/runs" in message
    assert "0.3 s" in message
    assert "hunter2" not in message
