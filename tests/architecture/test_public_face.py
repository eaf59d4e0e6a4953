"""`import quaestor` costs nothing, and every public name is there, sorted and described."""

import builtins
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from many_cases import for_each

import quaestor


def test_names_are_sorted_and_unique() -> None:
    assert quaestor.__all__ == sorted(set(quaestor.__all__))
    assert set(quaestor.__all__) <= set(dir(quaestor))


NAMES = sorted({*quaestor.__all__, "open"} - {"__version__"})
"""`open` is public, and not among what `import *` takes: Python has an `open` of its own."""


@for_each(NAMES)
def test_every_name_is_there_and_described(name: str) -> None:
    value = getattr(quaestor, name)
    assert value.__name__ == name
    assert value.__doc__
    # A dataclass without a docstring of its own is given its signature.
    assert not value.__doc__.startswith(f"{name}(")
    assert f"`{name}`" in (quaestor.__doc__ or "")


def test_importing_everything_leaves_pythons_own_names_as_they_are() -> None:
    assert not set(quaestor.__all__) & set(dir(builtins))
    assert callable(quaestor.open)


def test_every_home_is_a_public_name() -> None:
    homes = [name for names in quaestor._HOMES.values() for name in names]
    assert sorted(homes) == NAMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'read_mind'"):
        _ = quaestor.read_mind


def test_importing_imports_nothing_else() -> None:
    code = "import sys, quaestor; print([name for name in sys.modules if name.startswith('quaestor.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_its_types_are_its_own() -> None:
    assert (Path(quaestor.__file__).parent / "py.typed").is_file()
    assert quaestor.__version__ == version("quaestor")


def test_old_names_of_functions_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="answer_conversation"):
        assert getattr(quaestor, "play_conversation") is quaestor.answer_conversation  # noqa: B009 - not typed
