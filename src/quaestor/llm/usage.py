"""Usage of tokens and money, counted from the replies of both protocols, streamed or not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import JsonValue

from quaestor.llm.messages import parse_object

_COUNTS = ("requests", "input_tokens", "output_tokens", "cached_tokens", "estimated_tokens")
_CHARACTERS_PER_TOKEN = 4  # rough mean for English, used if a server reports no counts
_MOST_TOKENS = 10**12  # a larger count is a server's error, and too large for a store


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of usage that can be added; `cached_tokens` is part of `input_tokens`, `estimated_tokens` of all."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated_tokens: int = 0
    cost: Decimal | None = None

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        known = [usage.cost for usage in (self, other) if usage.cost is not None]
        counts: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Usage(**counts, cost=sum(known, Decimal()) if known else None)

    def since(self, earlier: "Usage") -> "Usage":
        """Return the usage after `earlier`, which must be part of this one."""
        spent = None if self.cost is None else self.cost - (earlier.cost or 0)
        counts: dict[str, Any] = {name: getattr(self, name) - getattr(earlier, name) for name in _COUNTS}
        return Usage(**counts, cost=None if self.requests == earlier.requests else spent)

    def counts(self) -> dict[str, int]:
        """Return the counts for a store, with the cost, if known, in millionths of a dollar."""
        counts: dict[str, int] = {name: getattr(self, name) for name in _COUNTS}
        if self.cost is not None:
            counts["cost_millionths"] = int((self.cost * 1_000_000).to_integral_value())
        return counts

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> "Usage":
        """Create usage from the result of `counts`; other keys are ignored."""
        millionths = counts.get("cost_millionths")
        cost = None if millionths is None else Decimal(millionths) / 1_000_000
        known: dict[str, Any] = {name: counts.get(name, 0) for name in _COUNTS}
        return cls(**known, cost=cost)

    @property
    def words(self) -> str:
        """The counts in words: `3 requests, 1,200 input tokens, 85 output tokens, 0.0042 US dollars`."""
        parts = [
            f"{self.requests:,} request{'s' * (self.requests != 1)}",
            f"{self.input_tokens:,} input tokens",
            f"{self.output_tokens:,} output tokens",
        ]
        if self.cached_tokens:
            parts.append(f"{self.cached_tokens:,} from the cache")
        if self.estimated_tokens:
            parts.append(f"{self.estimated_tokens:,} of all estimated")
        return ", ".join([*parts, "unknown cost" if self.cost is None else f"{self.cost:.4f} US dollars"])


def read_usage(response: str, request: str, *, answered: bool) -> Usage:
    """Return the usage of one request."""
    if not answered:
        return Usage(requests=1)
    counts: dict[str, int] = {}
    for usage in _usages(response):
        # A stream repeats its growing counts: the largest is the last.
        for name, count in usage.items():
            counts[name] = max(counts.get(name, 0), count)
    if not counts:
        read, written = len(request) // _CHARACTERS_PER_TOKEN, len(response) // _CHARACTERS_PER_TOKEN
        return Usage(1, read, written, estimated_tokens=read + written)
    cached = counts.get("cache_read_input_tokens", 0)  # Anthropic excludes these from the input, OpenAI includes them
    cache_tokens = cached + counts.get("cache_creation_input_tokens", 0)
    read = max(counts.get("prompt_tokens", 0), counts.get("input_tokens", 0) + cache_tokens)
    written = max(counts.get("completion_tokens", 0), counts.get("output_tokens", 0))
    return Usage(1, read, written, max(cached, counts.get("cached_tokens", 0)))


def _usages(text: str) -> Iterator[Mapping[str, int]]:
    """Yield the counts in a body: one for a plain reply, several for a stream."""
    for document in _documents(text):
        message = document.get("message")
        for holder in (document, message if isinstance(message, dict) else {}):
            usage = holder.get("usage")
            if isinstance(usage, dict):
                yield dict(_counts(usage))


def _documents(text: str) -> Iterator[dict[str, JsonValue]]:
    lines = [text] if text.lstrip().startswith("{") else [line[5:] for line in text.splitlines() if line[:5] == "data:"]
    for line in lines:
        # Most lines of a long stream have no counts.
        if '"usage"' in line and (document := parse_object(line)) is not None:
            yield document


def _counts(usage: dict[str, JsonValue]) -> Iterator[tuple[str, int]]:
    pending = [usage]
    while pending:
        for name, value in pending.pop().items():
            if isinstance(value, dict):
                pending.append(value)
            elif isinstance(value, int) and 0 <= value <= _MOST_TOKENS:
                yield name, int(value)
