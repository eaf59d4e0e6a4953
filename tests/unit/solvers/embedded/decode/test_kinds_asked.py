"""Whether a number of a filing is of the kind that a question asks for."""

from pathlib import Path

import pytest

import quaestor
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.number_fit import read_asked_kind
from quaestor.solvers.embedded.page import build_number_matrix

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
    numbers = build_number_matrix(GraphProvider.of([document], "extend").graph(document))
    kind = read_asked_kind(read_question(question))
    fitting = [leaf.quantity.text for leaf in numbers.leaves if kind.is_met(leaf, document)]
    assert fitting[:1] == met[:1]
    assert len(fitting) == len(met) or not kind


@pytest.mark.parametrize(
    ("sentence", "met"),
    [
        ("At the end of the year we employed 1,240 full-time and part-time employees.", ["1,240"]),
        ("At the end of 2024 and 2023 we had 1,240 and 1,180 employees, respectively.", ["1,240", "1,180"]),
        ("Over 300 Birch employees around the world have participated in our courses.", []),
        ("In 2024, 300 employees enrolled in our courses.", []),
        ("A team of 12 employees looks after safety.", []),
        ("Claims were brought by 70 former employees.", []),
        ("Note 10. Employee Benefit Plans 69", []),
        ("In 2024 employees purchased approximately 3 million shares.", []),
    ],
)
def test_only_statements_about_all_employees_count(sentence: str, met: list[str], tmp_path: Path) -> None:
    (tmp_path / "birch.md").write_text(f"# Birch\n\n{sentence}\n", encoding="utf-8")
    document = quaestor.open(tmp_path / "birch.md").document
    numbers = build_number_matrix(GraphProvider.of([document], "extend").graph(document))
    kind = read_asked_kind(read_question("how many employees does the company have?"))
    assert [leaf.quantity.text for leaf in numbers.leaves if kind.is_met(leaf, document)] == met


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("what were dividends per share?", []),
        ("what were dividends per share of preferred stock?", ["$0.10"]),
        ("what is the par value of the preferred stock?", ["$1"]),
        ("what is the interest rate on the notes?", ["4.5%"]),
        ("what is the rate of the notes due 2031?", ["4.5%"]),
        ("what is the rate of the notes due 2027?", []),
        ("what is the par value of the stock?", []),
        ("what are future lease payments for 2027?", ["40"]),
        ("how much debt matures through 2028?", []),
    ],
)
def test_kinds_of_preferred_stock_rates_leases_and_future_years(question: str, met: list[str], tmp_path: Path) -> None:
    report = """# Birch

| Leases (in millions) | Amount |
|---|---|
| Fiscal 2027 | 40 |

| Debt (in millions) | Amount |
|---|---|
| Fiscal 2027 | 90 |

## Redeemable preferred stock

A cumulative dividend of $0.10 per share is payable on it. The preferred stock has a par value of $1.
The 4.5% notes due 2031 were sold for $70.
"""
    (tmp_path / "birch.md").write_text(report, encoding="utf-8")
    document = quaestor.open(tmp_path / "birch.md").document
    numbers = build_number_matrix(GraphProvider.of([document], "extend").graph(document))
    kind = read_asked_kind(read_question(question))
    assert [leaf.quantity.text for leaf in numbers.leaves if kind.is_met(leaf, document)] == met
