"""Replace a built-in solver with another one of the same name."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest

from quaestor.solvers.base import Solver


def stand_in(monkeypatch: pytest.MonkeyPatch, build: Callable[[], Solver], name: str = "embedded") -> None:
    """Build the solver `name` with `build` for one test; its options are parsed as usual."""
    module = import_module(f"quaestor.solvers.{name}.spec")
    monkeypatch.setattr(module, "SPEC", replace(module.SPEC, build=lambda options: build()))
