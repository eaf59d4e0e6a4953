"""Groups of options: separate parameters for typer, passed on as one value."""

import pytest

from quaestor.application.solver_options import solver_options
from quaestor.cli.options import SolverOptions
from quaestor.errors import SettingsError
from quaestor.settings import Settings


def test_any_option_can_be_given_by_its_name() -> None:
    result = SolverOptions(option=["weights=a=b", "abstain-below=0.5"]).overrides
    assert result.texts == {"weights": "a=b", "abstain_below": "0.5"}
    settings = Settings()
    assert solver_options(settings, result) == {"weights": "a=b", "abstain_below": 0.5}
    with pytest.raises(SettingsError):
        solver_options(settings, SolverOptions(abstain_below=0.25, option=["abstain_below=0.5"]).overrides)
    with pytest.raises(SettingsError):
        solver_options(Settings(solver="reflection"), SolverOptions(option=["expert_options=1"]).overrides)
