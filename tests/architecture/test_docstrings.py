"""A public function says what its parameters are, and an array what its axes are.

Functions with fewer than three parameters may say it in their first line. A method that a protocol or a base class
already describes need not say it again.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sources import modules

_FEWEST = 3


@dataclass(frozen=True)
class Described:
    """A public function or method, with its docstring.

    Attributes:
        module: Its module, dotted.
        owner: The class that it is a method of; None for a function.
        node: Its definition.
    """

    module: str
    owner: ast.ClassDef | None
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def name(self) -> str:
        """Where it is, for people."""
        return ".".join((self.module, *([self.owner.name] if self.owner else []), self.node.name))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters, less `self` and `cls`."""
        given = self.node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        return tuple(argument.arg for argument in every if argument.arg not in ("self", "cls"))

    @property
    def returned(self) -> str:
        """The type that it returns, as it is written."""
        return ast.unparse(self.node.returns) if self.node.returns else ""

    @property
    def words(self) -> str:
        """Its docstring."""
        return ast.get_docstring(self.node) or ""

    @property
    def arguments(self) -> set[str]:
        """The parameters that its `Args:` names."""
        section = re.search(r"^Args:\n((?: .*\n?|\n(?= ))+)", self.words, re.MULTILINE)
        return set(re.findall(r"^    (\w+):", section[1], re.MULTILINE)) if section else set()


def _public(module: str, body: list[ast.stmt], owner: ast.ClassDef | None = None) -> Iterator[Described]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(module, node.body, node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            # The forms of an overloaded one are described once, where it is written out.
            forms = "overload" in map(ast.unparse, node.decorator_list)
            yield from () if forms else (Described(module, owner, node),)


def _dotted(path: str) -> str:
    parts = ("quaestor", *Path(path).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")


@cache
def _trees() -> dict[str, ast.Module]:
    return {_dotted(path): tree for path, tree in modules() if not path.startswith("cli/")}


@cache
def _described() -> tuple[Described, ...]:
    return tuple(found for module, tree in _trees().items() for found in _public(module, tree.body))


def _is_protocol(owner: ast.ClassDef | None) -> bool:
    return owner is not None and any(ast.unparse(base).split("[")[0] == "Protocol" for base in owner.bases)


@cache
def _by_protocols() -> set[tuple[str, tuple[str, ...]]]:
    """Returns the methods that a protocol of ours describes: name and parameters."""
    return {(one.node.name, one.parameters) for one in _described() if _is_protocol(one.owner) and one.arguments}


@cache
def _arrays() -> set[str]:
    """Returns the names of array types."""
    return {
        node.targets[0].id
        for tree in _trees().values()
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and ast.unparse(node.value).startswith("NDArray[")
    } | {"NDArray"}


def _inherits(found: Described) -> bool:
    """Returns whether a method is described elsewhere: by a protocol of ours, or by a base class that has it."""
    if found.owner is None:
        return False
    if not _is_protocol(found.owner) and (found.node.name, found.parameters) in _by_protocols():
        return True
    kind = getattr(importlib.import_module(found.module), found.owner.name)
    return any(found.node.name in vars(base) for base in kind.__mro__[1:])


def test_functions_of_three_parameters_say_what_each_is() -> None:
    """Below `Args:`, every parameter by its name."""
    asked = [found for found in _described() if len(found.parameters) >= _FEWEST]
    silent = [found for found in asked if found.arguments != set(found.parameters)]
    assert [found.name for found in silent if found.arguments or not _inherits(found)] == []


def test_functions_that_return_arrays_say_their_shape() -> None:
    """Below `Shape:`, what the axes are."""
    asked = [found for found in _described() if _arrays() & set(re.findall(r"\w+", found.returned))]
    silent = [found for found in asked if not re.search(r"^Shape: \S", found.words, re.MULTILINE)]
    assert [found.name for found in silent if not _inherits(found)] == []


def test_the_rules_find_what_they_are_for() -> None:
    assert ("play", ("conversations", "factory", "listener", "graphs", "session")) in _by_protocols()
    assert {"NDArray", "Floats"} <= _arrays()
    bare = ast.parse("def sent(first, second, third):\n    '''Sends.\n\n    Args:\n        first: One.\n    '''")
    assert [found.arguments for found in _public("example", bare.body)] == [{"first"}]
