"""The options of solvers that ask a model: whole numbers that bound how long they try.

Owns their reading. `model` names the run's model for the record and bounds nothing.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from quaestor.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def read_bounds(kind: type[T], options: Mapping[str, object], solver: str) -> T:
    """Returns the bounds that options give; what they do not name keeps its default.

    Args:
        kind: A dataclass of whole numbers with defaults.
        options: By the names of its fields; `model` is taken and ignored.
        solver: For messages: `the agent`.

    Raises:
        SettingsError: An unknown option, or one that is no whole number above zero.
    """
    known = [item.name for item in fields(kind)]
    bounds: dict[str, int] = {}
    for name, value in options.items():
        if name == "model":
            continue
        if name not in known:
            raise SettingsError(f"{solver} has no option {name!r}: known are model, {', '.join(known)}")
        if type(value) is not int or value < 1:
            raise SettingsError(f"{name!r} of {solver} must be a whole number above 0, not {value!r}")
        bounds[name] = value
    return kind(**bounds)
