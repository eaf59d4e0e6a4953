r"""The model passed to solvers: it keeps to the budget, retries, and raises quaestor's errors.

It wraps a model of pydantic-ai. A model may write an unpaired surrogate (`\ud800` in its JSON), which no request can
contain, and its messages are sent back to it: each becomes a question mark, as in the store.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from quaestor.llm.budget import Meter
from quaestor.llm.failures import explain
from quaestor.llm.models import RetryPolicy
from quaestor.llm.naming import ModelSpec

T = TypeVar("T")

_FIELDS = ("content", "args", "tool_name")
"""Fields of message parts that may contain a model's text."""

Part = TypeVar("Part")

Sleep = Callable[[float], Awaitable[None]]

# Errors of pydantic-ai and the clients on JSON replies that violate the protocol, which they do not validate.
_STUMBLES = (AttributeError, TypeError, KeyError, IndexError, ValueError, AssertionError, RecursionError)


class RetryingModel(WrapperModel):
    """Model wrapper that counts requests, retries them, and raises quaestor's errors.

    Raises (from every request):
        BudgetExceededError: A limit of the run is reached.
        ModelAccessError: The key, the model or the server is missing.
        OutageError: The server did not answer any attempt.
        ModelReplyError: The reply cannot be used.
        CassetteError: The request was not recorded.
    """

    def __init__(
        self, wrapped: Model, spec: ModelSpec, meter: Meter, *, retries: RetryPolicy, sleep: Sleep = asyncio.sleep
    ) -> None:
        super().__init__(wrapped)
        self._spec = spec
        self._meter = meter
        self._retries = retries
        self._sleep = sleep

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the complete reply."""
        messages = replace_surrogates(messages)

        async def attempt() -> ModelResponse:
            if not self._spec.stream:
                return await self.wrapped.request(messages, model_settings, model_request_parameters)
            async with self.wrapped.request_stream(messages, model_settings, model_request_parameters) as stream:
                async for _ in stream:
                    pass
                return stream.get()

        return await self._persist(attempt)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Stream the reply; the request is retried only before the reply begins."""
        messages = replace_surrogates(messages)
        async with AsyncExitStack() as stack:

            async def attempt() -> StreamedResponse:
                return await stack.enter_async_context(
                    self.wrapped.request_stream(messages, model_settings, model_request_parameters, run_context)
                )

            stream = await self._persist(attempt)
            try:
                yield stream
            except ModelAPIError as failure:
                raise explain(failure, self._spec).error from failure

    async def _persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        number, waited = 0, 0.0
        while True:
            number += 1
            # If a server asks one conversation to wait, all that use the same model wait.
            if others := self._meter.waiting(self._spec.name, waited):
                await self._sleep(self._retries.spread(others))
            await self._meter.allow(self._spec.name)
            try:
                async with asyncio.timeout(self._spec.timeout):
                    return await attempt()
            except (TimeoutError, ModelAPIError, UnexpectedModelBehavior, *_STUMBLES) as failure:
                found = explain(failure, self._spec)
                pause = self._retries.pause(number, found.retry_after) if found.transient else None
                if pause is None:
                    raise found.error from failure
                if found.retry_after is not None:
                    waited = self._meter.hold(self._spec.name, pause)
            await self._sleep(pause)


def replace_surrogates(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Replace unpaired surrogates in messages by question marks; other messages are returned unchanged."""
    return [_message(message) for message in messages]


def _message(message: ModelMessage) -> ModelMessage:
    if not any(map(_mended, message.parts)):
        return message
    if isinstance(message, ModelRequest):
        return replace(message, parts=[_part(part) for part in message.parts])
    return replace(message, parts=[_part(part) for part in message.parts])


def _part(part: Part) -> Part:
    mended = copy(part)
    for name, text in _mended(part).items():
        setattr(mended, name, text)
    return mended


def _mended(part: object) -> dict[str, str]:
    """Return the fields of a part that cannot be sent, with unpaired surrogates replaced."""
    found = {}
    for name in _FIELDS:
        value = getattr(part, name, None)
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
        if (
            isinstance(text, str)
            and not text.isascii()
            and (sent := text.encode("utf-8", "replace").decode("utf-8")) != text
        ):
            found[name] = sent
    return found
