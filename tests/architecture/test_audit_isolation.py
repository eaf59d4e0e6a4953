"""An audit of references is no training data: only scoring, and what shows scores, reads one.

Held for whatever anybody names as an audit, for none comes with the package.
"""

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from sources import SOURCE, nodes

from quaestor.errors import QuaestorError
from quaestor.learning.examples import read_examples, read_lines

AUDITS = "quaestor.scoring.audits"
MAY_NOT = (
    "core", "documents", "readers", "plan", "llm", "store", "prompts", "ontology", "questions", "graph", "conversation",
    "datasets", "retrieval", "solvers", "evaluation", "learning", "repair",
    "application/training.py", "application/held_out_run.py", "application/calibrating.py", "application/refinement.py",
    "application/tool_advice.py", "application/tool_questions.py", "application/run_service.py",
    "application/ask_service.py", "application/chat_service.py", "library/asking.py", "library/ongoing.py",
)  # fmt: skip
"""What answers, and what learns: packages, and the parts of the application that lead to them."""


@cache
def imports() -> dict[str, frozenset[str]]:
    """The modules that each module imports, wherever in it, those for types too."""
    walked = {name_of(Path(path)): of_module for path, of_module in nodes()}
    return {name: frozenset(one for one in _imported(found) if one in walked) for name, found in walked.items()}


def name_of(path: Path) -> str:
    """The module of a path below the package."""
    parts = ("quaestor", *path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(found: Iterable[ast.AST]) -> Iterator[str]:
    for node in found:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@cache
def reading_audits() -> frozenset[str]:
    """The modules of audits, whatever imports one of them, and what imports that."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for module, imported in imports().items():
        for name in imported:
            importers[name].add(module)
    waiting = [name for name in imports() if name == AUDITS or name.startswith(f"{AUDITS}.")]
    found = set(waiting)
    while waiting:
        new = importers[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)


def modules_of(place: str) -> list[str]:
    path = SOURCE / place
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert files, place
    assert all(file.exists() for file in files), place
    return [name_of(file.relative_to(SOURCE)) for file in files]


def reads_audits(module: str) -> bool:
    return module in reading_audits()


@pytest.mark.parametrize("place", MAY_NOT)
def test_nothing_that_answers_or_learns_reaches_it(place: str) -> None:
    assert [module for module in modules_of(place) if reads_audits(module)] == []


@pytest.mark.parametrize("place", ["cli/audit.py", "cli/metrics.py", "application/report"])
def test_what_shows_scores_reaches_it(place: str) -> None:
    assert any(map(reads_audits, modules_of(place))), "nothing does: the test above looks for the wrong thing"


def test_none_comes_with_the_package() -> None:
    holding = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and b"reference_wrong" in path.read_bytes()
    ]
    assert holding == ["scoring/audits/audit.py"]


def test_nothing_can_be_trained_on_one(tmp_path: Path) -> None:
    """Not even by whoever hands it over as what to learn from."""
    reading = {"verdict": "reference_wrong", "programs": ["5"]}
    entry = {"conversation": "c", "turn": 0, **reading, "reason": "", "readings": [reading] * 2, "settled": "agreed"}
    (tmp_path / "audit.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    for read in (read_examples, read_lines):
        with pytest.raises(QuaestorError, match=r"audit\.jsonl"):
            read([tmp_path / "audit.jsonl"])
