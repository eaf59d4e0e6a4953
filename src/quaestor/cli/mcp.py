"""`quaestor mcp`: serve assistants over the Model Context Protocol."""

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import McpOptions, with_options
from quaestor.cli.serve import check_can_ask, log_to_stderr, run_server
from quaestor.errors import InputError
from quaestor.extras import require_extra

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

    from quaestor.mcp_server.server_context import ServerContext
    from quaestor.web.security import Access

PORT = 8766

_REQUESTS_PER_CLIENT = 64
"""Number of requests of the maximum size that one client may send at once."""


@with_options
def mcp_command(
    options: McpOptions,
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FOLDER|FILE...",
            help=(
                "Files and folders (including subfolders) that may be read, or sample. Defaults to the sample. "
                "Everything else is inaccessible."
            ),
            show_default=False,
        ),
    ] = None,
    exports: Annotated[
        Path | None,
        typer.Option(
            "--exports",
            help="Folder to write exports to. By default exports are returned and not written to disk.",
            metavar="FOLDER",
        ),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address to bind with --http. Non-loopback addresses require a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to bind with --http; 0 picks a free one.", metavar="N")
    ] = PORT,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            help="Bearer token that clients must send with --http. Generated if one is required and none is given.",
            envvar="QUAESTOR_TOKEN",
            metavar="TEXT",
            show_envvar=True,
        ),
    ] = None,
) -> None:
    """Start an MCP server that lets assistants read filings, ask questions, check numbers and calculate."""
    from quaestor.application.answer_workers import MODULES
    from quaestor.application.folder_library import Folders
    from quaestor.application.resolve import SAMPLE
    from quaestor.evaluation.processes import preload_modules

    require_extra("mcp", "quaestor mcp")
    preload_modules(MODULES)
    settings = options.load()
    asking = options.request(settings)
    readable = Folders(folders or [SAMPLE])
    if exports is not None and not exports.is_dir():
        raise InputError(f"cannot write exports to {exports}: not a folder; create it first, or choose another")
    if exports is not None:
        exports = exports.resolve()
    asyncio.run(check_can_ask(asking, "mcp"))
    log_to_stderr()
    from quaestor.mcp_server.server import create_server
    from quaestor.mcp_server.server_context import open_context
    from quaestor.mcp_server.transports import serve_stdio

    processes = settings.concurrency(asks=False)
    server = create_server(partial(open_context, asking, readable, exports, lists=not http, processes=processes))
    if http:
        _serve_http(server, host, port, token, settings.trusted_proxies)
        return
    try:
        asyncio.run(serve_stdio(server))
    except KeyboardInterrupt:
        print(file=sys.stderr)


def _serve_http(server: "Server[ServerContext]", host: str, port: int, token: str | None, proxies: str | None) -> None:
    from quaestor.mcp_server.transports import PATH, http_app
    from quaestor.web.security import Access

    access = Access.at(host, token)

    def show_address(address: str) -> None:
        shown = address.partition("?")[0].rstrip("/")
        print(f"quaestor serves MCP at {shown}{PATH} (Ctrl-C to quit)", flush=True)
        if access.made:
            print(f"clients must send the header Authorization: Bearer {access.token}", flush=True)

    run_server(add_guard(http_app(server), access), access, port, proxies, show_address)


def add_guard(app: "ASGIApp", access: "Access") -> "ASGIApp":
    """Wrap an app that only programs use in the access control of the web interface."""
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response

    from quaestor.mcp_server.transports import LARGEST_REQUEST
    from quaestor.web.arriving import Bodies
    from quaestor.web.security import Guard

    def refuse(request: Request, status: int, line: str) -> Response:
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        return PlainTextResponse(f"{line}\n", status, headers)

    return Guard(Bodies(app, refuse, _REQUESTS_PER_CLIENT * LARGEST_REQUEST), access, refuse, programs=lambda _: True)
