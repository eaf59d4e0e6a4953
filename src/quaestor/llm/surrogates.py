r"""Messages that can be sent whatever a model wrote before.

A model may write half a surrogate pair (`\ud800` in its JSON). No request can hold one, and what a model wrote goes
back to it: as its own reply, in complaints, as results of tools. Each becomes a question mark, as it does in the store.
"""

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TypeVar

from pydantic_ai.messages import ModelMessage, ModelRequest

_FIELDS = ("content", "args", "tool_name")
"""Of the parts of messages, those in which a model's words may stand."""

Part = TypeVar("Part")


def replace_surrogates(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return messages with a question mark for each half of a surrogate pair; those without one as they are."""
    return [_message(message) for message in messages]


def _message(message: ModelMessage) -> ModelMessage:
    if not any(map(_mended, message.parts)):
        return message
    if isinstance(message, ModelRequest):
        return replace(message, parts=[_part(part) for part in message.parts])
    return replace(message, parts=[_part(part) for part in message.parts])


def _part(part: Part) -> Part:
    mended = copy(part)
    for name, text in _mended(part).items():
        setattr(mended, name, text)
    return mended


def _mended(part: object) -> dict[str, str]:
    """Return the fields of a part that cannot be sent, as they can be."""
    found = {}
    for name in _FIELDS:
        value = getattr(part, name, None)
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
        if (
            isinstance(text, str)
            and not text.isascii()
            and (sent := text.encode("utf-8", "replace").decode("utf-8")) != text
        ):
            found[name] = sent
    return found
