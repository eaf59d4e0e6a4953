"""How right a filing was read, measured by its own tags (`quaestor check FILING`)."""

from collections.abc import Mapping
from pathlib import Path

from quaestor.readers.content import FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits, read_limited, read_tags_limited
from quaestor.readers.registry import find_reader
from quaestor.scoring.tag_check import FIGURES, TagCheck, check_tags

_HTML = "html"


def check_filing(path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> TagCheck | None:
    """Return how the tagged numbers of a filing were read; None if a file is not HTML, or has no tags."""
    return check_content(read_content(path), limits)


def check_content(content: FileContent, limits: ReadingLimits = DEFAULT_LIMITS) -> TagCheck | None:
    """Return the same of a file that was read."""
    reader = None if content.looks_like_json else find_reader(content)
    if reader is None or reader.name != _HTML:
        return None
    printed = read_tags_limited(content, limits)
    return check_tags(read_limited(content, limits)[1], printed) if printed else None


def filing_check_object(check: TagCheck) -> dict[str, object]:
    """Return a check as JSON: the figures of all tagged numbers, those of tables and of text, and what differs."""
    return {
        **_figures(check.all),
        "tables": _figures(check.tables),
        "text": _figures(check.text),
        "different": [
            {
                "place": found.place,
                "concept": found.concept,
                "printed": found.printed,
                "read": found.read,
                "tagged": found.tagged,
                "which": list(found.wrong),
                "in": "tables" if found.in_table else "text",
            }
            for found in check.different
        ],
    }


def _figures(counts: Mapping[str, int]) -> dict[str, object]:
    return {name: counts[name] for name in FIGURES}
