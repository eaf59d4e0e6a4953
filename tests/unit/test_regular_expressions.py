"""Regular expressions of the package take at most linear time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pattern_costs import worst

SCRIPT = Path(__file__).parents[1] / "support" / "pattern_costs.py"


@pytest.mark.slow
def test_patterns_take_linear_time() -> None:
    ended = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert found["patterns"] > 100
    assert found["failing"] == []
    assert found["misread"] == []


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"\s*,?\s+(?:and|or)", r"[ab]+c", r"(?:a|a)+$"])
def test_costs_that_grow_too_fast_are_found(pattern: str) -> None:
    assert worst(pattern, 0, {"search"}, raw=True) is not None


def test_linear_costs_pass() -> None:
    assert worst(r"(?<!\s)\s++and", 0, {"search"}, raw=True) is None
