"""The source text of the package, read once for all tests that use it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import quaestor

SOURCE = Path(quaestor.__file__).parent


@cache
def sources() -> dict[str, str]:
    """Return the text of each module by its path below the package, in the order of paths."""
    paths = sorted(SOURCE.rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def nodes(*words: str) -> Iterator[tuple[str, list[ast.AST]]]:
    """Yield the path and all nodes of each module that contains one of the words; other modules are not parsed."""
    for path, text in sources().items():
        if any(word in text for word in words):
            yield path, list(ast.walk(ast.parse(text)))
