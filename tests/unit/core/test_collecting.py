"""The program collects garbage rarely; importing the package does not change the settings."""

import subprocess
import sys

import pytest


def threshold_after(statement: str) -> int:
    """Return the first garbage collection threshold of a process that has run a statement."""
    code = f"{statement}\nimport gc; print(gc.get_threshold()[0])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return int(printed.split()[-1])


@pytest.mark.slow
def test_program_collects_garbage_rarely() -> None:
    version = "import quaestor.cli, sys; sys.argv = ['quaestor', '--version']"
    assert threshold_after(f"{version}\ntry: quaestor.cli.main()\nexcept SystemExit: pass") > 10_000


def test_importing_the_package_keeps_garbage_collection_settings() -> None:
    assert threshold_after("import quaestor") == threshold_after("pass")
