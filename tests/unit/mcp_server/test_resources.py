import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_clients import FILING, called, client_of_folder

from quaestor.store.base import open_store
from quaestor.testing.store_records import make_run

pytestmark = pytest.mark.anyio


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    return content.text  # type: ignore[union-attr]


async def test_documents_and_their_text_are_resources(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert uris == [f"quaestor://documents/{FILING}", "quaestor://runs"]
        assert json.loads(await read(client, uris[0]))["tables"][0]["rows"] == 3
        assert "Net sales | $ 1,250.5" in await read(client, f"{uris[0]}/text/1")
        templates = (await client.list_resource_templates()).resource_templates
    assert [template.name for template in templates] == ["document", "text", "conversation", "run"]


async def test_conversation_is_a_resource_but_its_run_is_not(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        id = (await called(client, "ask", document=FILING, question="what were net sales in 2024?"))["conversation"]
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert f"quaestor://conversations/{id}" in uris
        conversation = json.loads(await read(client, f"quaestor://conversations/{id}"))
        (turn,) = conversation["turns"]
        assert turn["display"] == "$ 1,250.5 million"
        assert await read(client, "quaestor://runs") == "[]"
        with pytest.raises(MCPError, match=turn["run"]):
            await read(client, f"quaestor://runs/{turn['run']}")


async def test_runs_over_datasets_are_resources(tmp_path: Path) -> None:
    async with open_store(str(tmp_path / "runs.db")) as store:
        await store.create_run(replace(make_run(), dataset="/home/somebody/pages.json"))
    async with client_of_folder(tmp_path) as client:
        (run,) = json.loads(await read(client, "quaestor://runs"))
        assert (run["id"], run["dataset"]) == (make_run().id, "pages.json")
        assert json.loads(await read(client, f"quaestor://runs/{make_run().id}"))["spec"]["solver"] == "scripted"


@pytest.mark.parametrize(
    "uri",
    [
        "quaestor://documents/..%2F..%2Fetc%2Fpasswd",
        "quaestor://documents/%2Fetc%2Fpasswd",
        "quaestor://documents/../../etc/passwd",
        f"quaestor://documents/{quote('../runs.db', safe='')}",
        f"quaestor://documents/{FILING}/text/0",
        f"quaestor://documents/{FILING}/text/2",
        f"quaestor://documents/{FILING}/text/-1",
        f"quaestor://documents/{FILING}/text/{'9' * 4_000}",
        f"quaestor://documents/{FILING}%00",
        "quaestor://conversations/",
        "quaestor://conversations/..%2Fx",
        f"quaestor://conversations/{'a' * 22}",
        "quaestor://runs/latest",
        "quaestor://runs/'%20OR%201=1--",
        "file:///etc/passwd",
        "http://127.0.0.1:1/",
        "quaestor://",
        "x",
        "",
    ],
)
async def test_other_resources_are_refused_without_revealing_paths(tmp_path: Path, uri: str) -> None:
    async with client_of_folder(tmp_path) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
        assert str(tmp_path) not in str(refused.value)
        assert await called(client, "read_document")
