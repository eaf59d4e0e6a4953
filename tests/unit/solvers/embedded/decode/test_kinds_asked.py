"""Whether a number of a filing is of the kind that a question asks for."""

from pathlib import Path

import pytest

import quaestor
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.decode.kinds_asked import kind_asked
from quaestor.solvers.embedded.page.matrix import number_matrix

REPORT = """# Birch

| (in millions) | 2024 | 2023 |
|---|---|---|
| Net income | 80 | 70 |
| Dividends ($0.50 per share) | 12 | 10 |
| Dividends per share | $0.50 | $0.40 |

| Debt matures (in millions) | Amount |
|---|---|
| 2025 | 15 |
| 2026-2027 | 35 |

Our employee headcount worldwide was 1,240. Over 300 of our employees work in research. In 2024, 85 patents
were sold.
"""


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("how many employees does it have?", ["1,240"]),
        ("how many patents were sold?", ["85"]),
        ("how many ships are there?", []),
        ("what were dividends per share?", ["$0.50", "$0.40"]),
        ("how much debt is due in 2025?", ["15"]),
        ("how much debt matures in 2026?", []),
        ("how much debt matures within 5 years?", []),
        ("what was net income according to the note on amounts per share?", ["80"]),
    ],
)
def test_numbers_of_the_kind_that_is_asked_for(question: str, met: list[str], tmp_path: Path) -> None:
    (tmp_path / "birch.md").write_text(REPORT, encoding="utf-8")
    document = quaestor.open(tmp_path / "birch.md").document
    numbers = number_matrix(GraphProvider.of([document], "extend").graph(document))
    kind = kind_asked(read_question(question))
    fitting = [leaf.quantity.text for leaf in numbers.leaves if kind.is_met(leaf, document)]
    assert fitting[:1] == met[:1]
    assert len(fitting) == len(met) or not kind
