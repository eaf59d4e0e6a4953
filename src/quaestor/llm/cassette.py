"""Recording of a run's HTTP exchanges, and replay without a network.

A cassette is a text file of consecutive indented JSON values (`jq` can read it): a header, then one value for each
exchange. Bodies are stored as JSON if that is lossless, else as lines of text. Of the HTTP headers only those that
control the client are stored; hosts and keys are not.

Replay matches requests by path and JSON body; among equal ones it prefers those of the same conversation and turn, in
the order of the requests, so that parallel conversations replay the same at any speed. Random identifiers of the client
are matched by their order. A missing request is an error, never a live call.
"""

import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TextIO

import httpx2
from pydantic import JsonValue, TypeAdapter, ValidationError

from quaestor.core import serial
from quaestor.core.private_files import open_private
from quaestor.errors import CassetteError
from quaestor.llm.transcript import Exchange, Sink, TurnKey, current_place

_KIND = "quaestor cassette"
_VERSION = 1
_DRAWN = re.compile(r"pyd_ai_[0-9a-f]{32}")
_STYLES: tuple[tuple[tuple[str, str], bool], ...] = (
    ((",", ":"), False),
    ((", ", ": "), True),
    ((", ", ": "), False),
    ((",", ":"), True),
)
_MOST_DIFFERENCES = 3

_FAULTS: dict[str, type[httpx2.TransportError]] = {
    fault.__name__: fault
    for fault in (
        httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ReadError, httpx2.ReadTimeout, httpx2.WriteError,
        httpx2.WriteTimeout, httpx2.PoolTimeout, httpx2.RemoteProtocolError, httpx2.LocalProtocolError,
    )
}  # fmt: skip
_SHOWN = 60
"""Limit in characters for a value in a list of differences."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded exchange."""

    place: TurnKey
    number: int
    phase: str
    method: str
    path: str
    request: JsonValue
    status: int | None
    headers: dict[str, str]
    response: JsonValue
    error: str | None = None


_ENTRY = TypeAdapter(Entry)


def pack(text: str) -> dict[str, JsonValue]:
    """Convert a body to a readable form, from which `unpack` restores the exact text."""
    try:
        value: JsonValue = json.loads(text)
        style = next(style for style in range(len(_STYLES)) if _encode(value, style) == text)
    except (ValueError, StopIteration):
        return {"lines": list(text.splitlines(keepends=True))}
    return {"json": value, "style": style}


def unpack(packed: JsonValue) -> str:
    """Return the text that was passed to `pack`."""
    match packed:
        case {"json": value, "style": int(style)} if 0 <= style < len(_STYLES):
            return _encode(value, style)
        case {"lines": [*lines]} if all(isinstance(line, str) for line in lines):
            return "".join(str(line) for line in lines)
    raise ValueError("a body that is neither `json` nor `lines`")


def _encode(value: JsonValue, style: int) -> str:
    separators, ascii_only = _STYLES[style]
    return json.dumps(value, separators=separators, ensure_ascii=ascii_only)


class CassetteRecorder:
    """Sink that writes every exchange to a file as it ends, so that a killed run leaves a cassette too.

    It is also a context manager that closes the file.
    """

    live = True

    def __init__(self, path: Path, *, go_on: bool = False, replace: bool = False) -> None:
        """Open the file.

        Args:
            go_on: Whether to append to an existing cassette, for a resumed run.
            replace: Whether the first reply replaces an existing file, which stays if no reply arrives.
        """
        self._replaced: Path | None = None
        if go_on and path.exists():
            _read(path)
        elif replace and path.exists():
            self._replaced = path
            path = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CassetteError(f"cannot create the folder {path.parent}: {error.strerror}") from error
        try:
            mode: Literal["a", "x"] = "a" if go_on else "x"
            self._file: TextIO = open(  # noqa: SIM115  # closed by __exit__
                path, mode, encoding="utf-8", newline="\n", opener=open_private
            )
        except FileExistsError as error:
            raise CassetteError(f"{path} already exists; delete it or record to another file") from error
        except OSError as error:
            raise CassetteError(f"cannot write the cassette {path}: {error.strerror}") from error
        if self._file.tell() == 0:
            self._write({"kind": _KIND, "version": _VERSION})

    def __enter__(self) -> "CassetteRecorder":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if self._replaced is not None:
            self._path.unlink(missing_ok=True)

    @property
    def sinks(self) -> Sequence[Sink]:
        """The recorder itself."""
        return (self,)

    def transport(self, network: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
        """Return the network unchanged."""
        return network

    def append(self, exchange: Exchange, /) -> None:
        """Write one exchange."""
        entry = Entry(
            place=exchange.place,
            number=exchange.number,
            phase=exchange.phase,
            method=exchange.method,
            path=exchange.path,
            request=pack(exchange.request),
            status=exchange.status,
            headers=dict(exchange.headers),
            response=None if exchange.response is None else pack(exchange.response),
            error=exchange.error,
        )
        self._write(_ENTRY.dump_python(entry, mode="json"))
        if self._replaced is not None and exchange.status is not None:
            self._take_place(self._replaced)

    def _take_place(self, target: Path) -> None:
        self._file.close()
        try:
            os.replace(self._path, target)
            self._file = target.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise CassetteError(f"cannot write the cassette {target}: {error.strerror}") from error
        self._path, self._replaced = target, None

    def _write(self, value: JsonValue) -> None:
        self._file.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        self._file.flush()


class CassettePlayer(httpx2.AsyncBaseTransport):
    """Transport that replays a cassette. No request leaves this machine."""

    live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries = _read(path)
        self._keys = [_key(entry.method, entry.path, unpack(entry.request)) for entry in self._entries]
        self._waiting: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            self._waiting.setdefault(key, []).append(number)

    @property
    def sinks(self) -> Sequence[Sink]:
        """Empty, because nothing is recorded."""
        return ()

    def transport(self, network: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
        """Return the player instead of the network."""
        return self

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the recorded reply."""
        body = (await request.aread()).decode("utf-8", "replace")
        entry = self._take(request.method, request.url.path, body)
        if entry.status is None:
            raise _fault(entry.error, request)
        text = unpack(entry.response).encode()
        return httpx2.Response(entry.status, headers=entry.headers, stream=_ReplayedBody(text, entry.error, request))

    def _take(self, method: str, path: str, body: str) -> Entry:
        key, place = _key(method, path, body), current_place()
        waiting = self._waiting.get(key, [])
        if not waiting:
            raise CassetteError(self._missing(key, method, path, body, place))
        # A replay is a separate run with another id.
        own = [number for number in waiting if replace(self._entries[number].place, run=place.run) == place]
        # The file is in the order in which exchanges ended, in which a broken stream comes late.
        chosen = min(own, key=lambda number: self._entries[number].number) if own else waiting[0]
        waiting.remove(chosen)
        return self._entries[chosen]

    def _missing(self, key: str, method: str, path: str, body: str, place: TurnKey) -> str:
        missing = f"{self._path} does not contain this request ({_title(place)})"
        times = self._keys.count(key)
        if times:
            return f"{missing} again; all {times} recordings of it have been played"
        if not self._entries:
            return f"{missing}; it is empty"
        wanted = _content(body)
        number = max(
            range(len(self._entries)),
            key=lambda at: (
                similarity(_content(unpack(self._entries[at].request)), wanted),
                self._entries[at].place == place,
            ),
        )
        nearest = self._entries[number]
        if (nearest.method, nearest.path) != (method, path):
            found = [f"path: recorded {nearest.method} {nearest.path}, requested {method} {path}"]
        else:
            found = list(differences(_content(unpack(nearest.request)), wanted))
        more = f" and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
        shown = "; ".join(found[:_MOST_DIFFERENCES])
        return (
            f"{missing}; the nearest is number {number + 1} ({_title(nearest.place)}), which differs in {shown}{more}"
        )


class _ReplayedBody(httpx2.AsyncByteStream):
    """A recorded body, with its recorded error at the end."""

    def __init__(self, text: bytes, error: str | None, request: httpx2.Request) -> None:
        self._text = text
        self._error = error
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # A connection yields its bytes once; clients check again whether any are left.
        text, self._text = self._text, b""
        if text:
            yield text
        error, self._error = self._error, None
        if error is not None:
            raise _fault(error, self._request)


def _fault(error: str | None, request: httpx2.Request) -> httpx2.TransportError:
    """Return the recorded error; an attempt that was cancelled because of its time limit becomes a time-out."""
    name, _, message = (error or "").partition(": ")
    return _FAULTS.get(name, httpx2.ReadTimeout)(message or name, request=request)


def _key(method: str, path: str, body: str) -> str:
    content = _content(body)
    return f"{method} {path} {json.dumps(content, sort_keys=True)}"


def _content(body: str) -> JsonValue:
    """Return the content of a body for comparison: random identifiers are numbered, the order of keys is ignored."""
    order: dict[str, str] = {}
    numbered = _DRAWN.sub(lambda found: order.setdefault(found[0], f"drawn {len(order) + 1}"), body)
    try:
        value: JsonValue = json.loads(numbered)
    except ValueError:
        return numbered
    return value


def _title(place: TurnKey) -> str:
    return f"{place.conversation}, turn {place.turn + 1}" if place.conversation else "outside any turn"


def _read(path: Path) -> list[Entry]:
    try:
        values = list(_values(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise CassetteError(f"cassette {path} does not exist; record it first") from error
    except OSError as error:
        raise CassetteError(f"cannot read the cassette {path}: {error.strerror}") from error
    except ValueError as error:
        raise CassetteError(f"{path} is damaged: {error}") from error
    match values[:1]:
        case [{"kind": kind, "version": version}] if kind == _KIND:
            if version != _VERSION:
                raise CassetteError(f"{path} has cassette version {version}, but this quaestor reads {_VERSION}")
        case _:
            raise CassetteError(f"{path} is not a cassette")
    entries = []
    for number, value in enumerate(values[1:], start=1):
        try:
            entry = _ENTRY.validate_python(value)
            for body in (entry.request, *([] if entry.status is None else [entry.response])):
                unpack(body)
        except ValueError as error:
            why = serial.first_fault(error) if isinstance(error, ValidationError) else str(error)
            raise CassetteError(f"{path}, exchange {number}, is damaged: {why}") from error
        entries.append(entry)
    return entries


def _values(text: str) -> Iterator[JsonValue]:
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        value, place = decoder.raw_decode(text, place)
        yield value


def differences(recorded: JsonValue, request: JsonValue) -> Iterator[str]:
    """Yield one line for each difference of two values, such as `m[2].content: recorded 1, requested 2`."""
    left, right = dict(_leaves(recorded)), dict(_leaves(request))
    for path in [*right, *(path for path in left if path not in right)]:
        if path not in left:
            yield f"{path}: recorded nothing, requested {_shown(right[path])}"
        elif path not in right:
            yield f"{path}: recorded {_shown(left[path])}, requested nothing"
        elif left[path] != right[path]:
            start = _first_difference(left[path], right[path])
            yield f"{path}: recorded {_shown(left[path], start)}, requested {_shown(right[path], start)}"


def similarity(recorded: JsonValue, request: JsonValue) -> float:
    """Return the similarity of two values from 0 to 1, by the length of their common leaves."""
    left, right = dict(_leaves(recorded)), dict(_leaves(request))
    shared = sum(_first_difference(value, right[path]) for path, value in left.items() if path in right)
    return 2 * shared / max(1, sum(map(len, left.values())) + sum(map(len, right.values())))


def _leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from _leaves(item, f"{path}[{place}]")
    else:
        yield path or "body", json.dumps(value, ensure_ascii=False)


def _first_difference(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))


def _shown(text: str, start: int = 0) -> str:
    begin = max(0, start - _SHOWN // 3) if len(text) > _SHOWN else 0
    piece = text[begin : begin + _SHOWN]
    return f"{'...' if begin else ''}{piece}{'...' if begin + _SHOWN < len(text) else ''}"
