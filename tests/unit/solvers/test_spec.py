"""What solvers say of themselves, and their options: typed, or by name from settings and records."""

from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass

import pytest

from quaestor.errors import SettingsError
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.base import RankingSolver
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.spec import EmbeddedOptions
from quaestor.solvers.options import dump_options, option, read_options
from quaestor.solvers.reflection.solver import ReflectionSolver
from quaestor.solvers.reflection.spec import ReflectionOptions
from quaestor.solvers.registry import (
    make_solver,
    needs_model,
    prompts_digest,
    require_option,
    solver_names,
    solver_spec,
    solver_specs,
)
from quaestor.solvers.spec import RoleModel
from quaestor.solvers.workflow.solver import WorkflowSolver

BUILT_IN = ("embedded", "agent", "sparql", "workflow", "reflection", "cascade")


def test_the_solvers_of_the_package_are_known() -> None:
    assert solver_names()[:6] == BUILT_IN
    assert [spec.name for spec in solver_specs()][:6] == list(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_solver_says_what_it_is(name: str) -> None:
    spec = solver_spec(name)
    assert spec.summary
    assert "\n" not in spec.summary
    assert is_dataclass(spec.options)
    assert all(item.metadata["help"] for item in fields(spec.options))
    with pytest.raises(FrozenInstanceError):
        setattr(spec.options(), spec.option_names[0], 1)


@pytest.mark.parametrize("name", ["embedded", "agent", "sparql", "workflow", "cascade"])
def test_a_solver_is_made_without_options_and_has_its_name(name: str) -> None:
    solver = make_solver(name)
    assert solver.name == name
    assert isinstance(solver, RankingSolver) == (name == "embedded")


def test_typed_options_and_those_by_name_make_the_same() -> None:
    spec = solver_spec("agent")
    assert spec.read(AgentLimits(iterations=4)) == spec.read({"iterations": 4}) == AgentLimits(4, 3)
    assert spec.read({"model": "m"}) == spec.read(None) == AgentLimits()
    assert dump_options(AgentLimits(iterations=4)) == {"iterations": 4}


def test_options_of_another_solver_are_refused() -> None:
    with pytest.raises(SettingsError, match="the agent solver takes AgentLimits, not EmbeddedOptions"):
        make_solver("agent", EmbeddedOptions())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("agent", {"iterations": 0}, "'iterations' of the agent solver must be a whole number above 0, not 0"),
        ("agent", {"iterations": True}, "must be a whole number above 0, not True"),
        ("agent", {"iteration": 3}, "the agent solver has no option 'iteration': known are iterations, repairs"),
        ("embedded", {"model": "m"}, "the embedded solver has no option 'model': known are weights, abstain_below"),
        ("embedded", {"weights": 7}, "'weights' of the embedded solver must be text, not 7"),
        ("embedded", {"answers": "lists"}, "'answers' of the embedded solver must be numbers or all, not 'lists'"),
        ("embedded", {"answers": 1}, "must be numbers or all, not 1"),
        ("embedded", {"abstain_below": 2}, "must be a number from 0 to 1, not 2"),
        ("embedded", {"abstain_below": float("nan")}, "must be a number from 0 to 1, not nan"),
        ("reflection", {"expert_options": 5}, "'expert_options' of the reflection solver must be a table, not 5"),
        ("reflection", {"expert": "reflection"}, "cannot be its own expert"),
        ("reflection", {"hard_limit": 1}, "cannot make 2 drafts with a hard_limit of 1"),
        ("reflection", {"expert": "agent", "weights": "w"}, "the agent solver has no option 'weights'"),
        ("nobody", {}, "there is no solver 'nobody'; choose one of embedded, agent"),
    ],
)
def test_options_that_do_not_fit_are_refused(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_solver(name, options)


def test_typed_options_are_checked_too() -> None:
    with pytest.raises(SettingsError, match="'iterations' of the agent solver must be a whole number above 0, not -1"):
        make_solver("agent", AgentLimits(iterations=-1))
    with pytest.raises(SettingsError, match="from 0 to 1"):
        make_solver("embedded", EmbeddedOptions(abstain_below=7.0))


def test_who_needs_a_model() -> None:
    assert [name for name in BUILT_IN if needs_model(name)] == ["agent", "sparql", "workflow", "reflection", "cascade"]
    assert not needs_model("reflection", ReflectionOptions(expert="embedded"))
    assert needs_model("reflection", {"expert": "workflow", "expert_options": {"repairs": 1}})


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


def test_roles_have_models_of_their_own() -> None:
    spec = solver_spec("reflection")
    roles = spec.roles(spec.read({"expert_model": "big", "calculation_critic_temperature": 1}))
    assert roles == {"expert": RoleModel("big"), "calculation_critic": RoleModel(temperature=1.0)}


def test_prompts_of_the_expert_count_in_the_digest() -> None:
    assert prompts_digest("reflection", {"expert": "agent"}) != prompts_digest("reflection")
    assert prompts_digest("reflection", {"expert": "embedded"}) == prompts_digest("reflection")
    assert prompts_digest("a solver of a test") is None


def test_who_has_an_option_is_said() -> None:
    require_option("embedded", "abstain_below", "--abstain-below")
    require_option("cascade", "abstain_below", "--abstain-below")
    with pytest.raises(
        SettingsError, match="the solver 'agent' takes no weights: only embedded, reflection and cascade do"
    ):
        require_option("agent", "weights", "weights")
    with pytest.raises(SettingsError, match="takes no beam: no solver does"):
        require_option("agent", "beam", "beam")


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
    assert dump_options(read) == {"count": 9, "share": 2.0, "on": True, "name": "x"}
    assert read_options(Mixed, {"name": None}, "it") == Mixed()
    assert dump_options(Mixed()) == {}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 10}, "'count' of it must be a whole number from 0 to 9, not 10"),
        ({"count": 1.0}, "a whole number from 0 to 9, not 1.0"),
        ({"share": -1}, "'share' of it must be a number, 0 or more, not -1"),
        ({"on": 1}, "'on' of it must be true or false, not 1"),
        ({"name": 1}, "'name' of it must be text, not 1"),
        ({"other": 1}, "it has no option 'other': known are count, share, on, name"),
    ],
)
def test_values_that_an_option_cannot_have_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_options(Mixed, values, "it")
