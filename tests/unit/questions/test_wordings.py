"""Wordings are rewritten to plainer ones with the same meaning."""

import pytest

from quaestor.questions.wordings import in_plain_wording


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("# of shares?", "how many shares?"),
        ("average nr of employees", "average number of employees"),
        ("how many percent less than a year ago", "by what percent less than a year ago"),
        ("by how many dollars did it fall", "by how much in dollars did it fall"),
        ("% raise?", "% increase?"),
        ("capex 2024, $m", "capex 2024 in $ millions"),
        ("notes of $5 million", "notes of $5 million"),
        ("free cashflow and op income", "free cash flow and operating income"),
        ("the years 2024 to 2026 summed", "the years 2024 to 2026 altogether"),
        ("revenue in the years of 2022 and 2024", "revenue in 2022 and 2024"),
        ("what was the variation in rent?", "what was the change in rent?"),
        (
            "how much did debt in 2024 represent in relation to the one in 2022?",
            "what was the ratio of debt in 2024 to 2022?",
        ),
        ("what percentage did rent represent in relation to sales?", "what was rent as a percentage of sales?"),
        ("opex went up, why?", "why opex went up"),
        ("what is driving its change?", "what drove its change?"),
        ("excluding the effects of exchange rates?", "in constant currency?"),
        ("sales growth with fx stripped out", "sales growth in constant currency"),
        ("excluding foreign currency hedges", "excluding foreign currency hedges"),
        ("accruals, short + long term", "total accruals"),
        ("debt in total, short plus long", "debt in total, short plus long"),
        ("long and short positions", "long and short positions"),
    ],
)
def test_questions_are_read_in_plainer_wordings(text: str, plain: str) -> None:
    assert in_plain_wording(text) == plain
