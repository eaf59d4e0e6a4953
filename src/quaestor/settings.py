"""What a person may set once instead of at every command.

Read at the edges only (command line, web, MCP server); everything below is handed values, never settings.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from quaestor.errors import SettingsError, unknown_name
from quaestor.processors import usable_processors

Setting = str | int | float | bool

FILE = "quaestor.toml"
PREFIX = "QUAESTOR_"

ASKED_AT_ONCE = 8
"""How many conversations ask a model at once, unless a person says otherwise. Servers limit how much they take."""

EXCERPT_TOKENS = 4_000
"""About how many tokens of a long document a question is answered from, unless a person says otherwise."""

QUESTION_SECONDS = 30.0
"""How many seconds of computing a question may take, unless a person says otherwise."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person has set.

    Attributes:
        store: The run store's URI or path; relative paths start at the current directory.
        workers: How many conversations are played at once; None leaves it to the solver: one a core that this process
            may use where it computes, `ASKED_AT_ONCE` where it asks a model.
        engine: What spreads work: `inline` (this process), `processes` or `ray`; None leaves it to the solver.
        address: Of the Ray cluster of the engine `ray`, `HOST:PORT` or `auto`; None starts one on this machine.
        max_requests: What a run may ask of its model: requests, repeated attempts included; None means no limit.
        excerpt_tokens: About how many tokens of a long document a question is answered from.
        question_seconds: How many seconds of computing a question may take; waiting for a model does not count.
        tracing: Whether requests to models are traced with OpenTelemetry.
        keep_asked: Whether `quaestor ask` keeps questions and answers in the store.
        author: Who makes corrections, as they are recorded; None is the user's name on this machine.
        serve_upload_mb: Megabytes of a file that is handed over to `quaestor serve`.
        serve_request_kb: Kilobytes of any other request of a program.
        serve_requests_per_minute: How many requests programs of one address may make; 0 is no limit.
        serve_questions: How many questions may be under way at once, those that wait for their turn included.
        serve_conversations: How many conversations are held open; the others are taken up again when they are asked.
        trusted_proxies: Addresses and networks, with commas between them, of the proxies whose `X-Forwarded-For` and
            `X-Forwarded-Proto` a server believes; None believes nobody's.
        cache: Whether what was made of a file is kept beside the store: the document, the index of its places.
        read_memory_mb: Megabytes of memory that reading a file may take.
        read_seconds: Seconds that reading a file may take.
        ontology: What pages are read with: a Turtle file, a digest of the store's, or `own`, that of a file's own
            documents, as is None.
        policy: What becomes of a label that the ontology does not have; None leaves it to the command.
        seed: Of everything that draws at random, such as the bootstrap.
        models: The tables `[models.NAME]` of the file, as written; `quaestor.llm.naming` reads them.
        prices: The tables `[prices.NAME]`; `quaestor.llm.budget` reads them.
        solvers: The tables `[solvers.NAME]`, the options of solvers; each solver reads its own.
    """

    store: str = ".quaestor/runs.db"
    solver: str = "embedded"
    workers: int | None = None
    engine: Literal["inline", "processes", "ray"] | None = None
    address: str | None = None
    ontology: str | None = None
    policy: Literal["strict", "extend"] | None = None
    seed: int = 0
    model: str | None = None
    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    excerpt_tokens: int = EXCERPT_TOKENS
    question_seconds: float = QUESTION_SECONDS
    tracing: bool = False
    keep_asked: bool = True
    cache: bool = True
    read_memory_mb: int = 2_048
    read_seconds: int = 60
    author: str | None = None
    serve_upload_mb: int = 50
    serve_request_kb: int = 256
    serve_requests_per_minute: int = 6_000
    serve_questions: int = 100
    serve_conversations: int = 64
    trusted_proxies: str | None = None
    models: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prices: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    solvers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def concurrency(self, *, asks: bool) -> int:
        """Return how many conversations are played at once, by a solver that asks a model or one that computes."""
        if self.workers is not None:
            return self.workers
        if asks:
            return ASKED_AT_ONCE
        return usable_processors()


_KINDS: Mapping[str, type] = {
    "store": str, "solver": str, "workers": int, "engine": str, "address": str, "ontology": str, "policy": str,
    "seed": int, "model": str,
    "max_requests": int, "max_tokens": int, "max_cost": float, "excerpt_tokens": int,
    "question_seconds": float, "tracing": bool,
    "keep_asked": bool, "cache": bool, "read_memory_mb": int, "read_seconds": int,
    "author": str, "serve_upload_mb": int, "serve_request_kb": int,
    "serve_requests_per_minute": int, "serve_questions": int, "serve_conversations": int, "trusted_proxies": str,
}  # fmt: skip
_TABLES = ("models", "prices", "solvers")
_LEAST: Mapping[str, float] = {
    "workers": 1, "seed": 0, "max_requests": 1, "max_tokens": 1, "max_cost": 0,
    "excerpt_tokens": 300, "question_seconds": 0.1, "serve_upload_mb": 1, "serve_request_kb": 1,
    "serve_requests_per_minute": 0, "serve_questions": 1, "serve_conversations": 1, "read_memory_mb": 256,
    "read_seconds": 1,
}  # fmt: skip
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "policy": ("strict", "extend"), "engine": ("inline", "processes", "ray"),
}  # fmt: skip
_WANTED: Mapping[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def load_settings(
    flags: Mapping[str, Setting | None] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings in force.

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
    values = {name: _checked(name, value, f"in {path}") for name, value in read.items()}
    values |= _from_environment(os.environ if environment is None else environment)
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    values |= {name: _checked(name, value, "on the command line") for name, value in given.items()}
    return Settings(**values, **tables)  # type: ignore[arg-type]  # _checked has compared every value with its field


def misspelt_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning for each variable that looks like a setting and is none, naming the nearest.

    >>> misspelt_variables({"QUAESTOR_SOLVR": "agent", "QUAESTOR_STORE": "runs.db"})
    ('unknown variable QUAESTOR_SOLVR; did you mean QUAESTOR_SOLVER?',)
    """
    known = [PREFIX + name.upper() for name in (*_KINDS, "debug", "token")]
    warnings = []
    for name in sorted(environment):
        # Other programs may have variables of the same beginning: only what is nearly one of ours is a slip.
        if name.startswith(PREFIX) and name not in known and (near := get_close_matches(name, known, n=1, cutoff=0.8)):
            warnings.append(f"unknown variable {name}; did you mean {near[0]}?")
    return tuple(warnings)


def _from_file(path: Path) -> dict[str, object]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error
    import tomllib  # most folders have no such file

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error


def _tables(name: str, tables: object, path: Path) -> dict[str, dict[str, object]]:
    """Return the tables under a heading such as `[models.NAME]`."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise SettingsError(f"{name!r} in {path} must contain tables such as [{name}.NAME]")
    return tables


def _from_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    values: dict[str, Setting] = {}
    for name, kind in _KINDS.items():
        text = environment.get(PREFIX + name.upper())
        if text:
            values[name] = _checked(name, _read(text, kind), f"in {PREFIX}{name.upper()}")
    return values


def _read(text: str, kind: type) -> Setting:
    """Return what a variable says, or the text where that is not of the kind that is wanted."""
    if kind is bool:
        return {"1": True, "true": True, "0": False, "false": False}.get(text.strip().casefold(), text)
    if kind in (int, float) and len(text) < 40:
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _either(choices: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def _checked(name: str, value: object, where: str) -> Setting:
    kind = _KINDS.get(name)
    if kind is None:
        raise SettingsError(unknown_name("setting", name, _KINDS, where=where))
    if kind is float and type(value) is int:
        value = float(value)
    # type() and not isinstance: TOML's `true` is not a number, although Python's True is one.
    if type(value) is not kind:
        raise SettingsError(f"setting {name!r} must be {_WANTED[kind]}, not {value!r} ({where})")
    if name in _LEAST and isinstance(value, int | float) and not _LEAST[name] <= value < float("inf"):
        raise SettingsError(f"setting {name!r} must be at least {_LEAST[name]}, not {value} ({where})")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise SettingsError(f"setting {name!r} must be {_either(_CHOICES[name])}, not {value!r} ({where})")
    if value == "":
        raise SettingsError(f"setting {name!r} must not be empty ({where})")
    assert isinstance(value, str | int | float)
    return value
