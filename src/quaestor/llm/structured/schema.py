"""JSON schemas for models, shortened because every request includes them.

The module also decides which schemas can be enforced strictly.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

from pydantic import ConfigDict, JsonValue

from quaestor.core import serial


def _drop_description(schema: dict[str, JsonValue]) -> None:
    schema.pop("description", None)


class Undescribed:
    """Base of types whose docstrings are left out of schemas, because the prompts explain the types to the model."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(json_schema_extra=_drop_description)


@lru_cache(maxsize=256)
def plain_schema(kind: type) -> dict[str, JsonValue]:
    """Return the JSON schema of a dataclass without its docstring. Callers must not change the shared result."""
    plain = _plain(_in_place(whole_schema(kind)))
    assert isinstance(plain, dict)
    return plain


@lru_cache(maxsize=256)
def whole_schema(kind: type) -> dict[str, JsonValue]:
    """Return the JSON schema with all nulls and defaults, for servers that require all fields. The result is shared."""
    schema = serial.schema(kind)
    schema.pop("description", None)
    return schema


@lru_cache(maxsize=256)
def is_closed(kind: type) -> bool:
    """Return whether all objects in a type have fixed keys, so that the schema can be enforced strictly."""
    return not any(map(_is_free, _objects(whole_schema(kind))))


def _in_place(schema: dict[str, JsonValue]) -> JsonValue:
    """Inline definitions of a schema that are used once."""
    parts = schema.get("$defs")
    if not isinstance(parts, dict):
        return schema
    used = Counter(part["$ref"] for part in _objects(schema) if isinstance(part.get("$ref"), str))
    moved = {f"#/$defs/{name}": part for name, part in parts.items() if used[f"#/$defs/{name}"] == 1}

    def placed(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [placed(item) for item in value]
        if not isinstance(value, dict):
            return value
        name = value.get("$ref")
        if isinstance(name, str) and isinstance(part := moved.get(name), dict):
            return placed({**part, **{key: item for key, item in value.items() if key != "$ref"}})
        return {key: placed(item) for key, item in value.items()}

    shared = {name: placed(part) for name, part in parts.items() if f"#/$defs/{name}" not in moved}
    rest = placed({key: item for key, item in schema.items() if key != "$defs"})
    assert isinstance(rest, dict)
    return {"$defs": shared, **rest} if shared else rest


def _objects(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from _objects(child)


def _is_free(schema: dict[str, JsonValue]) -> bool:
    return schema.get("type") == "object" and bool(
        "properties" not in schema or schema.get("additionalProperties", False)
    )


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {k: _plain(v) for k, v in value.items() if not (k == "title" and isinstance(v, str))}
    default = plain.pop("default", None)  # fields with a default are not required
    if "oneOf" in plain:
        plain.pop("discriminator", None)  # the constant value of its key is enough
        plain["anyOf"] = plain.pop("oneOf")
    choices = plain.get("anyOf")
    if not isinstance(choices, list):
        return plain
    if default is None and "default" in value:
        choices = [choice for choice in choices if choice != {"type": "null"}]
    if {"type": "number"} in choices:
        choices = [choice for choice in choices if choice != {"type": "integer"}]
    if len(choices) == 1 and isinstance(choices[0], dict):
        del plain["anyOf"]
        return {**choices[0], **plain}
    return {**plain, "anyOf": choices}
