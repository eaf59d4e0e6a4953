"""What the vendors' libraries need not do again for every request.

They walk through the schemas of all tools each time: pydantic-ai to suit them to the server, OpenAI's client to look
for values that it would have to convert. That is as much work as all the rest of a request. And they make every
request anew (`lean_posting.py`). Nothing of what is sent differs.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any

import anthropic
import httpx2
import openai
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, AsyncStream, NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel

from quaestor.llm.lean_posting import RequestPatterns, whole_reply

_MOST_KEPT = 64
_OPTIONS = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json", "timeout": "timeout"}
"""Arguments of the client that are not part of the body, and what its `post` calls them."""


class ParameterCache:
    """Request parameters as a model suits them, by the object that was given. Callers share theirs between requests."""

    def __init__(self) -> None:
        # The given object is beside the result, so that its identity is not given away again.
        self._kept: OrderedDict[int, tuple[ModelRequestParameters, ModelRequestParameters]] = OrderedDict()

    def get(
        self, given: ModelRequestParameters, suit: Callable[[ModelRequestParameters], ModelRequestParameters]
    ) -> ModelRequestParameters:
        """Return what `suit` makes, or made, of `given`."""
        found = self._kept.pop(id(given), None) or (given, suit(given))
        self._kept[id(given)] = found
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return found[1]


class OpenAIModel(OpenAIChatModel):
    """pydantic-ai's model, which suits the same parameters once."""

    _suited = cached_property(lambda self: ParameterCache())

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return the parameters as the server takes them."""
        return self._suited.get(model_request_parameters, super().customize_request_parameters)


class MessagesModel(AnthropicModel):
    """pydantic-ai's model, which suits the same parameters once."""

    _suited = cached_property(lambda self: ParameterCache())

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return the parameters as the server takes them."""
        return self._suited.get(model_request_parameters, super().customize_request_parameters)


class AnthropicClient(AsyncAnthropic):
    """Anthropic's client, which makes requests that differ in their bodies alone but once."""

    _patterns = cached_property(lambda self: RequestPatterns((anthropic.NotGiven, anthropic.Omit)))

    @cached_property
    def default_headers(self) -> dict[str, str | anthropic.Omit]:
        """Headers of every request; pydantic-ai looks at them with each."""
        return super().default_headers

    async def request(self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        """Return what a server answers, as a value of the type `cast_to`, or as a stream."""
        request = None if stream else await self._patterns.filled(self, options)
        if request is None:
            return await super().request(cast_to, options, stream=stream, stream_cls=stream_cls)
        try:
            response = await self._client.send(request)
        except httpx2.TimeoutException as error:
            raise anthropic.APITimeoutError(request=request) from error
        except Exception as error:
            raise anthropic.APIConnectionError(request=request) from error
        if not response.is_success:
            raise self._make_status_error_from_response(response)
        if (reply := whole_reply(cast_to, response)) is not None:
            return reply
        return await self._process_response(
            cast_to=cast_to, options=options, response=response, stream=False, stream_cls=None
        )


class OpenAIClient(AsyncOpenAI):
    """OpenAI's client, which posts the body of a chat completion as it is given: JSON already."""

    _patterns = cached_property(lambda self: RequestPatterns((NotGiven, Omit)))

    async def request(self, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        """Return what a server answers, as a value of the type `cast_to`, or as a stream."""
        request = None if stream else await self._patterns.filled(self, options)
        if request is None:
            return await super().request(cast_to, options, stream=stream, stream_cls=stream_cls)
        try:
            response = await self._client.send(request)
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=request) from error
        except httpx2.RequestError as error:
            raise openai.APIConnectionError(request=request) from error
        if not response.is_success:
            raise self._make_status_error_from_response(response)
        if (reply := whole_reply(cast_to, response)) is not None:
            return reply
        return await self._process_response(
            cast_to=cast_to, options=options, response=response, stream=False, stream_cls=None
        )

    @cached_property
    def chat(self) -> AsyncChat:
        """Chat completions."""
        return _Chat(self)


class _Chat(AsyncChat):
    @cached_property
    def completions(self) -> AsyncCompletions:
        return _Completions(self._client)


class _Completions(AsyncCompletions):
    async def create(self, **said: Any) -> ChatCompletion | AsyncStream[ChatCompletionChunk]:  # type: ignore[override]  # its overloads say which arguments there are
        given = {name: value for name, value in said.items() if not isinstance(value, Omit | NotGiven)}
        beside = {_OPTIONS[name]: given.pop(name) for name in _OPTIONS if name in given}
        options: Any = {name: value for name, value in beside.items() if value is not None}
        return await self._client.post(
            "/chat/completions",
            body=given,
            options=options,
            cast_to=ChatCompletion,
            stream=bool(given.get("stream")),
            stream_cls=AsyncStream[ChatCompletionChunk],
        )
