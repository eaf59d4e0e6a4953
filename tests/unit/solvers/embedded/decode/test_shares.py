"""Shares: of a named line, of two lines, or of the last answer."""

from pathlib import Path

import pytest

import quaestor

REPORT = """# Heron Rail, annual report 2024

(In millions)

| Years ended December 31, | 2024 | 2023 |
|---|---|---|
| Passenger revenue | $ 910 | $ 840 |
| Freight revenue | 290 | 310 |
| Total revenue | 1,200 | 1,150 |
| Operating expenses | 960 | 943 |
| Operating income | 240 | 207 |
| Interest expense | (40) | (37) |
| Net income | $ 150 | $ 128 |
"""


@pytest.mark.parametrize(
    ("questions", "formula"),
    [
        (["what was freight's share of total revenue in 2023?"], "310 / 1150"),
        (
            [
                "what was total revenue in 2024?",
                "and operating expenses?",
                "and the difference?",
                "as a percentage of total revenue?",
            ],
            "(1200 - 960) / 1200",
        ),
        (
            ["what was net income in 2024?", "and interest expense?", "what share of operating income is that?"],
            "-40 / 240",
        ),
    ],
)
def test_share_is_of_the_named_line(questions: list[str], formula: str, tmp_path: Path) -> None:
    file = tmp_path / "heron-2024.md"
    file.write_text(REPORT, encoding="utf-8")
    assert quaestor.open(file).ask(questions)[-1].answer.formula == formula
