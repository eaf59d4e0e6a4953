"""A request to a model, made without what is the same for all of them, and its reply, read in one go.

A vendor's client makes each request anew: it copies options, merges headers, builds an address, and looks for what is
never given to it here (files, queries, middleware, attempts of its own). The first request of a kind is made by the
client; of those that follow the body is new, and all else is taken from that one. Nothing of what is sent differs, nor
of what comes back, nor in which error is raised.

A reply is built up by the clients value by value, whatever its types are. One that is what its type says is read by
pydantic at once, which comes to the same; any other is left to them.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

_MOST_KEPT = 16
_NO_NUMBERS = (b"NaN", b"Infinity")
"""How numbers are written that JSON has not, which the clients refuse; a body that says so in words is theirs too."""
_RAW = "x-stainless-raw-response"
"""Header by which a client is asked for the response itself."""


class RequestPatterns:
    """Requests as a client makes them, by what tells them apart besides the body."""

    def __init__(self, left_out: tuple[type, ...]) -> None:
        """Take the types that say in a body that nothing was given."""
        self._left_out = left_out
        self._kept: OrderedDict[Hashable, httpx2.Request] = OrderedDict()

    async def filled(self, client: Any, options: Any) -> httpx2.Request | None:
        """Return a request that is ready to be sent; None if the client has to make it itself.

        Args:
            client: OpenAI's or Anthropic's.
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
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return httpx2.Request("POST", like.url, headers=like.headers, content=body, extensions=like.extensions)


def whole_reply(kind: Any, response: httpx2.Response) -> Any | None:
    """Return a reply as a value of a type; None of one that is none to the letter, which a client has its way with.

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
