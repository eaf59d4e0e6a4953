"""The MCP server in this process, its official client, and a made-up filing."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent
from web import asking

from quaestor.application.folder_library import Folders
from quaestor.mcp_server.server import create_server
from quaestor.mcp_server.server_context import open_context
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.reading import document_key, read_file
from quaestor.readers.serialization import document_bytes
from quaestor.settings import Setting
from quaestor.solvers.base import Solver

FILING = "filing.html"

_HTML = """<!DOCTYPE html><html><head><title>Nordlicht</title></head><body>
<h1>Annual report of Nordlicht</h1>
<h2>Item 8. Consolidated statements of income</h2>
<p>( in millions )</p>
<table><tr><td></td><td>2024</td><td>2023</td><td>2022</td></tr>
<tr><td>Net sales</td><td>$ 1,250.5</td><td>$ 1,130.0</td><td>$ 980.0</td></tr>
<tr><td>Cost of sales</td><td>750.3</td><td>700.6</td><td>630.2</td></tr>
<tr><td>Net income (loss)</td><td>88.1</td><td>(21.5)</td><td>40.0</td></tr></table>
<h2>Note 7. Debt</h2>
<p>The company owed $ 2.7 billion to banks at the end of 2024. Of it 31.4 % is due in 2026.</p>
</body></html>"""


def write_filing(folder: Path, name: str = FILING) -> Path:
    """Write the filing to a folder, which is created, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(_HTML, encoding="utf-8")
    return path


def server_of_folder(
    folder: Path,
    exports: Path | None = None,
    *,
    answering: Solver | None = None,
    lists: bool = True,
    names: Sequence[str] = (),
    **settings: Setting,
) -> Any:
    """Return a server over the `filings` in a folder, which contain the filing, with a store beside them.

    The document of the filing is put into the cache, because a process that reads it takes longer than most tests.
    """
    content = read_content(write_filing(folder / "filings"))
    may_be_read = Folders([str(folder / "filings"), *names])
    solver_settings = asking(folder, answering, **settings)
    if solver_settings.cache is not None and (key := document_key(content)) is not None:
        solver_settings.cache.put(key, _cached_filing())
    return create_server(partial(open_context, solver_settings, may_be_read, exports, lists=lists))


@cache
def _cached_filing() -> bytes:
    found = read_file(FileContent(Path(FILING), _HTML.encode()))
    assert found is not None
    return document_bytes(found[1])


@asynccontextmanager
async def client_of_folder(folder: Path, exports: Path | None = None, **more: Any) -> AsyncIterator[Client]:
    """Yield a client of a server over the `filings` in a folder."""
    async with Client(server_of_folder(folder, exports, **more)) as client:
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the structured result of a tool call; its text is the same as JSON."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    text = text_of(result)
    assert not result.is_error, text
    assert json.loads(text) == result.structured_content
    found: dict[str, Any] = json.loads(text)
    return found


async def refused(client: Client, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the error text of a tool call."""
    result = await client.call_tool(tool, dict(arguments))
    assert isinstance(result, CallToolResult)
    assert result.is_error, text_of(result)[:300]
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    """Return the text of a tool result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def whole_session(client: Client, document: str, questions: Sequence[str]) -> list[str]:
    """Read a document, ask questions, explain and export, and return the answers as displayed."""
    assert document in (await called(client, "read_document"))["documents"]
    outline = await called(client, "read_document", document=document)
    assert outline["tables"]
    assert outline["lines"]
    first, *rest = questions
    begun = await called(client, "ask", document=document, question=first)
    shown = [begun["answers"][0]["display"]]
    for question in rest:
        went_on = await called(client, "ask", conversation=begun["conversation"], question=question)
        shown.append(went_on["answers"][0]["display"])
    explained = await called(client, "explain", conversation=begun["conversation"])
    assert explained["turn"] == len(questions)
    assert explained["steps"]
    assert all(source["text"] for source in explained["sources"])
    exported = await called(client, "export", conversation=begun["conversation"], format="csv")
    assert all(question in exported["text"] for question in questions)
    return shown
