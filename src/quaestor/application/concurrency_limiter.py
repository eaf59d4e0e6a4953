"""How much may be under way at once: what comes when there is no room is refused at once, and may come again."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from quaestor.errors import BusyError


class ConcurrencyLimiter:
    """Room for so much at once. All calls are made from one event loop."""

    def __init__(self, most: int, refusal: str, most_of_one: int | None = None) -> None:
        """Take how much there is room for, what those are told who find none, and how much one client may have."""
        self._most, self._refusal, self._most_of_one = most, refusal, most_of_one or most
        self._taken: Counter[str] = Counter()

    @contextmanager
    def entered(self, client: str = "") -> Iterator[None]:
        """Take one place for a client as long as the block lasts.

        Raises:
            BusyError: All are taken, or all that one client may have.
        """
        if self._taken.total() >= self._most or self._taken[client] >= self._most_of_one:
            raise BusyError(self._refusal)
        self._taken[client] += 1
        try:
            yield
        finally:
            self._taken[client] -= 1
            if not self._taken[client]:
                del self._taken[client]
