"""Many texts in little room: in one piece of memory, where a string takes as much again for itself.

Owns the packed form, and finding a text in it. Texts are added, never changed.
"""

from array import array
from collections.abc import Iterable, Sequence
from typing import overload

_FIRST_SLOTS = 64


class Texts(Sequence[str]):
    """Texts in the order in which they were added; where one stands is found quickly.

    >>> names = Texts(["a", "b", "a"])
    >>> len(names), names[1], names.find("a"), names.find("c"), names.distinct
    (3, 'b', 0, None, 2)
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes, self._ends = bytearray(), array("Q")
        # Places plus one, 0 where nothing is, each near the hash of its text; a third of the table is free.
        self._slots, self._distinct = array("I", bytes(4 * _FIRST_SLOTS)), 0
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Adds a text behind the others."""
        written = _written(text)
        self._put(written, self._slot(written))

    def place(self, text: str) -> int:
        """Returns the first place where a text stands; one that is not there is added."""
        written = _written(text)
        slot = self._slot(written)
        if not self._slots[slot]:
            self._put(written, slot)
            return len(self) - 1
        return self._slots[slot] - 1

    def find(self, text: str) -> int | None:
        """Returns the first place where a text stands; None where it was not added."""
        found = self._slots[self._slot(_written(text))]
        return found - 1 if found else None

    @property
    def distinct(self) -> int:
        """How many different texts there are."""
        return self._distinct

    def __len__(self) -> int:
        return len(self._ends)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.find(text) is not None

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        return self._at(range(len(self))[index]).decode("utf-8", "surrogatepass")

    def _at(self, place: int) -> bytes:
        return bytes(self._bytes[self._ends[place - 1] if place else 0 : self._ends[place]])

    def _put(self, written: bytes, slot: int) -> None:
        self._bytes += written
        self._ends.append(len(self._bytes))
        if self._slots[slot]:
            return
        self._slots[slot] = len(self._ends)
        self._distinct += 1
        if 3 * self._distinct > 2 * len(self._slots):
            known = [place for place in self._slots if place]
            self._slots = array("I", bytes(8 * len(self._slots)))
            for place in known:
                self._slots[self._slot(self._at(place - 1))] = place

    def _slot(self, written: bytes) -> int:
        """Returns where in the table a text is, or would be."""
        slots, last = self._slots, len(self._slots) - 1
        slot = hash(written) & last
        while (place := slots[slot]) and self._at(place - 1) != written:
            slot = (slot + 1) & last
        return slot


def _written(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
