"""`import quaestor` loads no submodules, and every public name exists, is sorted and has a docstring."""

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
"""`open` is public, but `import *` does not import it because it would shadow the builtin."""


@for_each(NAMES)
def test_every_public_name_exists_and_has_a_docstring(name: str) -> None:
    value = getattr(quaestor, name)
    assert value.__name__ == name
    assert value.__doc__
    # A dataclass without a docstring gets its signature as one.
    assert not value.__doc__.startswith(f"{name}(")
    assert f"`{name}`" in (quaestor.__doc__ or "")


def test_star_import_shadows_no_builtin() -> None:
    assert not set(quaestor.__all__) & set(dir(builtins))
    assert callable(quaestor.open)


def test_lazy_imports_are_the_public_names() -> None:
    homes = [name for names in quaestor._HOMES.values() for name in names]
    assert sorted(homes) == NAMES


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'read_mind'"):
        _ = quaestor.read_mind


def test_import_loads_no_submodule() -> None:
    code = "import sys, quaestor; print([name for name in sys.modules if name.startswith('quaestor.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_package_has_type_marker_and_version() -> None:
    assert (Path(quaestor.__file__).parent / "py.typed").is_file()
    assert quaestor.__version__ == version("quaestor")


def test_old_names_of_functions_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="answer_conversation"):
        assert getattr(quaestor, "play_conversation") is quaestor.answer_conversation  # noqa: B009 - not typed
