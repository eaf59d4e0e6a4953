"""A scripted model server and the requests made to it."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from model_server import ModelServer, replies

from quaestor.llm.models import Connection, connect
from quaestor.llm.naming import ModelSpec, find_model
from quaestor.llm.transcript import Exchange
from quaestor.testing.models import Protocol, Reply

CANARY = "sk-canary-7f3a9b2c51d84e60"


class Bench:
    """A server, a spec for it, the exchanges with it, and the pauses that were requested and not slept."""

    def __init__(self, server: ModelServer, protocol: Protocol, stream: bool) -> None:
        url = f"{server.url}/v1" if protocol == "openai" else server.url
        named = find_model(f"{protocol}:scripted@{url}")
        profile = replace(named.profile, json_schema=True)
        self.server = server
        self.spec: ModelSpec = replace(named, stream=stream, profile=profile)
        self.exchanges: list[Exchange] = []
        self.pauses: list[float] = []

    def says(self, *scripted: Reply) -> None:
        self.server.script = replies(scripted)

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def connect(
        self, environment: Mapping[str, str] | None = None, **more: Any
    ) -> AbstractAsyncContextManager[Connection]:
        spec = more.pop("spec", self.spec)
        sinks = [self.exchanges, *more.pop("sinks", [])]
        keys = {"QUAESTOR_API_KEY": CANARY} if environment is None else environment
        return connect(spec, sinks=sinks, sleep=self._sleep, environment=keys, **more)
