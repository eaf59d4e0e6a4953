"""The documentation lists what is measured, as the code does."""

from pathlib import Path

import pytest

from quaestor.solvers.embedded.features.candidates import CANDIDATE_FEATURES
from quaestor.solvers.embedded.features.numbers import LEAF_FEATURES

DOCUMENT = Path(__file__).resolve().parents[4] / "docs" / "no_model_features.md"


@pytest.mark.parametrize(
    ("title", "columns"), [("leaf scorer", LEAF_FEATURES), ("ranker", CANDIDATE_FEATURES)], ids=["leaves", "plans"]
)
def test_the_documentation_has_all_columns(title: str, columns: dict[str, str]) -> None:
    _, _, section = DOCUMENT.read_text(encoding="utf-8").partition(f"## What the {title} sees")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    # `python -m benchmarks.no_model --features` prints them.
    assert rows == [f"| `{name}` | {said.replace('|', chr(92) + '|')} |" for name, said in columns.items()]
