"""Groups of options: spread out for typer, handed on as one value."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from quaestor.cli.groups import ModelOptions, OutputOptions, SolverOptions, with_options


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

    with pytest.raises(TypeError, match="has options twice: model"):
        with_options(command)


def test_what_a_command_says_of_its_solver_stands_above_the_settings() -> None:
    said = SolverOptions(abstain_below=0.25).overrides.options
    assert {name: value for name, value in said.items() if value is not None} == {"abstain_below": 0.25}
