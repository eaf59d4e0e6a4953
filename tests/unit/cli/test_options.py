"""Groups of options: separate parameters for typer, passed on as one value."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from quaestor.application.solver_options import solver_options
from quaestor.cli.options import ModelOptions, SolverOptions, with_options
from quaestor.errors import SettingsError
from quaestor.settings import Settings


def test_two_groups_with_one_name_are_refused() -> None:
    @dataclass(frozen=True)
    class Other:
        model: Annotated[str | None, typer.Option("--model")] = None

    def command(one: ModelOptions, other: Other) -> None: ...

    with pytest.raises(TypeError):
        with_options(command)


def test_any_option_can_be_given_by_its_name() -> None:
    result = SolverOptions(option=["weights=a=b", "abstain-below=0.5"]).overrides
    assert result.texts == {"weights": "a=b", "abstain_below": "0.5"}
    settings = Settings()
    assert solver_options(settings, result) == {"weights": "a=b", "abstain_below": 0.5}
    with pytest.raises(SettingsError):
        solver_options(settings, SolverOptions(abstain_below=0.25, option=["abstain_below=0.5"]).overrides)
    with pytest.raises(SettingsError):
        solver_options(Settings(solver="reflection"), SolverOptions(option=["expert_options=1"]).overrides)
