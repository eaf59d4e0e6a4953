"""`quaestor serve` and `mcp`: the web interface and HTTP API, and the MCP server for assistants."""

import asyncio
import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.failures import debugging
from quaestor.cli.options import McpOptions, ServeOptions, with_options
from quaestor.errors import InputError, SettingsError
from quaestor.extras import require_extra

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

    from quaestor.application.ask_service import AskRequest
    from quaestor.mcp_server.server_context import ServerContext
    from quaestor.web.security import Access

PORT, MCP_PORT = 8765, 8766

_SWITCH_INTERVAL = 0.001
"""Thread switch interval in seconds."""

_REQUESTS_PER_CLIENT = 64
"""Number of MCP requests of the maximum size that one client may send at once."""


@with_options
def serve_command(
    options: ServeOptions,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help=(
                "Filings (HTML, PDF, XLSX, CSV, text) or pages of a dataset as DATASET#PAGE. Defaults to the sample."
            ),
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to bind. Non-loopback addresses require a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to bind; 0 picks a free one.", metavar="N")
    ] = PORT,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            help="Token that browsers and API clients must send. Generated if one is required and none is given.",
            envvar="QUAESTOR_TOKEN",
            metavar="TEXT",
            show_envvar=True,
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False,
) -> None:
    """Start the web interface and HTTP API, to ask questions and inspect runs.

    Only requests to a model leave this machine. The API is at /api/v1, described by /api/v1/openapi.json. Ctrl-C quits.
    """
    from quaestor.application.answer_workers import MODULES
    from quaestor.application.resolve import SAMPLE, page_file
    from quaestor.evaluation.processes import preload_modules

    require_extra("web", "quaestor serve")
    preload_modules(MODULES)
    from quaestor.web.app import create_app
    from quaestor.web.security import Access

    settings = options.load()
    asking = options.request(settings)
    shown = tuple(files or (SAMPLE,))
    for name in shown:
        page_file(name)
    asyncio.run(check_can_ask(asking, "serve"))
    access = Access.at(host, token)
    app = create_app(asking, access, shown, settings.concurrency(asks=False))
    log_to_stderr()
    # Answers are computed in threads; a short interval keeps pages responsive meanwhile.
    sys.setswitchinterval(_SWITCH_INTERVAL)

    def show_address(address: str) -> None:
        print(f"quaestor is running at {address} (Ctrl-C to quit)", flush=True)
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    run_server(app, access, port, settings.trusted_proxies, show_address)


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
    ] = MCP_PORT,
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


def run_server(
    app: "ASGIApp", access: "Access", port: int, proxies: str | None, show_address: Callable[[str], None]
) -> None:
    """Serve an app until Ctrl-C, after showing its address."""
    from quaestor.web.serving import address_of, bind, read_proxies, server_of

    server = server_of(app, read_proxies(proxies or ""))
    with bind(access.host, port) as bound:
        show_address(address_of(bound, access))
        try:
            server.run(sockets=[bound])
        except KeyboardInterrupt:  # uvicorn raises it again after shutdown
            print(file=sys.stderr)


def log_to_stderr() -> None:
    """Write quaestor's log to stderr, and silence the logs of the server libraries."""
    logging.basicConfig(level=logging.ERROR, format="quaestor: %(message)s", stream=sys.stderr)
    logging.getLogger("quaestor").setLevel(logging.DEBUG if debugging() else logging.ERROR)
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def check_can_ask(asking: "AskRequest", command: str) -> None:
    """Check that questions can be answered and stored, before the address is printed."""
    from quaestor.application.ask_service import resolve_solver
    from quaestor.store.base import open_store

    async with open_store(asking.settings.store) as store:
        await store.runs()
    scheme, separator, rest = asking.settings.store.partition("://")
    if separator and scheme == "sqlite" and not rest.strip("/"):
        raise SettingsError(f"{command} needs a store that is a file or a server: {scheme}:// exists only in memory")
    async with resolve_solver(asking):
        pass
