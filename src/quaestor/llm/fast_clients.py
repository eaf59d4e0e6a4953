"""What the vendors' libraries need not do again for every request.

They walk through the schemas of all tools each time: pydantic-ai to suit them to the server, OpenAI's client to look
for values that it would have to convert. That is as much work as all the rest of a request. Nothing of what is sent
differs.

A vendor's client makes each request anew: it copies options, merges headers, builds an address, and looks for what is
never given to it here (files, queries, middleware, attempts of its own). The first request of a kind is made by the
client; of those that follow the body is new, and all else is taken from that one. Nothing of what is sent differs, nor
of what comes back, nor in which error is raised.

A reply is built up by the clients value by value, whatever its types are. One that is what its type says is read by
pydantic at once, which comes to the same; any other is left to them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import anthropic
import httpx2
import openai
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, AsyncStream, NotGiven, Omit
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel, ValidationError
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_core import PydanticSerializationError, to_json

_MOST_ENTRIES = 64
_MOST_PATTERNS = 16
_NO_NUMBERS = (b"NaN", b"Infinity")
"""How numbers are written that JSON has not, which the clients refuse; a body that says so in words is theirs too."""
_RAW = "x-stainless-raw-response"
"""Header by which a client is asked for the response itself."""
_OPTIONS = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json", "timeout": "timeout"}
"""Arguments of the client that are not part of the body, and what its `post` calls them."""


class ParameterCache:
    """Request parameters as a model suits them, by the object that was given. Callers share theirs between requests."""

    def __init__(self) -> None:
        # The given object is stored with the result, so that its identity is not used again.
        self._entries: OrderedDict[int, tuple[ModelRequestParameters, ModelRequestParameters]] = OrderedDict()

    def get(
        self, given: ModelRequestParameters, suit: Callable[[ModelRequestParameters], ModelRequestParameters]
    ) -> ModelRequestParameters:
        """Return what `suit` makes, or made, of `given`."""
        found = self._entries.pop(id(given), None) or (given, suit(given))
        self._entries[id(given)] = found
        if len(self._entries) > _MOST_ENTRIES:
            self._entries.popitem(last=False)
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
    async def create(self, **arguments: Any) -> ChatCompletion | AsyncStream[ChatCompletionChunk]:  # type: ignore[override]  # its overloads list the arguments
        given = {name: value for name, value in arguments.items() if not isinstance(value, Omit | NotGiven)}
        client_options = {_OPTIONS[name]: given.pop(name) for name in _OPTIONS if name in given}
        options: Any = {name: value for name, value in client_options.items() if value is not None}
        return await self._client.post(
            "/chat/completions",
            body=given,
            options=options,
            cast_to=ChatCompletion,
            stream=bool(given.get("stream")),
            stream_cls=AsyncStream[ChatCompletionChunk],
        )


class RequestPatterns:
    """Requests as a client makes them, by what tells them apart besides the body."""

    def __init__(self, left_out: tuple[type, ...]) -> None:
        """Take the types that say in a body that nothing was given."""
        self._left_out = left_out
        self._kept: OrderedDict[Hashable, httpx2.Request] = OrderedDict()

    async def filled(self, client: Any, options: Any) -> httpx2.Request | None:
        """Return a request that is ready to be sent; None if the client has to make it itself.

        Args:
            options: What it was asked to send, a `FinalRequestOptions` of its library.
        """
        # A client finds out its platform off the event loop, with its first request.
        if client.max_retries or client._platform is None or (key := _key(options)) is None:
            return None
        if not isinstance(options.post_parser, self._left_out):
            return None
        given = {name: value for name, value in options.json_data.items() if not isinstance(value, self._left_out)}
        try:
            body = to_json(given | (options.extra_json or {}))
        except PydanticSerializationError:  # what it cannot write, the client knows how to, or whose error it is
            return None
        if any(word in body for word in _NO_NUMBERS):
            return None
        like = self._kept.pop(key, None) or await _pattern(client, options)
        self._kept[key] = like
        if len(self._kept) > _MOST_PATTERNS:
            self._kept.popitem(last=False)
        return httpx2.Request("POST", like.url, headers=like.headers, content=body, extensions=like.extensions)


def whole_reply(kind: Any, response: httpx2.Response) -> Any | None:
    """Return a reply as a value of a type; None if it does not fit exactly, which a client handles in its own way.

    Args:
        kind: The type that a client would make of it.
    """
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)) or _RAW in response.request.headers:
        return None
    if not response.headers.get("content-type", "").partition(";")[0].endswith("json"):
        return None
    try:
        return kind.model_validate_json(response.content)
    except ValidationError:
        return None


async def _pattern(client: Any, options: Any) -> httpx2.Request:
    ready = await client._prepare_options(options.model_copy(update={"json_data": {}, "extra_json": None}))
    request: httpx2.Request = client._build_request(ready)
    await client._prepare_request(request)
    del request.headers["content-length"]
    return request


def _key(options: Any) -> Hashable | None:
    """Return what tells requests apart that differ in more than the body; None for one of another kind."""
    usual = options.method == "post" and isinstance(options.json_data, dict)
    if not usual or options.params or not (options.files is options.content is options.follow_redirects is None):
        return None
    headers = tuple(options.headers.items()) if isinstance(options.headers, dict) else ()
    key = (options.url, headers, str(options.timeout))
    try:
        hash(key)
    except TypeError:
        return None
    return key
