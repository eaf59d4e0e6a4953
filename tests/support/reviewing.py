"""Accept all proposals of a review."""

import json
from pathlib import Path


def accept_all(path: Path) -> None:
    """Mark each proposal of a review file as accepted."""
    found = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([{**item, "accept": True} for item in found]), encoding="utf-8")
