"""Where two JSON values differ, in a line that a person can act on."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

_ABSENT = "nothing"
_SHOWN = 60


def differences(recorded: JsonValue, asked: JsonValue) -> Iterator[str]:
    """Yield one line for each place where two values differ, such as `m[2].content: recorded 1, requested 2`."""
    left, right = dict(_leaves(recorded)), dict(_leaves(asked))
    for path in [*right, *(path for path in left if path not in right)]:
        if path not in left:
            yield f"{path}: recorded {_ABSENT}, requested {_shown(right[path])}"
        elif path not in right:
            yield f"{path}: recorded {_shown(left[path])}, requested {_ABSENT}"
        elif left[path] != right[path]:
            start = _first_difference(left[path], right[path])
            yield f"{path}: recorded {_shown(left[path], start)}, requested {_shown(right[path], start)}"


def similarity(recorded: JsonValue, asked: JsonValue) -> float:
    """Return how much of two values is the same, from 0 to 1, by the length of the leaves they share."""
    left, right = dict(_leaves(recorded)), dict(_leaves(asked))
    shared = sum(_common(value, right[path]) for path, value in left.items() if path in right)
    return 2 * shared / max(1, sum(map(len, left.values())) + sum(map(len, right.values())))


def _leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from _leaves(item, f"{path}[{place}]")
    else:
        yield path or "body", json.dumps(value, ensure_ascii=False)


def _common(left: str, right: str) -> int:
    return len(left) if left == right else _first_difference(left, right)


def _first_difference(left: str, right: str) -> int:
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return place
    return min(len(left), len(right))


def _shown(text: str, start: int = 0) -> str:
    """The text around a place."""
    begin = max(0, start - _SHOWN // 3) if len(text) > _SHOWN else 0
    piece = text[begin : begin + _SHOWN]
    return f"{'...' if begin else ''}{piece}{'...' if begin + _SHOWN < len(text) else ''}"
