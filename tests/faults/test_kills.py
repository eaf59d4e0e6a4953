"""Commands that write, killed at moments drawn by chance: `python -m benchmarks.kills` does it two hundred times."""

import random
from pathlib import Path

import pytest
from killing import killed, undisturbed
from killing_scenarios import SCENARIOS

pytestmark = [pytest.mark.faults, pytest.mark.slow]


@pytest.mark.parametrize("name", ["run", "run of a model", "runs import"])
@pytest.mark.very_slow
def test_what_was_acknowledged_is_there_and_all_else_is_played_again(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    wanted, seconds = undisturbed(scenario, tmp_path / "undisturbed")
    for kill in killed(scenario, tmp_path / "killed", random.Random(name), 1, wanted, seconds):
        assert kill.wrong == [], kill
