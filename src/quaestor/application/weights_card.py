"""What weights were learned from, as their card says: a score on those files says nothing about others."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

_CARD = "card.json"


def is_trained_on(dataset: Path, solver: str, options: Mapping[str, JsonValue]) -> bool:
    """Return whether a file is one of those that a solver's weights were learned from.

    Args:
        solver: The solver's name; one without an option `weights` has learned from none.
        options: Of the solver; `weights` is the folder, by default the one that comes along.
    """
    from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS
    from quaestor.solvers.registry import solver_spec

    if "weights" not in solver_spec(solver).option_names:
        return False
    folder = options.get("weights")
    card = (Path(folder) if isinstance(folder, str) else SHIPPED_WEIGHTS) / _CARD
    try:
        files = json.loads(card.read_text(encoding="utf-8"))["files"]
        return hashlib.sha256(dataset.read_bytes()).hexdigest() in files.values()
    except (OSError, ValueError, KeyError, AttributeError):
        return False
