"""Options declared as fields of a frozen dataclass, each with its type, limits and help.

Settings and solver options are such dataclasses. Flags, TOML, environment variables and JSON are validated by them.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, fields
from math import inf
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from quaestor.errors import SettingsError, unknown_name

if TYPE_CHECKING:
    from dataclasses import Field

    from _typeshed import DataclassInstance

T = TypeVar("T")
O = TypeVar("O", bound="DataclassInstance")  # noqa: E741 - of options

_WORDS: Mapping[object, str] = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
_LONGEST_NUMBER = 40


def option(
    default: T,
    *,
    help: str,
    least: float | None = None,
    most: float | None = None,
    flag: str | None = None,
    metavar: str | None = None,
) -> T:
    """Declare an option as a dataclass field.

    Args:
        default: The default value.
        help: One sentence for `--help`.
        least: Minimum of a number.
        most: Maximum of a number.
        flag: The command line flag, if it is the same for every command: `--cache/--no-cache`.
        metavar: Placeholder for the value in `--help`.
    """
    described = {"help": help, "least": least, "most": most, "flag": flag, "metavar": metavar}
    return field(default=default, metadata=described)


def option_names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """Return the names of the options of a type, its own before the ones shared by several solvers."""
    return tuple(item.name for item in sorted(fields(kind), key=lambda item: item.kw_only is True))


def option_field(kind: "type[DataclassInstance]", name: str) -> "Field[Any]":
    """Return the field of an option; its metadata has its help, limits and flag."""
    return next(item for item in fields(kind) if item.name == name)


def option_help(kind: "type[DataclassInstance]", name: str) -> str:
    """Return the help of an option."""
    return str(option_field(kind, name).metadata["help"])


def require_option(kind: "type[DataclassInstance]", name: str, owner: str) -> None:
    """Raise SettingsError if a type has no option of that name, and suggest the nearest."""
    if name not in (known := option_names(kind)):
        raise SettingsError(unknown_name("option", name, known, where=f"for {owner}"))


def read_options(kind: type[O], values: Mapping[str, object], owner: str) -> O:
    """Create options from values by name; the others keep their defaults.

    Args:
        owner: The owner of the options in messages, such as `the agent solver`.

    Raises:
        SettingsError: An option is unknown, or a value is invalid.
    """
    for name in values:
        require_option(kind, name, owner)
    return kind(**_checked(kind, values, owner))


def require_valid_options(options: "DataclassInstance", owner: str) -> None:
    """Raise SettingsError if an option has an invalid value."""
    _checked(type(options), {item.name: getattr(options, item.name) for item in fields(options)}, owner)


def read_text(kind: "type[DataclassInstance]", name: str, text: str, owner: str) -> object:
    """Convert text such as `6`, `0.5` or `true` to the type of an option, without checking its limits.

    Raises:
        SettingsError: The option does not exist, or is a table.
    """
    require_option(kind, name, owner)
    hint = get_type_hints(kind)[name]
    if not any(kind in _WORDS or get_origin(kind) is Literal for kind in _kinds(hint)):
        raise SettingsError(f"{name!r} of {owner} is a table; set it in quaestor.toml")
    return value_of_text(hint, text)


def value_of_text(hint: object, text: str) -> str | int | float | bool:
    """Convert text to a type, or return the text if it cannot be converted."""
    kinds = _kinds(hint)
    if bool in kinds:
        words = {"true": True, "false": False} | ({} if int in kinds else {"1": True, "0": False})
        return words.get(text.strip().casefold(), text)
    for number in (int, float):
        if number in kinds and text.isascii() and len(text) < _LONGEST_NUMBER:
            with suppress(ValueError):
                return number(text)
    return text


def checked_value(value: object, hint: object, limits: Mapping[str, Any]) -> object:
    """Check a value against a type and limits, and return it converted.

    Raises:
        ValueError: It is invalid; the message continues after the name of the field: "must be text, not 3".
    """
    kinds = _kinds(hint)
    if value is None and NoneType in kinds:
        return None
    if choices := [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]:
        if value not in choices or not isinstance(value, str):
            raise ValueError(f"must be {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}")
        return value
    # `type` instead of `isinstance`, because True must not count as a number.
    if float in kinds and type(value) is int:
        with suppress(OverflowError):
            value = float(value)
    least, most = limits.get("least"), limits.get("most")
    fits = _fits(value, kinds)
    if fits and isinstance(value, int | float):
        # NaN fails every comparison.
        fits = abs(value) < inf and (least is None or value >= least) and (most is None or value <= most)
    if not fits:
        raise ValueError(f"must be {_wanted(kinds, least, most)}, not {value!r}")
    return value


def _checked(kind: "type[DataclassInstance]", values: Mapping[str, object], owner: str) -> dict[str, Any]:
    hints, found = get_type_hints(kind), {}
    limits = {item.name: item.metadata for item in fields(kind)}
    for name, value in values.items():
        try:
            found[name] = checked_value(value, hints[name], limits[name])
        except ValueError as error:
            raise SettingsError(f"{name!r} of {owner} {error}") from None
    return found


def _kinds(hint: object) -> tuple[object, ...]:
    """Return the members of a union, or the type alone."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _fits(value: object, kinds: tuple[object, ...]) -> bool:
    plain = [get_origin(kind) or kind for kind in kinds]
    if any(type(value) is kind for kind in plain if kind in _WORDS):
        return True
    return any(isinstance(value, kind) for kind in plain if isinstance(kind, type) and kind not in _WORDS)


def _wanted(kinds: tuple[object, ...], least: float | None, most: float | None) -> str:
    words = " or ".join(_WORDS.get(kind, "a table") for kind in kinds if kind is not NoneType)
    if least == 1 and most is None:
        return f"{words} above 0"
    if least is not None and most is not None:
        return f"{words} from {least:g} to {most:g}"
    if least is not None:
        return f"{words}, {least:g} or more"
    return words if most is None else f"{words}, {most:g} or less"
