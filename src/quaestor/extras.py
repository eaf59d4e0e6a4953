"""Optional dependencies by extra.

A plain install answers questions without a model, scores, and builds graphs and ontologies. Everything else calls
`require_extra` first, so that a missing package is reported before any work.
"""

from importlib.util import find_spec

from quaestor.errors import SettingsError

EXTRAS: dict[str, tuple[str, ...]] = {
    "compare": ("scipy",),
    "models": ("pydantic_ai", "anthropic", "openai", "httpx2", "genai_prices", "jinja2"),
    "inspect": ("inspect_ai",),
    "mcp": ("jinja2", "mcp", "uvicorn"),
    "mongo": ("pymongo",),
    "otel": ("opentelemetry.exporter.otlp.proto.http", "opentelemetry.sdk"),
    "pandas": ("pandas",),
    "pdf": ("pypdfium2",),
    "polars": ("polars",),
    "ray": ("ray",),
    "report": ("matplotlib",),
    "web": ("fastapi", "jinja2", "python_multipart", "uvicorn"),
    "workbook": ("xlsxwriter",),
    "train": ("jax", "optax", "sklearn", "scipy", "xgboost"),
}
"""Extra to the modules that it installs."""


def require_extra(extra: str, purpose: str) -> None:
    """Check that the modules of an extra are installed, without importing them.

    Args:
        purpose: The subject of the error message, such as "training".

    Raises:
        SettingsError: A module is missing.
    """
    if missing := [module for module in EXTRAS[extra] if not is_installed(module)]:
        raise SettingsError(f"{purpose} requires {_join_modules(missing)}: run {how_to_install(extra)}")


def extra_of(module: str) -> str | None:
    """Return the extra that installs a module, or None.

    >>> extra_of("pymongo.errors")
    'mongo'
    """
    for extra, modules in EXTRAS.items():
        if any(f"{module}.".startswith(f"{brought}.") or f"{brought}.".startswith(f"{module}.") for brought in modules):
            return extra
    return None


def how_to_install(extra: str) -> str:
    """Return the commands that install an extra.

    >>> how_to_install("train")
    "pip install 'quaestor[train]' (in a checkout: pip install -e '.[train]')"
    """
    return f"pip install 'quaestor[{extra}]' (in a checkout: pip install -e '.[{extra}]')"


def is_installed(module: str) -> bool:
    """Return whether a module could be imported, without importing it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a package above it is missing, or was taken out
        return False


def _join_modules(modules: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(modules[:-1]), modules[-1])))
