"""Sessions of the official client with a server process, over the standard streams and over HTTP."""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
import pytest
from mcp_clients import FILING, refused, server_of_folder, whole_session, write_filing
from mcp_processes import CODE, listening, over_http, over_stdio
from web import served

from quaestor.cli.serve import add_guard
from quaestor.mcp_server.transports import PATH, http_app
from quaestor.web.security import Access

pytestmark = pytest.mark.anyio

TOKEN = "0123456789abcdef-token"
QUESTIONS = ("what were net sales in 2024?", "and in 2023?", "what was the change?", "what is that in percent?")
ANSWERS = ["$ 1,250.5 million", "$ 1,130.0 million", "$ 120.5 million", "10.7 %"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.mark.very_slow
async def test_a_whole_session_over_the_standard_streams(tmp_path: Path) -> None:
    write_filing(tmp_path / "filings")
    async with over_stdio(str(tmp_path / "filings"), store=tmp_path / "runs.db", mode="legacy") as client:
        assert await whole_session(client, FILING, QUESTIONS) == ANSWERS
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert sum("conversations" in uri for uri in uris) == 1
        assert await refused(client, "read_document", {"document": "../runs.db"})


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_whole_session_over_http_of_several_clients_at_once(tmp_path: Path, mode: str) -> None:
    app = add_guard(http_app(server_of_folder(tmp_path, lists=False)), Access())
    with served(app) as address:
        async with over_http(f"{address}{PATH}", mode=mode) as one, over_http(f"{address}{PATH}", mode=mode) as other:
            sessions = [whole_session(client, FILING, QUESTIONS) for client in (one, other)]
            assert await asyncio.gather(*sessions) == [ANSWERS, ANSWERS]
            for client in (one, other):
                uris = [resource.uri for resource in (await client.list_resources()).resources]
                assert not any("conversations" in uri for uri in uris)


@pytest.mark.very_slow
async def test_a_process_listens_at_the_address_that_it_prints(tmp_path: Path) -> None:
    write_filing(tmp_path / "filings")
    with listening(str(tmp_path / "filings"), "--token", TOKEN, store=tmp_path / "runs.db") as (address, _):
        async with over_http(address, TOKEN) as client:
            assert await whole_session(client, FILING, QUESTIONS) == ANSWERS


async def test_http_requires_authorization(tmp_path: Path) -> None:
    app = add_guard(http_app(server_of_folder(tmp_path)), Access("127.0.0.1", TOKEN))
    with served(app) as address:
        async with httpx2.AsyncClient(headers=ACCEPTED) as http:

            async def asked(**headers: str) -> int:
                sent = {name.replace("_", "-"): value for name, value in headers.items()}
                return (await http.post(f"{address}{PATH}", json=HELLO, headers=sent)).status_code

            bearer = f"Bearer {TOKEN}"
            assert await asked() == 401
            assert await asked(Authorization="Bearer wrong") == 401
            assert await asked(Authorization=bearer) == 200
            assert await asked(Authorization=bearer, Host="evil.example") == 421
            assert (await http.get(f"{address}{PATH}?token={TOKEN}")).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
    ],
)
async def test_requests_from_other_sites_are_refused(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    with served(add_guard(http_app(server_of_folder(tmp_path)), Access())) as address:
        async with httpx2.AsyncClient(headers=ACCEPTED) as http:
            answer = await http.post(f"{address}{PATH}", content=json.dumps(HELLO), headers=headers)
            assert answer.status_code == status
            large = await http.post(f"{address}{PATH}", content=b" " * 2_000_000)
            assert large.status_code == 413
            for content in (b"{", b"[" * 100_000, b"\xff\xfe", b'{"jsonrpc":"2.0","id":1e999}', b"null"):
                assert (await http.post(f"{address}{PATH}", content=content)).status_code in (400, 413)
            assert (await http.post(f"{address}{PATH}", json=HELLO)).status_code == 200


@pytest.mark.very_slow
async def test_unreadable_message_gets_an_error_reply(tmp_path: Path) -> None:
    write_filing(tmp_path / "filings")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CODE, "mcp", str(tmp_path / "filings"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "QUAESTOR_STORE": str(tmp_path / "runs.db")},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    half = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"document":"\\ud800"}}'
    sent = {
        json.dumps(HELLO): (1, None),
        half: (7, -32700),
        '{"jsonrpc":"2.0","id":"\\udfff","method":"ping"}': (None, -32700),
        "not json": (None, -32700),
        "x" * 3_000_000: (None, -32700),
        "[" * 100_000: (None, -32700),
        '{"jsonrpc":"2.0","id":8}': (8, -32600),
        '{"jsonrpc":"2.0","id":true,"params":{}}': (None, -32600),
        "[1]": (None, -32600),
        '{"jsonrpc":"2.0","id":9,"method":"ping"}': (9, None),
    }
    try:
        for line, expected in sent.items():
            process.stdin.write(line.encode() + b"\n")
            await process.stdin.drain()
            answer = json.loads(await asyncio.wait_for(process.stdout.readline(), 60))
            assert (answer["id"], answer.get("error", {}).get("code")) == expected
    finally:
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 60) == 0
