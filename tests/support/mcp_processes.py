"""`quaestor mcp` as a process, over standard streams or HTTP, with its official client."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

CODE = "from quaestor.cli import main; raise SystemExit(main())"


@asynccontextmanager
async def over_stdio(
    *arguments: str, store: Path, mode: str = "auto", environment: Mapping[str, str] | None = None
) -> AsyncIterator[Client]:
    """Yield a client that starts a server process, which ends with the client."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", CODE, "mcp", *arguments],
        env={**os.environ, "QUAESTOR_STORE": str(store), **(environment or {})},
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


@contextmanager
def listening(*arguments: str, store: Path) -> Iterator[tuple[str, list[str]]]:
    """Start a process that listens on a free port, and yield its address and the other lines that it prints first."""
    command = [sys.executable, "-c", CODE, "mcp", "--http", "--port", "0", *arguments]
    environment = {**os.environ, "QUAESTOR_STORE": str(store)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            more = [process.stdout.readline()] if "0.0.0.0" in arguments and "--token" not in arguments else []
            yield line.split()[4], more
        finally:
            process.terminate()
            process.wait(30)


@asynccontextmanager
async def over_http(address: str, token: str | None = None, mode: str = "auto") -> AsyncIterator[Client]:
    """Yield a client of a server at an address."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client
