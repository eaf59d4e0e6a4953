"""Random choices derived from the bytes of an input.

A fuzzer that changes the bytes changes the choices, so it also explores languages in which random bytes would never
form a sentence.
"""

import random
from collections.abc import Sequence
from typing import Any

from muddled import muddle

_MOST_WORDS = 60


class Drawing(random.Random):
    """A random number generator that returns the bytes of an input in order, and zeros after the last."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        super().__init__(0)

    def getrandbits(self, k: int) -> int:
        """Return the next bits."""
        size = (k + 7) // 8
        taken = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(taken, "little") & ((1 << k) - 1)

    def random(self) -> float:
        """Return the next byte divided by 256."""
        return self.getrandbits(8) / 256

    @property
    def rest(self) -> bytes:
        """The bytes that are not used yet."""
        return self._data[self._at :]


def text_of(data: bytes) -> str:
    """Decode an input as UTF-8; invalid bytes become lone surrogates, as in file names."""
    return data.decode("utf-8", "surrogateescape")


def text_or_words(data: bytes, words: Sequence[str]) -> str:
    """Decode an input as text or, if its first byte is odd, as one word of a language per byte."""
    if not data or data[0] % 2 == 0:
        return text_of(data[1:])
    return "".join(words[byte % len(words)] for byte in data[1 : _MOST_WORDS + 1])


def changed(sound: Sequence[Any], draw: Drawing) -> Any:
    """Return one of some JSON values with one to four changes."""
    return muddle(draw.choice(sound), draw, [])
