"""Rendering of templates: all values are escaped, and invisible direction marks are shown as symbols."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from quaestor.conversation.answer import confidence_words, show_confidence
from quaestor.conversation.display import correction_note, show_entries, show_number
from quaestor.conversation.events import event_lines
from quaestor.core.visible import visible
from quaestor.scoring.statistics import in_percent
from quaestor.web.security import STATIC

_LIKELY, _UNSURE = 0.8, 0.5

HERE = Path(__file__).parent
TEMPLATES, FILES = HERE / "templates", HERE / "static"


class Pages:
    """The templates of the package."""

    def __init__(self, areas: Mapping[str, str]) -> None:
        """Create the environment; templates are loaded on first use."""
        self.version = _version()
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_show,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals |= {"areas": dict(areas), "static": self.static}
        self._environment.filters |= _FILTERS

    def static(self, name: str) -> str:
        """Return the address of a static file by its path below `static/`."""
        return f"{STATIC}{self.version}/{name}"

    def text(self, template: str, /, **values: object) -> str:
        """Render a template; an undefined value is an error."""
        return self._environment.get_template(template).render(**values)

    def page(self, request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
        """Render a template as a response."""
        seen = {"path": request.url.path, "partial": is_partial(request)}
        return HTMLResponse(self.text(template, **seen, **values), status)


def is_partial(request: Request) -> bool:
    """Return whether htmx requests a fragment of a page."""
    return request.headers.get("hx-request") == "true" and request.headers.get("hx-history-restore-request") != "true"


def _show(value: object) -> object:
    """Make control characters visible in every printed value, before it is escaped."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def confidence_level(confidence: float) -> str:
    """Return the level of a confidence: `high`, `middle` or `low`."""
    return "high" if confidence >= _LIKELY else "middle" if confidence >= _UNSURE else "low"


def _as_sentence(words: str | None) -> str:
    return (words or "")[:1].upper() + (words or "")[1:]


def _as_json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


_FILTERS = {
    "as_json": _as_json,
    "as_sentence": _as_sentence,
    "confidence_level": confidence_level,
    "confidence_words": confidence_words,
    "correction_note": correction_note,
    "event_lines": event_lines,
    "in_percent": in_percent,
    "show_confidence": show_confidence,
    "show_entries": show_entries,
    "show_number": show_number,
}
"""Filters of the templates."""


def _version() -> str:
    digest = sha256()
    for path in sorted(FILES.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
