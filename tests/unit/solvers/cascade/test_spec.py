"""Valid and invalid options of a cascade."""

from pathlib import Path

import pytest

from quaestor.errors import SettingsError
from quaestor.solvers.cascade.solver import CascadeSolver
from quaestor.solvers.cascade.spec import SPEC
from quaestor.solvers.registry import make_solver
from quaestor.solvers.spec import RoleModel

NO_MODEL = {"stages": "embedded, reflection", "stages_options": {"reflection": {"expert": "embedded"}}}


def test_stages_are_ordered_and_have_thresholds() -> None:
    found = make_solver("cascade", {"stages": "embedded,workflow,agent", "thresholds": "0.8,0.5"})
    assert isinstance(found, CascadeSolver)
    assert [(stage.solver.name, stage.least) for stage in found.stages] == [
        ("embedded", 0.8),
        ("workflow", 0.5),
        ("agent", None),
    ]


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
def test_incompatible_options_are_refused(options: dict[str, object], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_solver("cascade", options)
    assert named in str(caught.value)


def test_answers_of_stages_with_confidence_can_be_withheld(tmp_path: Path) -> None:
    found = make_solver("cascade", {**NO_MODEL, "abstain_below": 0.5})
    assert isinstance(found, CascadeSolver)
    calibrated = {"workflow": {"calibration": str(tmp_path / "calibration.json")}}
    assert SPEC.read({"abstain_below": 0.5, "stages_options": calibrated}).abstain_below == 0.5


def test_a_stage_may_have_a_model_of_its_own() -> None:
    read = SPEC.read({"stages": "embedded,workflow,agent", "models": ",small,big"})
    assert SPEC.roles(read) == {"stage_2": RoleModel("small"), "stage_3": RoleModel("big")}
