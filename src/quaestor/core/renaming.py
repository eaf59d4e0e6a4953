"""Old names of attributes and fields, accepted for one more version with a deprecation warning."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from warnings import warn

T = TypeVar("T")


def renamed_attributes(**names: str) -> Callable[[type[T]], type[T]]:
    """Accept old names of attributes and methods of a class.

    Args:
        names: New names by old names.
    """

    def decorate(kind: type[T]) -> type[T]:
        def get(self: T, name: str) -> object:
            if name not in names:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _warn(kind, name, names[name])
            return getattr(self, names[name])

        setattr(kind, "__getattr__", get)  # noqa: B010 - type checkers would accept any attribute name
        return kind

    return decorate


def renamed_fields(**names: str) -> Callable[[type[T]], type[T]]:
    """Accept old names of fields of a dataclass, in its constructor too.

    Args:
        names: New names by old names.
    """

    def decorate(kind: type[T]) -> type[T]:
        original = kind.__init__

        @wraps(original)
        def init(self: T, *args: object, **fields: object) -> None:
            for old in names.keys() & fields.keys():
                _warn(kind, old, names[old])
                fields[names[old]] = fields.pop(old)
            original(self, *args, **fields)

        setattr(kind, "__init__", init)  # noqa: B010 - a method cannot be assigned
        return renamed_attributes(**names)(kind)

    return decorate


def _warn(kind: type, old: str, new: str) -> None:
    warn(f"the attribute {old!r} of {kind.__name__} is now {new!r}", DeprecationWarning, stacklevel=3)
