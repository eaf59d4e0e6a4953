"""Every module, command, test and document that `docs/specification.md` names is there."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from command_line import all_commands

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT / "docs/specification.md"
_REFERENCE = re.compile(r"`([^`]+)`")
_COLUMNS = 4


def _rows() -> Iterator[tuple[str, str, str]]:
    """Yields of each row its item, where it lives, and how it is shown."""
    for line in SPECIFICATION.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == _COLUMNS and cells[0] not in ("item", "---"):
            yield cells[0], cells[1], cells[2]


ROWS = list(_rows())


def _resolve_module(reference: str) -> None:
    module, _, name = reference.partition(":")
    found = importlib.import_module(f"quaestor.{module}")
    assert not name or hasattr(found, name), f"quaestor.{module} has no {name}"


@cache
def _functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _resolve_test(reference: str) -> None:
    path, _, name = reference.partition("::")
    file = ROOT / path
    assert file.is_file(), f"there is no {path}"
    assert not name or name in _functions(file), f"{path} has no {name}"


def _resolve_command(reference: str) -> None:
    command = all_commands()
    _, *words = reference.split()
    for word in words:
        if word.startswith("--"):
            options = {option for parameter in command.params for option in parameter.opts}
            assert word in options, f"{reference}: there is no {word}"
        elif word.islower():
            command = getattr(command, "commands", {}).get(word) or pytest.fail(f"{reference}: there is no {word}")


def _resolve_evidence(reference: str) -> None:
    if reference.startswith("quaestor "):
        _resolve_command(reference)
    elif "test_" in reference:
        _resolve_test(reference)
    else:
        assert (ROOT / reference.removeprefix("python -m ").partition(" ")[0]).exists() or (
            ROOT / (reference.removeprefix("python -m ").replace(".", "/") + ".py")
        ).exists(), f"there is no {reference}"


def test_the_table_is_read() -> None:
    assert len(ROWS) > 100
    assert len({item for item, _, _ in ROWS}) == len(ROWS), "an item stands twice"


@pytest.mark.parametrize(("item", "where", "shown"), ROWS, ids=[item for item, _, _ in ROWS])
def test_an_item_lives_somewhere_and_is_shown(item: str, where: str, shown: str) -> None:
    places, evidence = _REFERENCE.findall(where), _REFERENCE.findall(shown)
    assert places, f"{item}: no module is named"
    assert evidence, f"{item}: nothing shows it"
    for reference in places:
        _resolve_module(reference)
    for reference in evidence:
        _resolve_evidence(reference)


@pytest.mark.parametrize("reference", ["ontology.no_such_module", "ontology.builder:NoSuchName"])
def test_a_module_that_is_not_there_is_seen(reference: str) -> None:
    with pytest.raises((ModuleNotFoundError, AssertionError)):
        _resolve_module(reference)


@pytest.mark.parametrize(
    "reference", ["quaestor no-such-command", "quaestor runs no-such-command", "quaestor ask --no-such-option"]
)
def test_a_command_that_is_not_there_is_seen(reference: str) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        _resolve_command(reference)


@pytest.mark.parametrize("reference", ["tests/unit/test_no_such.py", "tests/documentation/test_links.py::test_no_such"])
def test_a_test_that_is_not_there_is_seen(reference: str) -> None:
    with pytest.raises(AssertionError):
        _resolve_test(reference)
