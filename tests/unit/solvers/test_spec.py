"""Specifications and options of solvers: typed, or by name."""

from dataclasses import dataclass

import pytest

from quaestor.errors import SettingsError
from quaestor.options import option, read_options
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.base import RankingSolver
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.spec import EmbeddedOptions
from quaestor.solvers.reflection.solver import ReflectionSolver
from quaestor.solvers.reflection.spec import ReflectionOptions
from quaestor.solvers.registry import (
    make_solver,
    prompts_digest,
    solver_spec,
)
from quaestor.solvers.workflow.solver import WorkflowSolver


@pytest.mark.parametrize("name", ["embedded", "agent", "sparql", "workflow", "cascade"])
def test_solver_is_created_without_options_and_has_its_name(name: str) -> None:
    solver = make_solver(name)
    assert solver.name == name
    assert isinstance(solver, RankingSolver) == (name == "embedded")


def test_typed_and_named_options_are_equal() -> None:
    spec = solver_spec("agent")
    assert spec.read(AgentLimits(iterations=4)) == spec.read({"iterations": 4}) == AgentLimits(4, 3)
    assert spec.read({"model": "m"}) == spec.read(None) == AgentLimits()


def test_options_of_another_solver_are_refused() -> None:
    with pytest.raises(SettingsError):
        make_solver("agent", EmbeddedOptions())


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("agent", {"iterations": 0}, "'iterations'"),
        ("agent", {"iterations": True}, "0"),
        ("agent", {"iteration": 3}, "'iteration'"),
        ("embedded", {"model": "m"}, "'model'"),
        ("embedded", {"weights": 7}, "'weights'"),
        ("embedded", {"answers": "lists"}, "'answers'"),
        ("embedded", {"answers": 1}, "1"),
        ("embedded", {"abstain_below": 2}, "0"),
        ("embedded", {"abstain_below": float("nan")}, "0"),
        ("reflection", {"expert_options": 5}, "'expert_options'"),
        ("reflection", {"expert": "reflection"}, ""),
        ("reflection", {"hard_limit": 1}, "2"),
        ("reflection", {"expert": "agent", "weights": "w"}, "'weights'"),
        ("nobody", {}, "'nobody'"),
    ],
)
def test_options_that_do_not_fit_are_refused(name: str, options: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_solver(name, options)
    assert named in str(caught.value)


def test_typed_options_are_checked_too() -> None:
    with pytest.raises(SettingsError, match="'iterations'"):
        make_solver("agent", AgentLimits(iterations=-1))
    with pytest.raises(SettingsError, match="0"):
        make_solver("embedded", EmbeddedOptions(abstain_below=7.0))


def test_reflection_is_built_around_another_solver() -> None:
    options = ReflectionOptions(expert="workflow", expert_options={"repairs": 1}, max_iterations=3)
    solver = make_solver("reflection", options)
    assert isinstance(solver, ReflectionSolver)
    assert (solver.limits.max_iterations, solver.limits.hard_limit) == (3, 4)
    assert isinstance(solver.expert, WorkflowSolver)
    assert solver.expert.limits.repairs == 1
    around = make_solver("reflection", {"expert": "embedded", "expert_options": {"abstain_below": 0.5}})
    assert isinstance(around, ReflectionSolver)
    assert isinstance(around.expert, EmbeddedSolver)


def test_prompts_of_the_expert_count_in_the_digest() -> None:
    assert prompts_digest("reflection", {"expert": "agent"}) != prompts_digest("reflection")
    assert prompts_digest("reflection", {"expert": "embedded"}) == prompts_digest("reflection")
    assert prompts_digest("a solver of a test") is None


@dataclass(frozen=True, slots=True)
class Mixed:
    """Options of every kind."""

    count: int = option(1, help="a count", least=0, most=9)
    share: float = option(0.5, help="a share", least=0)
    on: bool = option(False, help="a switch")
    name: str | None = option(None, help="a name")


def test_options_of_every_kind_are_read() -> None:
    read = read_options(Mixed, {"count": 9, "share": 2, "on": True, "name": "x"}, "it")
    assert read == Mixed(9, 2.0, True, "x")
    assert type(read.share) is float
    assert read_options(Mixed, {"name": None}, "it") == Mixed()


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"count": 10}, "'count'"),
        ({"count": 1.0}, "0"),
        ({"share": -1}, "'share'"),
        ({"on": 1}, "'on'"),
        ({"name": 1}, "'name'"),
        ({"other": 1}, "'other'"),
    ],
)
def test_values_that_an_option_cannot_have_are_refused(values: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_options(Mixed, values, "it")
    assert named in str(caught.value)
