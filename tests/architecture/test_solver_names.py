"""What the package knows of a solver stands in its spec: nobody asks for its name."""

import re
from pathlib import Path

from quaestor.solvers.registry import solver_names

SOURCE = Path(__file__).parents[2] / "src" / "quaestor"

KNOWN = {"solvers/registry.py", "settings.py"}
"""The table of the built-in solvers, and the one that is taken where none is named."""


def test_no_module_but_its_own_names_a_solver() -> None:
    named = re.compile("|".join(f'"{name}"' for name in solver_names()[:6]))
    found = [
        f"{path}:{number}"
        for file in SOURCE.rglob("*.py")
        if (path := file.relative_to(SOURCE).as_posix()) not in KNOWN
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if (name := named.search(line)) and not path.startswith(f"solvers/{name[0][1:-1]}/")
    ]
    assert found == []
