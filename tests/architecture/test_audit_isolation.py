"""Audits of references are not training data; the contract `audits` in `pyproject.toml` lists who may not read them."""

import json
from pathlib import Path

import pytest
from sources import SOURCE

from quaestor.errors import QuaestorError
from quaestor.learning.examples import read_examples, read_lines


def test_package_contains_no_audit_file() -> None:
    holding = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and b"reference_wrong" in path.read_bytes()
    ]
    assert holding == ["scoring/audits.py"]


def test_audit_file_is_refused_as_training_data(tmp_path: Path) -> None:
    """Refuse an audit file even if it is passed explicitly as training data."""
    reading = {"verdict": "reference_wrong", "programs": ["5"]}
    entry = {"conversation": "c", "turn": 0, **reading, "reason": "", "readings": [reading] * 2, "settled": "agreed"}
    (tmp_path / "audit.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    for read in (read_examples, read_lines):
        with pytest.raises(QuaestorError, match=r"audit\.jsonl"):
            read([tmp_path / "audit.jsonl"])
