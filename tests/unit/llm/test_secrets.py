"""A canary key: after a run with all kinds of faults, it is only in the headers of requests."""

import asyncio
import io
import logging
import traceback
from dataclasses import replace
from pathlib import Path

import pytest
from model_bench import CANARY, Bench
from model_replies import broken, say, too_many
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from quaestor.errors import QuaestorError
from quaestor.llm.cassette import CassetteRecorder
from quaestor.llm.models import Connection
from quaestor.testing.models import Reply

HELLO = [ModelRequest.user_text_prompt("hello")]
TROUBLE = [
    say(f"your key is {CANARY}"),
    Reply(f"Incorrect API key provided: {CANARY}", status=401),
    Reply(f"{CANARY} may not", status=403),
    Reply(f"no model for {CANARY}", status=404),
    Reply(f"{CANARY} is too hot", status=400),
    broken(500),
    too_many("9999"),
    Reply(body=f"<html>{CANARY}</html>", kind="text/html"),
    say("cut off in the middle", cut=30),
]


def all_representations(connection: Connection) -> str:
    """Return the representations of all objects that a solver or a log can access."""
    model = connection.model
    return "\n".join(map(repr, [connection, model, connection.spec, connection.meter, vars(model)]))


def test_key_does_not_leak(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    bench.server.script = lambda request: TROUBLE[request.number]
    found = io.StringIO()

    async def run(recorder: CassetteRecorder) -> None:
        async with bench.connect(cassette=recorder, spec=replace(bench.spec, attempts=1)) as connection:
            for _ in TROUBLE:
                try:
                    response = await model_request(connection.model, HELLO)
                    print(response, file=found)
                except QuaestorError as error:
                    print(error, repr(error), error.args, vars(error), file=found)
                    print(*traceback.format_exception(error), file=found)
            print(all_representations(connection), file=found)

    with CassetteRecorder(tmp_path / "cassette") as recorder:
        asyncio.run(run(recorder))
    assert len(bench.server.requests) == len(bench.exchanges) == len(TROUBLE)
    assert all(CANARY in str(dict(request.headers)) for request in bench.server.requests), "the canary was never sent"
    printed = capfd.readouterr()
    places = {
        "transcript": repr(bench.exchanges),
        "cassette": (tmp_path / "cassette").read_text(encoding="utf-8"),
        "errors": found.getvalue(),
        "logs": caplog.text,
        "output": printed.out + printed.err,
    }
    assert [place for place, text in places.items() if CANARY in text] == []
    assert "authorization" not in places["transcript"].lower() + places["cassette"].lower()
