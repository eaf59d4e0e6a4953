"""What a cascade is built with, and what it refuses."""

from pathlib import Path

import pytest

from quaestor.errors import SettingsError
from quaestor.solvers.cascade.solver import CascadeSolver
from quaestor.solvers.cascade.spec import SPEC
from quaestor.solvers.registry import make_solver, needs_model, prompts_digest, solver_spec
from quaestor.solvers.spec import RoleModel

NO_MODEL = {"stages": "embedded, reflection", "stages_options": {"reflection": {"expert": "embedded"}}}


def test_stages_come_in_their_order_each_with_its_threshold() -> None:
    found = make_solver("cascade", {"stages": "embedded,workflow,agent", "thresholds": "0.8,0.5"})
    assert isinstance(found, CascadeSolver)
    assert [(stage.solver.name, stage.least) for stage in found.stages] == [
        ("embedded", 0.8),
        ("workflow", 0.5),
        ("agent", None),
    ]


def test_one_threshold_is_that_of_all_stages() -> None:
    found = make_solver("cascade", {"stages": "embedded,workflow,agent", "thresholds": 0.6})
    assert isinstance(found, CascadeSolver)
    assert [stage.least for stage in found.stages] == [0.6, 0.6, None]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"stages": "embedded"}, ""),
        ({"stages": "embedded,nobody"}, "'nobody'"),
        ({"stages": "embedded,cascade"}, ""),
        ({"thresholds": "high"}, "'high'"),
        ({"thresholds": 1.5}, "0"),
        ({"thresholds": "nan"}, "'nan'"),
        ({"thresholds": "0.5,0.6"}, "2"),
        ({"abstain_below": 2}, "abstain_below"),
        ({"abstain_below": 0.5}, "'workflow'"),
        ({"models": "a,b,c"}, ""),
        ({"stages_options": {"embedded": 3}}, "'embedded'"),
        ({"stages_options": {"workflow": {"depth": 3}}}, "'depth'"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_solver("cascade", options)
    assert named in str(caught.value)


def test_stages_that_say_how_sure_they_are_can_be_withheld_by_it(tmp_path: Path) -> None:
    found = make_solver("cascade", {**NO_MODEL, "abstain_below": 0.5})
    assert isinstance(found, CascadeSolver)
    calibrated = {"workflow": {"calibration": str(tmp_path / "calibration.json")}}
    assert SPEC.read({"abstain_below": 0.5, "stages_options": calibrated}).abstain_below == 0.5


def test_it_needs_a_model_where_a_stage_does() -> None:
    assert needs_model("cascade")
    assert not needs_model("cascade", NO_MODEL)


def test_what_its_stages_tell_a_model_is_in_the_digest_of_its_prompts() -> None:
    assert SPEC.prompts(SPEC.read({"stages": "embedded,workflow,agent"})) == ("workflow", "structured", "agent")
    assert prompts_digest("cascade") == prompts_digest("workflow")
    assert prompts_digest("cascade") != prompts_digest("cascade", {"stages": "embedded,agent"})


def test_a_stage_may_have_a_model_of_its_own() -> None:
    read = SPEC.read({"stages": "embedded,workflow,agent", "models": ",small,big"})
    assert SPEC.roles(read) == {"stage_2": RoleModel("small"), "stage_3": RoleModel("big")}


def test_roles_that_a_stage_has_itself_stay() -> None:
    critic = {"reflection": {"calculation_critic_model": "strict"}}
    read = SPEC.read({"stages": "embedded,reflection", "stages_options": critic})
    assert SPEC.roles(read) == {"calculation_critic": RoleModel("strict")}


def test_weights_go_to_the_stages_that_have_any() -> None:
    read = solver_spec("cascade").read({"weights": "w"})
    assert read.of_stage("embedded") == {"weights": "w"}  # type: ignore[attr-defined]
    assert read.of_stage("workflow") == {}  # type: ignore[attr-defined]
