"""Kill commands that write at random moments; `python -m benchmarks.kills` does it two hundred times."""

import random
from pathlib import Path

import pytest
from killing import killed, undisturbed
from killing_scenarios import SCENARIOS

pytestmark = [pytest.mark.faults, pytest.mark.slow]


@pytest.mark.parametrize("name", ["run", "run of a model", "runs import"])
@pytest.mark.very_slow
def test_acknowledged_turns_survive_and_the_rest_is_repeated(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    wanted, seconds = undisturbed(scenario, tmp_path / "undisturbed")
    for kill in killed(scenario, tmp_path / "killed", random.Random(name), 1, wanted, seconds):
        assert kill.wrong == [], kill
