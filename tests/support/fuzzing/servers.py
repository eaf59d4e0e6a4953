"""Targets for untrusted requests to the pages, the HTTP interface and the MCP server; and for whole conversations."""

import asyncio
import json
import re
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI
from mcp_clients import FILING, client_of_folder
from pages import page
from starlette.routing import Mount
from web import asking
from web_attacks import BROWSER, RawApp, addresses, raw

from fuzzing.drawing import Drawing, changed, text_or_words
from fuzzing.numbers import QUESTIONS
from fuzzing.target import Reads, Target
from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuaestorError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.mcp_server.calls import INTERNAL
from quaestor.mcp_server.tools import TOOLS
from quaestor.solvers.registry import make_solver
from quaestor.web.api.app import ADDRESS
from quaestor.web.app import create_app

_FORM = ("content-type", "application/x-www-form-urlencoded")
_JSON = ("content-type", "application/json")
_OPEN = ExitStack()
_IN_ADDRESSES = ("x", "latest", "../..", "%00", "%ff", "-1", "9" * 40, "sample", "sample%23QUIL", "a" * 2000, "")
_CELLS = ("2009", "net sales", "$ 1,234", "( 5 )", "13.7%", "-", "", "in millions", "total", "x", "2009 2008", "1/2")


def _requests(prefix: str) -> Any:
    """Return the opener of a target for requests below a path, with form or JSON bodies."""

    def opened(folder: Path) -> Reads:
        app = create_app(asking(folder))
        asked: RawApp = _OPEN.enter_context(raw(app))
        known = addresses(app)
        if prefix == ADDRESS:
            apps = (route.app for route in app.routes if isinstance(route, Mount) and route.path == ADDRESS)
            mounted = next(mount for mount in apps if isinstance(mount, FastAPI))
            known = [(method, prefix + path) for method, path in addresses(mounted)]
        bodies: list[Any] = [
            {
                "document": "sample",
                "question": "what was the exercise price in 2007?",
                "title": "x",
                "solver": "embedded",
            },
            {"step": 1, "value": "3", "source": {"table": 0, "row": 1, "column": 1}, "note": ""},
        ]

        def read(data: bytes) -> None:
            draw = Drawing(data)
            method, path = draw.choice(known)
            filled = re.sub(r"\{[^}]*\}", lambda _: draw.choice(_IN_ADDRESSES), path)
            body = changed(bodies, draw)
            as_json = draw.random() < 0.7
            written = json.dumps(body).encode() if as_json else _form(body, draw.rest)
            query = b"?" + quote(draw.rest[:40]).encode() if draw.random() < 0.3 else b""
            kind = _JSON if as_json else _FORM
            reply = asked.ask(method, filled.encode("ascii", "ignore") + query, (*BROWSER, kind), written)
            assert reply.status < 500, (method, filled, written[:200], reply.text[:300])
            assert "Traceback" not in reply.text

        return read

    return opened


def _form(body: Any, rest: bytes) -> bytes:
    if not isinstance(body, dict):
        return rest
    return "&".join(f"{quote(str(key).encode(errors='replace'))}={quote(str(value).encode(errors='replace'))}"
                    for key, value in body.items()).encode()  # fmt: skip


def _assistants(folder: Path) -> Reads:
    """Return a target for tool calls by the official MCP client, with the server in this process."""
    loop, ready, clients = asyncio.new_event_loop(), threading.Event(), list[Any]()

    async def serve() -> None:
        async with client_of_folder(folder) as client:
            clients.append(client)
            ready.set()
            await asyncio.Event().wait()

    threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True).start()
    assert ready.wait(60)
    question = {"document": FILING, "question": "what were net sales in 2024?"}
    sound: list[Any] = [
        {"tool": tool.name, "arguments": {**question, "words": "net sales", "number": "1,250.5", "conversation": "c1"}}
        for tool in TOOLS
    ]
    sound += [
        {"tool": "ask", "arguments": question},
        {"tool": "calculate", "arguments": {"document": FILING, "formula": "a - b", "values": {"a": 1, "b": 2}}},
        {"tool": "query_graph", "arguments": {"document": FILING, "query": "SELECT ?s { ?s ?p ?o } LIMIT 3"}},
        {"tool": "check_number", "arguments": {"document": FILING, "number": "1,250.5"}},
    ]

    def read(data: bytes) -> None:
        call = changed(sound, Drawing(data))
        name = call.get("tool") if isinstance(call, dict) else None
        arguments = call.get("arguments") if isinstance(call, dict) else None
        decoded = json.loads(json.dumps(arguments, default=str).encode(errors="replace"))
        sent = clients[0].call_tool(str(name), decoded if isinstance(decoded, dict) else {})
        result = None
        with suppress(Exception):  # an error of the protocol; errors of the server itself are results
            result = asyncio.run_coroutine_threadsafe(sent, loop).result(60)
        assert result is None or INTERNAL not in str(result.content)[:2000], call

    return read


def _conversations(_: Path) -> Reads:
    """Return a target for whole conversations about pages with random cells."""
    solver = make_solver("embedded")

    def read(data: bytes) -> None:
        draw = Drawing(data)
        width, height = draw.randrange(1, 5), draw.randrange(0, 6)
        grid = [[draw.choice(_CELLS) for _ in range(width)] for _ in range(height)]
        questions = tuple(text_or_words(b"\x01" + draw.rest[n : n + 12], QUESTIONS) or "?" for n in (0, 12))
        try:
            document = page(grid, ["net sales were $ 5 million in 2009 ."])
        except QuaestorError:
            return
        conversation = Conversation("c", document, questions)
        turns = asyncio.run(answer_conversation(conversation, solver, GraphProvider.of([document])))
        assert len(turns) == len(questions)
        for turn in turns:
            assert turn.error is None or "internal" not in str(turn.error), turn.error

    read(b"")  # weights are loaded once, outside the time of any input
    return read


TARGETS = (
    Target("pages", _requests(""), 4),
    Target("api", _requests(ADDRESS), 4),
    Target("assistants", _assistants, 4),
    Target("asked", _conversations, 3, QUESTIONS),
)
