"""How often programs of one address may ask: so many requests a minute, a sixth of them at once."""

import math
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from starlette.types import ASGIApp, Receive, Scope, Send

from quaestor.web.api.problems import problem_answer, problem_of

_ADDRESSES = 10_000
_AT_ONCE = 10.0
"""Seconds whose requests may all come at once."""


class Rates:
    """How much each address has left."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = monotonic) -> None:
        """Take the rate.

        Args:
            a_minute: Requests a minute of one address; 0 is no limit.
            clock: Says the time in seconds.
        """
        self._a_second, self._clock = a_minute / 60, clock
        self._most = max(1.0, self._a_second * _AT_ONCE)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Count a request, and return 0 if it may be answered; else the seconds until one may."""
        if not self._a_second:
            return 0.0
        now = self._clock()
        left, then = self._left.get(address, (self._most, now))
        left = min(self._most, left + (now - then) * self._a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._a_second
        self._left[address] = (left if wait else left - 1, now)
        self._left.move_to_end(address)
        while len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return wait


class Throttle:
    """An ASGI middleware: refuses what comes too often."""

    def __init__(self, app: ASGIApp, rates: Rates) -> None:
        """Take what it wraps, and the rates."""
        self.app, self._rates = app, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and (wait := self._rates.wait((scope.get("client") or ("",))[0])):
            seconds = math.ceil(wait)
            line = f"too many requests from your address; retry in {seconds} s"
            answer = problem_answer(problem_of(429, line), {"Retry-After": str(seconds)})
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)
