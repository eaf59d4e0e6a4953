"""HTTP transport that records the requests of a connection to a model.

Requests and replies are passed on and recorded as `Exchange`; compressed replies are decompressed. Headers are not
recorded, except those in `RECORDED_HEADERS`; keys repeated by a server are blanked.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from functools import partial

import httpx2

from quaestor.errors import ModelReplyError
from quaestor.llm.transcript import Exchange, Sink, next_tag
from quaestor.llm.usage import read_usage

BLANKED = "[key]"

_SHORTEST = 8  # a shorter key is a placeholder such as "none"; blanking it would corrupt the text

RECORDED_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of a reply that affect the client; no others are recorded."""


LONGEST_REPLY = 32 << 20
"""Limit in bytes for a decompressed reply: more than the longest of models, streamed with one token per event."""


class Redactor:
    """Removes keys from a body that arrives in pieces, even if a key is split between them."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [secret.encode() for secret in secrets if len(secret) >= _SHORTEST]
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """Return the text that is safe to read so far; a possible beginning of a secret is kept for the next piece."""
        text = self._held + piece
        for secret in self._secrets:
            text = text.replace(secret, BLANKED.encode())
        overlap = max((_overlap(text, secret) for secret in self._secrets), default=0)
        cut = len(text) - overlap
        self._held = text[cut:]
        return text[:cut]

    def flush(self) -> bytes:
        """Return the remaining text."""
        rest, self._held = self._held, b""
        return rest


def redact(text: str, secrets: Sequence[str]) -> str:
    """Return a text with secrets blanked."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, BLANKED)
    return text


def _overlap(text: bytes, secret: bytes) -> int:
    """Return how many bytes at the end of a text are the beginning of a secret."""
    longest = min(len(text), len(secret) - 1)
    return next((size for size in range(longest, 0, -1) if secret.startswith(text[-size:])), 0)


class WatchingTransport(httpx2.AsyncBaseTransport):
    """Transport that passes every finished exchange to its sinks. Replies are streamed through as they arrive."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, sinks: Sequence[Sink], *, model: str, secrets: Sequence[str] = ()
    ) -> None:
        self._inner = inner
        self._sinks = tuple(sinks)
        self._model = model
        self._secrets = tuple(secrets)
        self._untagged = itertools.count()
        self._watches: set[_Watch] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the inner transport's response, recorded."""
        body = await request.aread()
        place, number, phase = next_tag(self._untagged)
        text = self.clean(body.decode("utf-8", "replace"))
        ended = partial(
            Exchange,
            place=place,
            number=number,
            phase=phase,
            model=self._model,
            method=request.method,
            path=request.url.path,
            request=text,
            started=_now(),
        )
        watch = _Watch(self, text, ended)
        self._watches.add(watch)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as failure:  # a cancelled request was sent too
            watch.end(failure)
            raise
        watch.answered(response)
        headers = response.headers.copy()
        if headers.pop("content-encoding", None) is not None:
            headers.pop("content-length", None)
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=_WatchedStream(response, watch, Redactor(self._secrets)),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the inner transport, and end exchanges whose readers did not finish."""
        for watch in tuple(self._watches):
            watch.end()
        await self._inner.aclose()

    def keep(self, watch: "_Watch", exchange: Exchange) -> None:
        """Pass a finished exchange to the sinks."""
        self._watches.discard(watch)
        for sink in self._sinks:
            sink.append(exchange)

    def clean(self, text: str) -> str:
        """Return a text with keys blanked."""
        return redact(text, self._secrets)


class _Watch:
    """An exchange in progress."""

    def __init__(self, transport: WatchingTransport, request: str, ended: Callable[..., Exchange]) -> None:
        """Start recording; `ended` creates the exchange from the data known at its end."""
        self._transport = transport
        self._request, self._make = request, ended
        self._status: int | None = None
        self._headers: dict[str, str] = {}
        self._ended = False
        self.received = bytearray()

    def answered(self, response: httpx2.Response) -> None:
        self._headers = {name: response.headers[name] for name in RECORDED_HEADERS if name in response.headers}
        self._status = response.status_code

    def end(self, failure: BaseException | None = None) -> None:
        if self._ended:
            return
        self._ended = True
        text = None if self._status is None else self.received.decode("utf-8", "replace")
        error = None if failure is None else f"{type(failure).__name__}: {failure}".removesuffix(": ")
        exchange = self._make(
            status=self._status,
            headers=self._headers,
            response=None if text is None else self._transport.clean(text),
            finished=_now(),
            usage=read_usage(text or "", self._request, answered=self._status == 200),
            error=None if error is None else self._transport.clean(error),
        )
        self._transport.keep(self, exchange)


class _WatchedStream(httpx2.AsyncByteStream):
    """Body that is recorded while it is read. Keys are blanked for the reader too, who might quote them."""

    def __init__(self, response: httpx2.Response, watch: _Watch, blanking: Redactor) -> None:
        self._response = response
        self._pieces = response.aiter_bytes()  # clients look a second time whether any are left
        self._watch = watch
        self._blanking = blanking

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for received in self._pieces:
                chunk = self._blanking.feed(received)
                self._watch.received += chunk
                if len(self._watch.received) > LONGEST_REPLY:
                    raise ModelReplyError(f"the reply of the server is larger than {LONGEST_REPLY >> 20} MB")
                yield chunk
            rest = self._blanking.flush()
            self._watch.received += rest
            yield rest
        except GeneratorExit:  # the reader stopped, as at the end mark of a stream
            self._watch.end()
            raise
        except BaseException as failure:  # also if the reader was cancelled: the part received is recorded
            self._watch.end(failure)
            raise
        self._watch.end()

    async def aclose(self) -> None:
        try:
            await self._response.aclose()
        finally:
            self._watch.end()


def _now() -> datetime:
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
