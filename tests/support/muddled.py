"""A perfect model whose replies are corrupted at random places."""

import json
import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from model_replies import say
from model_server import Script
from oracle import Oracle

from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.base import TurnContext
from quaestor.testing.models import Call, ReceivedRequest, Reply

Json = Any
Place = tuple[str | int, ...]

REPLACEMENTS: Sequence[Json] = (
    "", " ", "[", "[]", "million [", "\ud800", "\x00", "1e400", "nan", "-inf", "¼", "١٢", "a" * 3000, "#1", "#-1",
    "#99", "result_0", "result_99", "SELECT ?v WHERE { ?s kg:value ?v }", "1 + 1", "a ** 99", "T0R1C1", "T9R9C9",
    "PRE3", "12 %", "$ 1.2 billion", "subtract", "percentage", "exp", "greater", "const_100", "year", "2008",
    None, True, 0, -1, 1, 99, 0.5, 1e308, 5e-324, 10**30, 10**400, [], {},
)  # fmt: skip
"""Values that may replace any value of a reply."""


def places(value: Json, at: Place = ()) -> Iterator[Place]:
    """Yield the paths of the leaves and lists of a JSON value."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*at, key))
    if not isinstance(value, dict) or not value:
        yield at


def muddle(value: Json, draw: random.Random, values: list[Json]) -> Json:
    """Return a JSON value with one to four changes; replaced values are added to `values` for later replies."""
    whole = [deepcopy(value)]
    for _ in range(draw.choice((1, 1, 2, 4))):
        *before, last = (0, *draw.choice(list(places(whole[0]))))
        holder: Json = whole
        for key in before:
            holder = holder[key]
        holder[last] = _replacement(holder[last], draw, values)
    return whole[0]


def _replacement(old: Json, draw: random.Random, values: list[Json]) -> Json:
    if isinstance(old, list) and old:
        return draw.choice([old[1:], old[::-1], [*old, deepcopy(old[-1])]])
    if isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1e300 and draw.random() < 0.5:
        return draw.choice([-old, old * 1000, old / 100, old + 1, 0])
    like = [value for value in values if type(value) is type(old)]
    values.append(old)
    return draw.choice(like if like and draw.random() < 0.5 else REPLACEMENTS)


class MuddledOracle:
    """An oracle that corrupts half of its replies."""

    def __init__(self, oracle: Oracle, seed: int) -> None:
        self.muddled = 0
        self._oracle, self._draw = oracle, random.Random(seed)
        self._values: list[Json] = []

    def __call__(self, context: TurnContext, golds: Sequence[GoldTurn], /) -> Script:
        script = self._oracle(context, golds)
        return lambda request: self._reply(request, script)

    def _reply(self, request: ReceivedRequest, script: Script) -> Reply:
        try:
            reply = script(request)
        except Exception:  # noqa: BLE001 - an oracle may fail after a corrupted reply
            reply = say("{}")
        if self._draw.random() < 0.5:
            return reply
        self.muddled += 1
        if reply.calls:
            return replace(reply, calls=tuple(Call(call.tool, self._text(call.text)) for call in reply.calls))
        return replace(reply, text=self._text(reply.text))

    def _text(self, written: str) -> str:
        return json.dumps(muddle(json.loads(written), self._draw, self._values))
