"""What a person does who accepts all that was proposed."""

import json
from pathlib import Path


def accept_all(path: Path) -> None:
    """Set each proposal of a review file to accepted."""
    found = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([{**item, "accept": True} for item in found]), encoding="utf-8")
