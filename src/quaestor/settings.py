"""Settings from flags, environment variables and `quaestor.toml`.

Only the entry points (command line, web, MCP server) read them and pass values on.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_type_hints

from quaestor.errors import SettingsError, unknown_name
from quaestor.options import checked_value, option, option_field, value_of_text
from quaestor.processors import usable_processors

Setting = str | int | float | bool

FILE = "quaestor.toml"
PREFIX = "QUAESTOR_"

ASKED_AT_ONCE = 8
"""Default number of concurrent conversations with a model; providers limit the rate of requests."""

EXCERPT_TOKENS = 4_000
"""Default size of the excerpt of a long document, in approximate tokens."""

QUESTION_SECONDS = 30.0
"""Default limit of computing time for a question."""


@dataclass(frozen=True, slots=True)
class Settings:
    """User settings; flags and environment variables have the same names, types and limits.

    The tables `[models.NAME]`, `[prices.NAME]` and `[solvers.NAME]` are not validated here, but by
    `quaestor.llm.naming`, `quaestor.llm.budget` and each solver.
    """

    store: str = option(
        ".quaestor/runs.db",
        help="Run store: sqlite:///PATH, a path or mongodb://HOST/DATABASE.",
        flag="--store",
        metavar="URI",
    )
    solver: str = option("embedded", help="Solver that answers the questions.", flag="--solver", metavar="NAME")
    workers: int | None = option(
        None, help="Number of conversations (for `read`, files) at once.", least=1, flag="--workers", metavar="N"
    )
    engine: Literal["inline", "processes", "ray"] | None = option(
        None,
        help="How to distribute the work: inline (this process), processes or ray (a cluster). By default chosen for "
        "the solver.",
        flag="--engine",
        metavar="NAME",
    )
    address: str | None = option(
        None,
        help="Ray cluster to use with --engine ray; by default a local one is started.",
        flag="--address",
        metavar="HOST:PORT",
    )
    ontology: str | None = option(
        None,
        help="Frozen ontology: a Turtle file, or the digest of one in the store.",
        flag="--ontology",
        metavar="FILE.ttl|DIGEST",
    )
    policy: Literal["strict", "extend"] | None = option(
        None,
        help="How to handle a label that is not in the ontology: strict reports an error, extend adds a property.",
        flag="--policy",
    )
    seed: int = option(0, help="Seed of everything that draws at random, such as the bootstrap.", least=0)
    model: str | None = option(
        None,
        help="Model to use: anthropic:NAME, openai:NAME, vllm:NAME, ollama:NAME or llama.cpp:NAME, each with an "
        "optional @URL; or the name of a [models.NAME] table in quaestor.toml.",
        flag="--model",
        metavar="NAME",
    )
    max_requests: int | None = option(
        None, help="Stop the run after N model requests.", least=1, flag="--max-requests", metavar="N"
    )
    max_tokens: int | None = option(
        None,
        help="Stop the run after N tokens, input and output together.",
        least=1,
        flag="--max-tokens",
        metavar="N",
    )
    max_cost: float | None = option(
        None,
        help="Stop the run when its cost reaches this many US dollars.",
        least=0,
        flag="--max-cost",
        metavar="USD",
    )
    excerpt_tokens: int = option(
        EXCERPT_TOKENS,
        help="Approximate number of tokens of a long document to answer each question from.",
        least=300,
        flag="--excerpt-tokens",
        metavar="N",
    )
    question_seconds: float = option(
        QUESTION_SECONDS,
        help="How many seconds of computing a question may take; waiting for a model does not count.",
        least=0.1,
        flag="--question-seconds",
        metavar="SECONDS",
    )
    tracing: bool = option(False, help="Trace requests to models with OpenTelemetry.")
    keep_asked: bool = option(True, help="Save questions and answers in the run store.", flag="--keep/--no-keep")
    cache: bool = option(True, help="Cache parsed files next to the store.", flag="--cache/--no-cache")
    read_memory_mb: int = option(2_048, help="Megabytes of memory that reading a file may take.", least=256)
    read_seconds: int = option(60, help="Seconds that reading a file may take.", least=1)
    author: str | None = option(
        None, help="Who makes corrections, as they are recorded; by default the user of this machine."
    )
    serve_upload_mb: int = option(
        50, help="Maximum size of an uploaded file, in megabytes.", least=1, flag="--upload-mb", metavar="N"
    )
    serve_request_kb: int = option(
        256, help="Maximum size of any other API request, in kilobytes.", least=1, flag="--request-kb", metavar="N"
    )
    serve_requests_per_minute: int = option(
        6_000,
        help="API requests allowed per client address and minute; 0 means unlimited.",
        least=0,
        flag="--requests-per-minute",
        metavar="N",
    )
    serve_questions: int = option(
        100, help="Maximum number of questions in progress at a time.", least=1, flag="--questions", metavar="N"
    )
    serve_conversations: int = option(
        64, help="Maximum number of open conversations.", least=1, flag="--conversations", metavar="N"
    )
    trusted_proxies: str | None = option(
        None,
        help="Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, such as "
        "10.0.0.1,10.1.0.0/16; none by default.",
        flag="--trusted-proxies",
        metavar="ADDRESS,...",
    )
    models: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prices: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    solvers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def concurrency(self, *, asks: bool) -> int:
        """Return the number of concurrent conversations.

        Args:
            asks: Whether the solver calls a model.
        """
        if self.workers is not None:
            return self.workers
        if asks:
            return ASKED_AT_ONCE
        return usable_processors()


_TABLES = ("models", "prices", "solvers")
SETTING_NAMES = tuple(item.name for item in fields(Settings) if item.name not in _TABLES)


def load_settings(
    flags: Mapping[str, Setting | None] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings: flags override `QUAESTOR_*` variables, which override `quaestor.toml`.

    Args:
        flags: Values by name; None for a flag that was not given.

    Raises:
        SettingsError: A value is invalid, a key is unknown, or the file is not TOML.
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
    """Return a warning for each environment variable that looks like a misspelt setting.

    >>> misspelt_variables({"QUAESTOR_SOLVR": "agent", "QUAESTOR_STORE": "runs.db"})
    ('unknown variable QUAESTOR_SOLVR; did you mean QUAESTOR_SOLVER?',)
    """
    known = [PREFIX + name.upper() for name in (*SETTING_NAMES, "debug", "token")]
    warnings = []
    for name in sorted(environment):
        # Other programs may use the prefix: report only names close to a setting.
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
    except (ValueError, RecursionError) as error:  # tomllib also raises them for huge numbers and deep nesting
        raise SettingsError(f"{path} is not valid TOML: {error}") from error


def _tables(name: str, tables: object, path: Path) -> dict[str, dict[str, object]]:
    """Return tables such as `[models.NAME]` by name."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise SettingsError(f"{name!r} in {path} must contain tables such as [{name}.NAME]")
    return tables


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    values, hints = dict[str, object](), get_type_hints(Settings)
    for name in SETTING_NAMES:
        variable = PREFIX + name.upper()
        if text := environment.get(variable):
            values[name] = _checked(name, value_of_text(hints[name], text), f"in {variable}")
    return values


def _checked(name: str, value: object, where: str) -> object:
    if name not in SETTING_NAMES:
        raise SettingsError(unknown_name("setting", name, SETTING_NAMES, where=where))
    if value == "":
        raise SettingsError(f"setting {name!r} must not be empty ({where})")
    try:
        return checked_value(value, get_type_hints(Settings)[name], option_field(Settings, name).metadata)
    except ValueError as error:
        raise SettingsError(f"setting {name!r} {error} ({where})") from None
