"""A proxy that loses replies of a server after the server has handled the requests."""

import random
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class LosingProxy:
    """Listen on a free port and forward data to a server and back.

    Attributes:
        share: Probability that a reply is lost and its connection closed.
    """

    def __init__(self, address: str, seed: int) -> None:
        host, _, port = address.partition("://")[2].partition("/")[0].partition(":")
        self._server, self._listening = (host, int(port)), socket.create_server(("127.0.0.1", 0))
        self._lock, self._draw = threading.Lock(), random.Random(seed)
        self.share, self.lost = 0.0, 0

    @property
    def address(self) -> str:
        return f"mongodb://127.0.0.1:{self._listening.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # On Linux, closing a socket does not wake a thread that is waiting in accept().
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                theirs, _ = self._listening.accept()
            except OSError:
                return
            ours = socket.create_connection(self._server)
            for source, sink, replies in ((theirs, ours, False), (ours, theirs, True)):
                threading.Thread(target=self._pass, args=(source, sink, replies), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, replies: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                if replies and self._is_lost():
                    break
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _is_lost(self) -> bool:
        with self._lock:
            if self._draw.random() < self.share:
                self.lost += 1
                return True
        return False
