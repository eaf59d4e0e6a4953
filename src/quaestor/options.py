"""Options: fields of a frozen dataclass, each with its type, limits and help.

The settings and the options of solvers are such dataclasses: flags, TOML, variables and JSON are read by their fields.
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
    """Return the field of an option.

    Args:
        default: Its value if nobody sets it.
        help: What it decides, in a sentence.
        flag: Its flag on the command line, if every command that takes it calls it so: `--cache/--no-cache`.
        metavar: What help shows for its value.
    """
    described = {"help": help, "least": least, "most": most, "flag": flag, "metavar": metavar}
    return field(default=default, metadata=described)


def option_names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """Return the names of the options of a type, its own before those that several solvers have."""
    return tuple(item.name for item in sorted(fields(kind), key=lambda item: item.kw_only is True))


def option_field(kind: "type[DataclassInstance]", name: str) -> "Field[Any]":
    """Return the field of an option, whose metadata holds its help, limits and flag."""
    return next(item for item in fields(kind) if item.name == name)


def option_help(kind: "type[DataclassInstance]", name: str) -> str:
    """Return what an option decides."""
    return str(option_field(kind, name).metadata["help"])


def require_option(kind: "type[DataclassInstance]", name: str, owner: str) -> None:
    """Raise SettingsError if a type has no option of that name, suggesting the nearest that it has."""
    if name not in (known := option_names(kind)):
        raise SettingsError(unknown_name("option", name, known, where=f"for {owner}"))


def read_options(kind: type[O], values: Mapping[str, object], owner: str) -> O:
    """Return the options that settings or JSON give by name; what they do not name keeps its default.

    Args:
        owner: For messages: `the agent solver`.

    Raises:
        SettingsError: There is no such option, or a value is not what it may be.
    """
    for name in values:
        require_option(kind, name, owner)
    return kind(**_checked(kind, values, owner))


def require_valid_options(options: "DataclassInstance", owner: str) -> None:
    """Raise SettingsError if an option is not what it may be."""
    _checked(type(options), {item.name: getattr(options, item.name) for item in fields(options)}, owner)


def read_text(kind: "type[DataclassInstance]", name: str, text: str, owner: str) -> object:
    """Return the value of an option that a person wrote as text: `6`, `0.5`, `true`; `read_options` checks it.

    Raises:
        SettingsError: The option does not exist, or cannot be given as text.
    """
    require_option(kind, name, owner)
    hint = get_type_hints(kind)[name]
    if not any(kind in _WORDS or get_origin(kind) is Literal for kind in _kinds(hint)):
        raise SettingsError(f"{name!r} of {owner} is a table; set it in quaestor.toml")
    return value_of_text(hint, text)


def value_of_text(hint: object, text: str) -> str | int | float | bool:
    """Return what a text means for a type, or the text itself if it does not fit."""
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
    """Return a value as a field of a type and limits holds it.

    Raises:
        ValueError: It does not fit; the message goes on from the name of the field: "must be text, not 3".
    """
    kinds = _kinds(hint)
    if value is None and NoneType in kinds:
        return None
    if choices := [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]:
        if value not in choices or not isinstance(value, str):
            raise ValueError(f"must be {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}")
        return value
    # type() and not isinstance: True is not a number here.
    if float in kinds and type(value) is int:
        with suppress(OverflowError):
            value = float(value)
    least, most = limits.get("least"), limits.get("most")
    fits = _fits(value, kinds)
    if fits and isinstance(value, int | float):
        # Of numbers that are none (NaN), every comparison is false.
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
    """Return the types of a union, or the one type that it is."""
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
