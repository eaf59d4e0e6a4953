"""How much may be under way at once: what comes when there is no room is refused at once, and may come again."""

from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.errors import BusyError


class Room:
    """Room for so much at once. All calls are made from one event loop."""

    def __init__(self, most: int, refusal: str) -> None:
        """Takes how much there is room for, and what those are told who find none."""
        self._left, self._refusal = most, refusal

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Takes one place for as long as the block lasts.

        Raises:
            BusyError: All are taken.
        """
        if self._left <= 0:
            raise BusyError(self._refusal)
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
