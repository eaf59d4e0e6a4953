"""The options of a solver: a frozen dataclass whose fields say what they mean and what they may be."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from quaestor.errors import SettingsError, unknown_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
O = TypeVar("O", bound="DataclassInstance")  # noqa: E741 - of options

_WORDS: Mapping[object, str] = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def option(default: T, *, help: str, least: float | None = None, most: float | None = None) -> T:
    """Return the field of an option.

    Args:
        default: Its value where nobody sets it.
        help: What it decides, in a sentence.
        least: The smallest number that it may be.
    """
    return field(default=default, metadata={"help": help, "least": least, "most": most})


def option_names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """Return the names of the options of a type, its own before those that several solvers have."""
    return tuple(item.name for item in sorted(fields(kind), key=lambda item: item.kw_only is True))


def option_help(kind: "type[DataclassInstance]", name: str) -> str:
    """Return what an option of a type decides, as its field says it."""
    return next(str(item.metadata["help"]) for item in fields(kind) if item.name == name)


def read_text(kind: "type[DataclassInstance]", name: str, text: str, owner: str) -> object:
    """Return the value that a text is of an option: what it may be is checked by `read_options`.

    Args:
        text: As a person wrote it: `6`, `0.5`, `true`, or any words.
        owner: For messages: `the agent solver`.

    Raises:
        SettingsError: The option does not exist, or cannot be given as text.
    """
    require_option(kind, name, owner)
    hint = get_type_hints(kind)[name]
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if bool in kinds and (said := {"true": True, "false": False}.get(text.strip().casefold())) is not None:
        return said
    for number in (int, float):
        if number in kinds:
            with suppress(ValueError):
                return number(text)
    if str not in kinds and not {int, float, bool}.intersection(kinds) and get_origin(hint) is not Literal:
        raise SettingsError(f"{name!r} of {owner} is a table; set it in quaestor.toml")
    return text


def require_option(kind: "type[DataclassInstance]", name: str, owner: str) -> None:
    """Raise SettingsError if a type has no option of that name, suggesting the nearest that it has."""
    if name not in (known := option_names(kind)):
        raise SettingsError(unknown_name("option", name, known, where=f"for {owner}"))


def read_options(kind: type[O], values: Mapping[str, object], owner: str) -> O:
    """Return the options that settings or JSON give; what they do not name keeps its default.

    Args:
        values: By the names of its fields.
        owner: For messages: `the agent solver`.

    Raises:
        SettingsError: There is no such option, or a value is not what it may be.
    """
    for name in values:
        require_option(kind, name, owner)
    hints = get_type_hints(kind)
    limits = {item.name: item.metadata for item in fields(kind)}
    return kind(**{name: _checked(name, value, hints[name], limits[name], owner) for name, value in values.items()})


def require_valid_options(options: "DataclassInstance", owner: str) -> None:
    """Make sure that options are what they may be.

    Raises:
        SettingsError: One is not.
    """
    hints = get_type_hints(type(options))
    for item in fields(options):
        _checked(item.name, getattr(options, item.name), hints[item.name], item.metadata, owner)


def _checked(name: str, value: object, kind: object, limits: Mapping[str, object], owner: str) -> object:
    """Return a value as its field holds it."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind) or not isinstance(value, str):
            raise SettingsError(f"{name!r} of {owner} must be {' or '.join(get_args(kind))}, not {value!r}")
        return value
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if value is None and NoneType in kinds:
        return None
    # type() and not isinstance: True is not a number here.
    if float in kinds and type(value) is int:
        value = float(value)
    if not _fits(value, kinds):
        raise SettingsError(f"{name!r} of {owner} must be {_wanted(kinds, limits)}, not {value!r}")
    least, most = limits.get("least"), limits.get("most")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low = isinstance(least, int | float) and not value >= least
        if low or (isinstance(most, int | float) and not value <= most):
            raise SettingsError(f"{name!r} of {owner} must be {_wanted(kinds, limits)}, not {value!r}")
    return value


def _fits(value: object, kinds: tuple[object, ...]) -> bool:
    plain = [get_origin(kind) or kind for kind in kinds]
    if any(type(value) is kind for kind in plain if kind in _WORDS):
        return True
    return any(isinstance(value, kind) for kind in plain if isinstance(kind, type) and kind not in _WORDS)


def _wanted(kinds: tuple[object, ...], limits: Mapping[str, object]) -> str:
    words = " or ".join(_WORDS.get(kind, "a table") for kind in kinds if kind is not NoneType)
    least, most = limits.get("least"), limits.get("most")
    if least == 1 and most is None:
        return f"{words} above 0"
    if least is not None and most is not None:
        return f"{words} from {least:g} to {most:g}"
    if least is not None:
        return f"{words}, {least} or more"
    return words if most is None else f"{words}, {most} or less"
