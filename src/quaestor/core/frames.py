"""Messages between two processes over a stream, both ways, in order."""

import asyncio
import struct
from collections.abc import Callable

_HEAD = struct.Struct(">BQQ")
"""Before each message: its kind, what it is of, and its length in bytes."""


class Frames(asyncio.Protocol):
    """The messages of a connection. Those of one turn of the event loop go out together."""

    def __init__(self, hear: Callable[[int, int, bytes], None], lost: Callable[[], None]) -> None:
        """Take who hears of a message (its kind, its number, itself), and who of the end of the connection."""
        self._hear, self._lost = hear, lost
        self._came, self._going = bytearray(), list[bytes]()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what was to be sent before there was a connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._going:
            self._flush()

    def data_received(self, data: bytes) -> None:
        """Hand on what is whole."""
        self._came += data
        at, end = 0, len(self._came)
        while end - at >= _HEAD.size:
            kind, number, length = _HEAD.unpack_from(self._came, at)
            begin = at + _HEAD.size
            if end - begin < length:
                break
            at = begin + length
            self._hear(kind, number, bytes(self._came[begin:at]))
        del self._came[:at]

    def connection_lost(self, exc: Exception | None) -> None:
        """Call back."""
        self._transport = None
        self._lost()

    def send(self, kind: int, number: int, written: bytes = b"") -> None:
        """Send a message, soon; nothing if the connection has ended.

        Args:
            kind: Of which kind it is, 0 to 255.
        """
        if not self._going:
            asyncio.get_running_loop().call_soon(self._flush)
        self._going += (_HEAD.pack(kind, number, len(written)), written)

    def _flush(self) -> None:
        if self._transport is not None:
            self._transport.write(b"".join(self._going))
            self._going.clear()

    def close(self) -> None:
        """End the connection; what was not sent is not sent any more."""
        if self._transport is not None:
            self._transport.abort()
