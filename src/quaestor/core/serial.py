"""Exact conversion of values to JSON and back; the base class of replies; and the `Triple` of graphs."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from quaestor.errors import StoredValueError


class Triple(NamedTuple):
    """Subject, predicate and object as terms of Turtle.

    A node is a prefixed name (`kg:StockOption_2007`) or, if no prefix fits, an IRI in angle brackets. A literal
    keeps its lexical form and its datatype: `"60.94"^^xsd:decimal`, `"exercise price"`. Equal terms have equal text.
    """

    s: str
    p: str
    o: str


class Value(BaseModel):
    """A reply of an interface, or a part of one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, *records: object, **others: object) -> Self:
        """Build a reply: each field from the first record that has it, unless given by keyword."""
        fields = dict(others)
        for name in cls.model_fields.keys() - others.keys():
            fields[name] = next(getattr(record, name) for record in records if hasattr(record, name))
        return cls.model_validate(fields)


# All other values are frozen dataclasses, which pydantic serializes by their annotations, so that a round trip is
# exact: decimals become strings, and times ISO 8601 with their offset.

T = TypeVar("T")


@lru_cache(maxsize=64)
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what pydantic reads and writes values of a type with."""
    return TypeAdapter(kind)


def dump(value: object, kind: Any = None, *, compact: bool = False) -> Any:
    """Return `value` as JSON-compatible dicts, lists, strings and numbers.

    Args:
        kind: The type to serialize it as, if it is not `type(value)` (a tuple, a union).
        compact: Whether to omit fields that are None.
    """
    written_as: Any = kind or type(value)
    return adapter(written_as).dump_python(value, mode="json", by_alias=True, exclude_none=compact)


def schema(kind: type) -> dict[str, Any]:
    """Return the JSON schema of the data that `load` accepts for a type."""
    return adapter(kind).json_schema()


def load(kind: type[T], data: object) -> T:
    """Return the value of type `kind` that `dump` wrote as `data`.

    Raises:
        pydantic.ValidationError: `data` was not written by `dump`.
    """
    read_as: Any = kind
    value: T = adapter(read_as).validate_python(data)
    return value


def restore(kind: type[T], data: object) -> T:
    """Load a value from a store.

    Raises:
        StoredValueError: `data` was not written by `dump`, so the store is damaged.
    """
    try:
        return load(kind, data)
    except ValidationError as error:
        name = getattr(kind, "__name__", "value")
        raise StoredValueError(
            f"a stored {name} is damaged ({first_fault(error)}): restore the store from a copy"
        ) from error


def first_fault(error: ValidationError) -> str:
    """Return the message of a value's first error with its location: `steps.0.id: required, but missing`."""
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'it'}: {fault_words(fault)}"


_OBJECT, _WHOLE, _NUMBER, _TRUTH = "an object", "a whole number", "a number", "true or false"
_MISSING, _UNKNOWN = "required, but missing", "unknown; leave it out"
_FAULTS = {
    "missing": _MISSING, "missing_argument": _MISSING, "missing_keyword_only_argument": _MISSING,
    "extra_forbidden": _UNKNOWN, "unexpected_keyword_argument": _UNKNOWN,
    "union_tag_invalid": "expected {discriminator} to be one of {expected_tags}",
    "union_tag_not_found": "{discriminator} is required, but missing",
}  # fmt: skip
_EXPECTED = {
    "string_type": "text", "string_sub_type": "text", "string_pattern_mismatch": "text of the form {pattern}",
    "string_too_short": "{min_length} or more characters", "string_too_long": "{max_length} or fewer characters",
    "too_short": "{min_length} or more entries", "too_long": "{max_length} or fewer entries",
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_from_float": _WHOLE, "int_parsing_size": "a smaller number",
    "float_type": _NUMBER, "float_parsing": _NUMBER, "finite_number": _NUMBER, "decimal_type": _NUMBER,
    "decimal_parsing": _NUMBER, "bool_type": _TRUTH, "bool_parsing": _TRUTH, "none_required": "null",
    "dict_type": _OBJECT, "mapping_type": _OBJECT, "model_type": _OBJECT, "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT, "list_type": "a list", "tuple_type": "a list",
    "literal_error": "{expected}", "enum": "{expected}", "multiple_of": "a multiple of {multiple_of}",
    "greater_than_equal": "{ge} or more", "less_than_equal": "{le} or less", "greater_than": "more than {gt}",
    "less_than": "less than {lt}",
}  # fmt: skip
_LENGTHS = frozenset({"string_too_short", "string_too_long", "too_short", "too_long"})
_LONGEST_SHOWN = 40


def fault_words(fault: Mapping[str, Any]) -> str:
    """Return the message of an error found by pydantic: `expected a whole number`."""
    kind = fault.get("type", "")
    if template := _FAULTS.get(kind) or (kind in _EXPECTED and f"expected {_EXPECTED[kind]}"):
        return template.format_map(fault.get("ctx", {}))
    words = str(fault["msg"]).removeprefix("Value error, ")
    return words if kind == "value_error" else words[:1].lower() + words[1:]


def fault_line(fault: Mapping[str, Any]) -> str:
    """Return the message of an error and, if that helps, the invalid input: `expected 1 or more, not 0`."""
    words, kind = fault_words(fault), fault.get("type", "")
    if kind not in _EXPECTED or "input" not in fault:
        return words
    given = fault["input"]
    return f"{words}, not {len(given) if kind in _LENGTHS else _shown_input(given)}"


def _shown_input(value: object) -> str:
    match value:
        case None | bool() | int() | float():
            return json.dumps(value)[:_LONGEST_SHOWN]
        case str():
            return repr(value if len(value) <= _LONGEST_SHOWN else f"{value[: _LONGEST_SHOWN - 1]}…")
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
    return "this"
