"""What models are told: one folder of templates for a solver, one template for a step.

A template that lacks a variable is refused, and no template holds a rule of the domain: those are in the ontology's
core and are rendered in.
"""

import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_SUFFIX = ".j2"


def render(name: str, /, **variables: object) -> str:
    """Return a template, filled in.

    Args:
        name: Folder and step, such as `agent/answer`.
        variables: All that it names. Values are written as they are: markup of a template in them is text.

    Raises:
        jinja2.UndefinedError: A variable is missing.
        jinja2.TemplateNotFound: There is no such template.
    """
    return _environment().get_template(name + _SUFFIX).render(variables).strip()


def sources(folder: str) -> dict[str, str]:
    """Return the templates of a solver by the names of their files, sorted."""
    found = {entry.name: entry for entry in files(__package__).joinpath(folder).iterdir()}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found) if name.endswith(_SUFFIX)}


@lru_cache(maxsize=8)
def digest(*folders: str, rendered: str = "") -> str:
    """Return the SHA-256 over all templates of some folders: what a run was told, in its record."""
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
        autoescape=False,  # prompts are text, and what is text in them must stay as it is
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
