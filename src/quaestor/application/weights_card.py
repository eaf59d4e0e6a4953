"""What weights were learned from, as their card says: a score on those files says nothing about others."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

_CARD = "card.json"


def learned_from(dataset: Path, options: Mapping[str, JsonValue]) -> bool:
    """Returns whether a file is one of those that the weights of the embedded solver were learned from.

    Args:
        dataset: The file.
        options: Of the solver; `weights` is the folder, by default the one that comes along.
    """
    from quaestor.solvers import embedded

    folder = options.get("weights")
    card = (Path(folder) if isinstance(folder, str) else Path(embedded.__path__[0]) / "weights") / _CARD
    try:
        files = json.loads(card.read_text(encoding="utf-8"))["files"]
        return hashlib.sha256(dataset.read_bytes()).hexdigest() in files.values()
    except (OSError, ValueError, KeyError, AttributeError):
        return False
