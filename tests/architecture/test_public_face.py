"""`import quaestor` costs nothing, and every public name is there, sorted and described."""

import subprocess
import sys

import pytest

import quaestor


def test_names_are_sorted_and_unique() -> None:
    assert quaestor.__all__ == sorted(set(quaestor.__all__))
    assert set(quaestor.__all__) <= set(dir(quaestor))


@pytest.mark.parametrize("name", quaestor.__all__)
def test_every_name_is_there_and_described(name: str) -> None:
    value = getattr(quaestor, name)
    assert value.__name__ == name
    assert value.__doc__


def test_every_home_is_a_public_name() -> None:
    homes = [name for names in quaestor._HOMES.values() for name in names]
    assert sorted(homes) == quaestor.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'read_gold'"):
        _ = quaestor.read_gold


def test_importing_imports_nothing_else() -> None:
    code = "import sys, quaestor; print([name for name in sys.modules if name.startswith('quaestor.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
