"""Groups of options: spread out for typer, handed on as one value."""

from dataclasses import dataclass, fields
from typing import Annotated, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from quaestor.application.solver_options import solver_options
from quaestor.cli.options import ModelOptions, OutputOptions, SolverOptions, with_options
from quaestor.errors import SettingsError
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_specs


def test_a_command_is_handed_its_options_as_values() -> None:
    given: list[object] = []

    @with_options
    def command(name: Annotated[str, typer.Argument()], solver: SolverOptions, results: OutputOptions) -> None:
        """A command."""
        given.extend((name, solver, results))

    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, ["x", "--solver", "agent", "--json", "--abstain-below", "0.5"]).exit_code == 0
    assert given == ["x", SolverOptions(solver="agent", abstain_below=0.5), OutputOptions(json=True)]
    assert "--force" in CliRunner().invoke(app, ["--help"]).output


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


def test_the_help_of_a_flag_is_what_the_solver_says_of_its_option() -> None:
    """A flag that is an option of a solver has no words of its own."""
    own = {item.name for item in fields(SolverOptions)} - {"solver", "option"}
    hints = get_type_hints(SolverOptions, include_extras=True)
    for name in own:
        described = [
            str(item.metadata["help"]) for spec in solver_specs() for item in fields(spec.options) if item.name == name
        ]
        shown = hints[name].__metadata__[0].help.lower()
        assert any(words.lower() in shown for words in described), name
