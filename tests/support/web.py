"""Serve the pages in this process: in a thread on a free port for a browser, or without a port for requests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import file_cache
from quaestor.settings import Setting, load_settings
from quaestor.solvers.base import Solver
from quaestor.web.app import create_app
from quaestor.web.security import Access
from quaestor.web.serving import Connections, bind, server_of

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
"""Headers of a browser that sends a form from a page of the server."""


def asking(folder: Path, answering: Solver | None = None, **settings: Setting) -> AskRequest:
    """Return how questions are answered: by the given solver or by the settings, with a store in the folder."""
    loaded = load_settings({"store": str(folder / "runs.db"), **settings}, environment={}, folder=folder)
    return AskRequest(loaded, solver=answering, keep=True, cache=file_cache(loaded))


@contextmanager
def client_of(app: FastAPI) -> Iterator[TestClient]:
    """Yield a client that sends requests to an app as a browser on this machine does; it follows no redirects."""
    with TestClient(app, "http://127.0.0.1:8765", follow_redirects=False, headers=SAME_ORIGIN) as client:
        yield client


@contextmanager
def served(
    app: ASGIApp, host: str = "127.0.0.1", proxies: tuple[str, ...] = (), connections: Connections | None = None
) -> Iterator[str]:
    """Serve an app on a free port of this machine, and yield its address without a trailing slash."""
    with bind(host, 0) as bound:
        server = server_of(app, proxies, connections)
        thread = Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        until = monotonic() + 30
        while not server.started:
            assert thread.is_alive(), "the server ended before it began"
            assert monotonic() < until, "the server does not begin"
            sleep(0.01)
        try:
            yield f"http://{host}:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the server does not end"


@contextmanager
def pages_served(
    folder: Path, *files: str, access: Access | None = None, answering: Solver | None = None, **settings: Setting
) -> Iterator[str]:
    """Serve the pages with a store in a folder, and yield their address."""
    with served(create_app(asking(folder, answering, **settings), access, files)) as address:
        yield address


def begun(client: TestClient) -> str:
    """Begin a conversation about the first available document, and return its address."""
    document = re.search(r'name="document" value="([^"]+)"', client.get("/").text)
    assert document is not None
    return str(client.post("/conversations", data={"document": document[1]}).headers["location"])
