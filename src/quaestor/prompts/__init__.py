"""Prompts for models: a folder of templates for each solver, with a template for each step.

A missing variable is an error. Templates contain no domain rules; those come from the core of the ontology and are
passed in as variables.
"""

import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".j2"


def render(name: str, /, **variables: object) -> str:
    """Render a template.

    Args:
        variables: All variables of the template. Values are inserted verbatim: template markup in them is plain text.

    Raises:
        jinja2.UndefinedError: A variable is missing.
        jinja2.TemplateNotFound: The template does not exist.
    """
    return _environment().get_template(name + _SUFFIX).render(variables).strip()


def sources(folder: str) -> dict[str, str]:
    """Return the templates of a solver by file name, sorted."""
    found = {entry.name: entry for entry in files(__package__).joinpath(folder).iterdir()}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found) if name.endswith(_SUFFIX)}


@lru_cache(maxsize=8)
def digest(*folders: str, rendered: str = "") -> str:
    """Return the SHA-256 digest of all templates in some folders, for the record of a run."""
    whole = hashlib.sha256()
    parts = [part for folder in folders for named in sources(folder).items() for part in named]
    for part in (*parts, rendered):
        content = part.encode()
        whole.update(len(content).to_bytes(8, "big") + content)
    return whole.hexdigest()


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("quaestor", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
