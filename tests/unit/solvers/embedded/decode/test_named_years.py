"""A look-up uses the year that a question names, if its line has that year."""

from pathlib import Path

import pytest

import quaestor

STATEMENT = """# Nordlicht, annual report

| (in millions) | 2024 | 2023 | 2022 |
|---|---|---|---|
| Net sales | 1,250.5 | 1,130.0 | 980.0 |
| Cost of sales | 750.3 | 700.6 | 630.2 |
| Net income (loss) | 88.1 | (21.5) | 40.0 |
"""


@pytest.mark.parametrize(
    ("questions", "values"),
    [
        (["what were net sales in 2024?", "what was cost of sales in 2022?"], ["1250.5", "630.2"]),
        (["what were net sales in 2024?", "what was net income in 2022?"], ["1250.5", "40.0"]),
        (["what was net income in 2023?", "what were net sales in 2022?", "and 2024?"], ["-21.5", "980.0", "1250.5"]),
        (["what was net income in 2022?", "what were net sales in 2023?"], ["40.0", "1130.0"]),
    ],
)  # fmt: skip
def test_line_and_year_can_change_at_once(questions: list[str], values: list[str], tmp_path: Path) -> None:
    (tmp_path / "nordlicht.md").write_text(STATEMENT, encoding="utf-8")
    answers = quaestor.open(tmp_path / "nordlicht.md").ask(questions)
    assert [str(answered.answer.value) for answered in answers] == values


def test_a_change_may_take_a_year_that_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "nordlicht.md").write_text(STATEMENT, encoding="utf-8")
    answers = quaestor.open(tmp_path / "nordlicht.md").ask(
        ["what were net sales in 2023?", "and in 2024?", "what was the change in 2024?"]
    )
    assert [str(answered.answer.value) for answered in answers] == ["1130.0", "1250.5", "120.5"]
