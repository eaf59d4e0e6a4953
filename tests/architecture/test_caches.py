"""Everything kept between calls is bounded, so that a process that runs for weeks needs no more memory."""

import ast
from collections.abc import Iterator

import pytest
from sources import sources

_EMPTY = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "WeakValueDictionary"})


def unbounded_caches(module: ast.Module) -> Iterator[int]:
    """Yield the lines of a module that define an unbounded cache of a function or an empty module-level container."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module == "functools":
            yield from (node.lineno for name in node.names if name.name == "cache")
        if isinstance(node, ast.Attribute) and node.attr == "cache" and ast.unparse(node) == "functools.cache":
            yield node.lineno
        if isinstance(node, ast.Call) and _name(node.func).endswith("lru_cache"):
            sizes = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "maxsize")]
            if any(isinstance(size, ast.Constant) and size.value is None for size in sizes):
                yield node.lineno
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_empty(node.value):
            yield node.lineno


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _is_empty(value: ast.expr | None) -> bool:
    """Return whether a value is an empty container, which can only be meant to be filled later."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    return (
        isinstance(value, ast.Call)
        and not value.args
        and ast.unparse(value.func).partition("[")[0].split(".")[-1] in _EMPTY
    )


@pytest.mark.slow
def test_every_cache_of_the_package_has_a_bound() -> None:
    found = [f"{path}:{line}" for path, text in sources().items() for line in unbounded_caches(ast.parse(text))]
    assert found == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("from functools import cache", [1]),
        ("import functools\n\n@functools.cache\ndef f(): ...", [3]),
        ("@lru_cache(maxsize=None)\ndef f(): ...", [1]),
        ("@lru_cache(None)\ndef f(): ...", [1]),
        ("_kept: dict[str, int] = {}", [1]),
        ("_kept = OrderedDict[str, int]()", [1]),
        ("@lru_cache(maxsize=8)\ndef f(): ...\nNAMES = {'a': 1}", []),
        ("kept = BoundedCache[str, int](8)", []),
    ],
)
def test_growing_cache_is_detected(source: str, lines: list[int]) -> None:
    assert list(unbounded_caches(ast.parse(source))) == lines
