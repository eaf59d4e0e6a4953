"""When a failed request is worth another attempt, and how long to wait before it."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently.

    Attributes:
        attempts: At most so many requests for one reply.
        first: Seconds before the second attempt; each further pause may be twice as long.
        longest: Seconds that a pause of ours lasts at most.
        patience: Seconds that a server may ask us to wait (`retry-after`); more is an outage.
        draw: A number from 0 to 1, so that parallel conversations do not come back all at once.
    """

    attempts: int = 6
    first: float = 0.5
    longest: float = 30.0
    patience: float = 120.0
    draw: Callable[[], float] = field(default=random.random)

    def pause(self, attempt: int, asked: float | None = None) -> float | None:
        """Return the seconds to wait after attempt 1, 2, ...; None if no further one is worth it.

        Args:
            attempt: The attempt that failed, from 1.
            asked: What the server asks for, in seconds.
        """
        if attempt >= self.attempts or (asked is not None and asked > self.patience):
            return None
        widest = min(self.longest, self.first * float(2 ** (attempt - 1)))
        ours = widest * (0.5 + 0.5 * self.draw())
        return ours if asked is None else asked + ours * 0.1

    def spread(self, seconds: float) -> float:
        """Return a wait that many begin at once, a little longer for each, so that they do not come back at once."""
        return seconds * (1 + 0.2 * self.draw())
