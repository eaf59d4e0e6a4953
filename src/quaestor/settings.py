"""What a person may set once instead of at every command.

Owns the order flag > environment (`QUAESTOR_*`) > `quaestor.toml` in the current directory > default. Read at the
edges only (command line, web, MCP server); everything below is handed values, never settings.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from quaestor.errors import SettingsError

FILE = "quaestor.toml"
PREFIX = "QUAESTOR_"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person has set.

    Attributes:
        store: The run store's URI or path; relative paths start at the current directory.
        solver: The solver's name where none is asked for.
        workers: How many conversations are played at once; by default one a core that this process may use.
        seed: Of everything that draws at random, such as the bootstrap.
        models: The tables `[models.NAME]` of the file, as written; `quaestor.llm.naming` reads them.
        prices: The tables `[prices.NAME]`; `quaestor.llm.budget` reads them.
    """

    store: str = ".quaestor/runs.db"
    solver: str = "embedded"
    workers: int = field(default_factory=_cores)
    seed: int = 0
    models: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prices: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


_KINDS: Mapping[str, type] = {"store": str, "solver": str, "workers": int, "seed": int}
_TABLES = ("models", "prices")
_LEAST: Mapping[str, int] = {"workers": 1, "seed": 0}


def load_settings(
    flags: Mapping[str, str | int | None] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Returns the settings in force.

    Args:
        flags: By name, as the command line gave them; None is a flag that was not given.
        environment: Where `QUAESTOR_*` is looked up, `os.environ` by default.
        folder: Where `quaestor.toml` is looked for, the current directory by default.

    Raises:
        SettingsError: A value of the wrong type, an unknown key, or a file that is not TOML.
    """
    path = (folder or Path()) / FILE
    read = _from_file(path)
    tables = {name: _tables(name, read.pop(name), path) for name in _TABLES if name in read}
    values = {name: _checked(name, value, str(path)) for name, value in read.items()}
    values |= _from_environment(os.environ if environment is None else environment)
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    values |= {name: _checked(name, value, "the command line") for name, value in given.items()}
    return Settings(**values, **tables)  # type: ignore[arg-type]  # _checked has compared every value with its field


def _from_file(path: Path) -> dict[str, object]:
    try:
        table: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error
    return table


def _tables(name: str, tables: object, path: Path) -> dict[str, dict[str, object]]:
    """Returns the tables under a heading such as `[models.NAME]`."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise SettingsError(f"{name!r} must be tables such as [{name}.NAME] ({path})")
    return tables


def _from_environment(environment: Mapping[str, str]) -> dict[str, str | int]:
    values: dict[str, str | int] = {}
    for name in _KINDS:
        text = environment.get(PREFIX + name.upper())
        if text:
            values[name] = _checked(name, _number(text) if _KINDS[name] is int else text, f"{PREFIX}{name.upper()}")
    return values


def _number(text: str) -> str | int:
    return int(text) if text.strip().lstrip("-").isdecimal() and len(text) < 20 else text


def _checked(name: str, value: object, where: str) -> str | int:
    kind = _KINDS.get(name)
    if kind is None:
        near = get_close_matches(name, _KINDS, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KINDS)}"
        raise SettingsError(f"unknown setting {name!r} ({where}): {hint}")
    # type() and not isinstance: TOML's `true` is no number, although Python's True is one.
    if type(value) is not kind:
        wanted = "a whole number" if kind is int else "text"
        raise SettingsError(f"setting {name!r} must be {wanted}, not {value!r} ({where})")
    if isinstance(value, int) and value < _LEAST[name]:
        raise SettingsError(f"setting {name!r} must be {_LEAST[name]} or more, not {value} ({where})")
    if value == "":
        raise SettingsError(f"setting {name!r} must not be empty ({where})")
    assert isinstance(value, str | int)
    return value
