r"""The model passed to solvers: it keeps to the budget, retries, and raises quaestor's errors.

It wraps a model of pydantic-ai. Messages of errors contain no keys: a server's text is quoted only after the transport
has blanked them. A model may write an unpaired surrogate (`\ud800` in its JSON), which no request can contain, and its
messages are sent back to it: each becomes a question mark, as in the store.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from quaestor.errors import ModelAccessError, ModelReplyError, OutageError, QuaestorError, SolverError
from quaestor.llm.budget import Meter
from quaestor.llm.models import RetryPolicy
from quaestor.llm.naming import ModelSpec
from quaestor.llm.structured.replies import shorten_line

T = TypeVar("T")

_FIELDS = ("content", "args", "tool_name")
"""Fields of message parts that may contain a model's text."""

Part = TypeVar("Part")

_TRANSIENT = (408, 409, 425, 429)
_LONGEST = 200

Sleep = Callable[[float], Awaitable[None]]

# Errors of pydantic-ai and the clients on JSON replies that violate the protocol, which they do not validate.
_STUMBLES = (AttributeError, TypeError, KeyError, IndexError, ValueError, AssertionError, RecursionError)


class RetryingModel(WrapperModel):
    """Model wrapper that counts requests, retries them, and raises quaestor's errors."""

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


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt."""

    error: QuaestorError
    transient: bool
    retry_after: float | None = None


def explain(failure: BaseException, spec: ModelSpec) -> Failure:
    """Classify a failed attempt."""
    for cause in _causes(failure):
        if isinstance(cause, QuaestorError):  # raised below the client and wrapped by it
            return Failure(cause, transient=False)
    if isinstance(failure, ModelHTTPError):
        return _explain_refusal(failure, spec)
    if isinstance(failure, TimeoutError | ModelTimeoutError):
        error = OutageError(f"{spec.name} did not answer within {spec.timeout:g} seconds; increase its `timeout`")
        return Failure(error, transient=True)
    if isinstance(failure, ModelConnectionError):
        return Failure(_explain_lost_connection(failure, spec), transient=True)
    reason = _short(failure)
    if isinstance(failure, ModelAPIError | UnexpectedModelBehavior):
        return Failure(ModelReplyError(f"invalid reply from {spec.name}: {reason}"), transient=True)
    named = f"{type(failure).__name__}: {reason}"
    return Failure(ModelReplyError(f"the reply of {spec.name} violates its protocol ({named})"), transient=True)


def _explain_refusal(failure: ModelHTTPError, spec: ModelSpec) -> Failure:
    status, reason = failure.status_code, _read_reason(failure)
    if isinstance(failure, ModelQuotaExceededError):
        return Failure(ModelAccessError(f"the account for {spec.name} has no credit: {reason}"), transient=False)
    if status == 401 or isinstance(failure, ModelAuthenticationError):
        where = f"correct the key in {spec.key_variable}" if spec.key_variable else "set `api_key_env` for it"
        return Failure(ModelAccessError(f"{spec.name} rejected the API key ({reason}); {where}"), transient=False)
    if status == 404 or isinstance(failure, ModelNotFoundError):
        near = f"; did you mean {failure.suggested_model_id!r}?" if failure.suggested_model_id else ""
        error = ModelAccessError(f"unknown model {spec.model!r} at {spec.address}{near} ({reason})")
        return Failure(error, transient=False)
    if status in _TRANSIENT or status >= 500:
        hint = failure.provider_retry_hint
        wait = "" if failure.retry_after is None else f", retry after {failure.retry_after:.0f} seconds"
        outage = OutageError(f"{spec.name} is unavailable (status {status}{wait}): {reason}")
        return Failure(outage, transient=hint is not False, retry_after=failure.retry_after)
    reply: SolverError = ModelReplyError(f"{spec.name} rejected the request (status {status}): {reason}")
    return Failure(reply, transient=False)


def _explain_lost_connection(failure: BaseException, spec: ModelSpec) -> OutageError:
    import httpx2

    reasons = [cause for cause in _causes(failure) if isinstance(cause, httpx2.TransportError)]
    reason = str(reasons[-1]) if reasons else _short(failure)
    if any(isinstance(cause, httpx2.ConnectError | httpx2.UnsupportedProtocol) for cause in reasons):
        what = "start the server or correct the base URL" if spec.base_url else "check the network connection"
        return ModelAccessError(f"cannot connect to {spec.address} for {spec.name} ({reason}); {what}")
    return OutageError(f"the connection to {spec.name} was lost: {reason}")


def _causes(failure: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = failure
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _read_reason(failure: ModelHTTPError) -> str:
    """Return the server's reason from the body of an error, without the client's additions."""
    body = failure.body
    for key in ("error", "message"):
        if isinstance(body, dict) and key in body:
            body = body[key]
    if isinstance(body, dict):
        body = body.get("message", body)
    return shorten_line(str(body), _LONGEST) if body else "no reason given"


def _short(failure: BaseException) -> str:
    return shorten_line(str(failure) or type(failure).__name__, _LONGEST)
