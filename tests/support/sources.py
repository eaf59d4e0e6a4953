"""The package's source, parsed once for all tests that read it."""

import ast
from functools import cache
from pathlib import Path

import quaestor

SOURCE = Path(quaestor.__file__).parent


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Of each module its path below the package and its syntax tree, in the order of paths."""
    paths = sorted(SOURCE.rglob("*.py"))
    return tuple((path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


@cache
def nodes() -> tuple[tuple[str, tuple[ast.AST, ...]], ...]:
    """Of each module its path below the package and all nodes of its tree."""
    return tuple((path, tuple(ast.walk(tree))) for path, tree in modules())
