"""JSON schemas as models are sent them: every word is paid for with every request.

Owns what may be left out of them without taking anything else in: titles that repeat names, the null of a parameter
that need not be given, whole numbers beside numbers, the discriminator of a union. Knows which schemas can be held to
the letter.
"""

from functools import lru_cache

from pydantic import JsonValue

from quaestor.core import serial


@lru_cache(maxsize=256)
def plain_schema(kind: type) -> dict[str, JsonValue]:
    """Returns the JSON schema of a dataclass's fields. Callers share it and must not change it."""
    plain = _plain(whole_schema(kind))
    assert isinstance(plain, dict)
    return plain


@lru_cache(maxsize=256)
def whole_schema(kind: type) -> dict[str, JsonValue]:
    """Returns the JSON schema with every null and default, for a server that wants all fields given. Shared."""
    schema = serial.schema(kind)
    schema.pop("description", None)
    return schema


@lru_cache(maxsize=256)
def is_closed(kind: type) -> bool:
    """Returns whether every object of a type has its keys fixed, so that a reply can be held to the schema's letter."""
    return _closed(whole_schema(kind))


def _closed(value: JsonValue) -> bool:
    if isinstance(value, list):
        return all(_closed(item) for item in value)
    if not isinstance(value, dict):
        return True
    free = value.get("type") == "object" and ("properties" not in value or value.get("additionalProperties", False))
    return not free and all(_closed(item) for item in value.values())


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {k: _plain(v) for k, v in value.items() if not (k == "title" and isinstance(v, str))}
    if "const" in plain:
        plain.pop("default", None)  # it can have no other value
    if "oneOf" in plain:
        plain.pop("discriminator", None)  # the fixed value of its key tells as much
        plain["anyOf"] = plain.pop("oneOf")
    choices = plain.get("anyOf")
    if not isinstance(choices, list):
        return plain
    if "default" in plain and plain["default"] is None:
        del plain["default"]
        choices = [choice for choice in choices if choice != {"type": "null"}]
    if {"type": "number"} in choices:
        choices = [choice for choice in choices if choice != {"type": "integer"}]
    if len(choices) == 1 and isinstance(choices[0], dict):
        del plain["anyOf"]
        return {**choices[0], **plain}
    return {**plain, "anyOf": choices}
