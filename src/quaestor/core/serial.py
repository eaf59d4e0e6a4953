"""Values as JSON and back, exactly; and the triple, in which graphs are written."""

from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from quaestor.errors import StoredValueError


class Triple(NamedTuple):
    """Subject, predicate and object, each one word of Turtle.

    A node is a prefixed name (`kg:StockOption_2007`) or, if no prefix fits, an IRI in angle brackets. A literal
    keeps its lexical form and its datatype: `"60.94"^^xsd:decimal`, `"exercise price"`. Equal terms are equal texts.
    """

    s: str
    p: str
    o: str


# The one way in which values become JSON and come back.
#
# Every value of the package is a frozen dataclass; pydantic reads its annotations, so a round trip is exact: decimals
# travel as strings, times as ISO 8601 with their offset.

T = TypeVar("T")


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def dump(value: object, kind: Any = None, *, compact: bool = False) -> Any:
    """Return `value` as JSON-compatible dicts, lists, strings and numbers.

    Args:
        kind: The type to write it as, if it is not `type(value)` (a tuple, a union).
        compact: Leaves out what is None.
    """
    written_as: Any = kind or type(value)
    return _adapter(written_as).dump_python(value, mode="json", by_alias=True, exclude_none=compact)


def schema(kind: type) -> dict[str, Any]:
    """Return the JSON schema of what `load` takes for a type."""
    return _adapter(kind).json_schema()


def load(kind: type[T], data: object) -> T:
    """Return the value of type `kind` that `dump` wrote as `data`.

    Raises:
        pydantic.ValidationError: `data` was not written by `dump`.
    """
    read_as: Any = kind
    value: T = _adapter(read_as).validate_python(data)
    return value


def restore(kind: type[T], data: object) -> T:
    """Return the value of type `kind` that `dump` wrote as `data`, which was in a store since.

    Raises:
        StoredValueError: `data` was not written by `dump`: the store is damaged.
    """
    try:
        return load(kind, data)
    except ValidationError as error:
        name = getattr(kind, "__name__", "value")
        raise StoredValueError(
            f"a stored {name} is damaged ({first_fault(error)}): restore the store from a copy"
        ) from error


def first_fault(error: ValidationError) -> str:
    """Return the first thing that is wrong with a value, with its place: `steps.0.id: Field required`."""
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'it'}: {fault_words(fault['msg'])}"


def fault_words(message: str) -> str:
    """Return what pydantic says of a fault without the name of Python's error."""
    return message.removeprefix("Value error, ")
