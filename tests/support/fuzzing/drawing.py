"""Bytes as choices: what a fuzzer changes in an input changes what is drawn, so that it finds its way in languages of
which random bytes would never be a sentence."""

import random
from collections.abc import Sequence
from typing import Any

from muddled import muddle

_MOST_WORDS = 60


class Drawing(random.Random):
    """Random numbers that are the bytes of an input, one after another, and zeros after the last."""

    def __init__(self, data: bytes) -> None:
        """Take the input."""
        self._data, self._at = data, 0
        super().__init__(0)

    def getrandbits(self, k: int) -> int:
        """Return the next bits."""
        size = (k + 7) // 8
        taken = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(taken, "little") & ((1 << k) - 1)

    def random(self) -> float:
        """Return the next byte as a part of one."""
        return self.getrandbits(8) / 256

    @property
    def rest(self) -> bytes:
        """What is not drawn yet."""
        return self._data[self._at :]


def text_of(data: bytes) -> str:
    """An input as text of any kind: bytes that are no UTF-8 are half surrogate pairs, as in the names of files."""
    return data.decode("utf-8", "surrogateescape")


def text_or_words(data: bytes, words: Sequence[str]) -> str:
    """An input as text, or where its first byte is odd as words of a language, one for each of its bytes."""
    if not data or data[0] % 2 == 0:
        return text_of(data[1:])
    return "".join(words[byte % len(words)] for byte in data[1 : _MOST_WORDS + 1])


def changed(sound: Sequence[Any], draw: Drawing) -> Any:
    """One of some JSON values with one to four of its places changed."""
    return muddle(draw.choice(sound), draw, [])
