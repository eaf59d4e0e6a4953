"""Which numbers of a sentence another verb leads to than the one that is asked for."""

from pathlib import Path

import pytest

import quaestor
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.number_fit import find_other_verbs
from quaestor.solvers.embedded.page import build_number_matrix

REPORT = """# Tern

In 2024 we built approximately 1,730 ferries and delivered about 1,790 ferries, at an average of 12 months.

We sold 40 ships and bought over 15 ships. Sales of $ 70 were recorded.
"""


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("how many ferries did Tern deliver in 2024?", ["1,730"]),
        ("how many ferries were built?", ["1,790"]),
        ("how many ferries were there?", []),
        ("how many ferries were built and delivered?", []),
        ("how many ships did they sell?", ["15"]),
        ("how many ships did they buy?", ["40"]),
        ("what were sales?", []),
    ],
)
def test_a_number_beside_the_one_that_is_asked_for(question: str, others: list[str], tmp_path: Path) -> None:
    (tmp_path / "tern.md").write_text(REPORT, encoding="utf-8")
    document = quaestor.open(tmp_path / "tern.md").document
    numbers = build_number_matrix(GraphProvider.of([document], "extend").graph(document))
    places = find_other_verbs(read_question(question), numbers, document)
    assert [numbers.leaves[place].quantity.text.split()[0] for place in places] == others
