"""JSON schemas as models are sent them: every word is paid for with every request.

Owns what may be left out of them without taking anything else in: titles that repeat names, the null of a parameter
that need not be given, whole numbers beside numbers.
"""

from functools import cache

from pydantic import JsonValue

from quaestor.core import serial


@cache
def plain_schema(kind: type) -> dict[str, JsonValue]:
    """Returns the JSON schema of a dataclass's fields. Callers share it and must not change it."""
    schema = serial.schema(kind)
    schema.pop("description", None)
    plain = _plain(schema)
    assert isinstance(plain, dict)
    return plain


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {k: _plain(v) for k, v in value.items() if not (k == "title" and isinstance(v, str))}
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
