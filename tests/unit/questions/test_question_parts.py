"""Questions that consist of several questions."""

import pytest

from quaestor.questions.question_parts import asks_several, split_filing_question


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "What is the total backlog in 2024, and how much of it is current?",
            ("What is the total backlog in 2024", "how much of the total backlog is current in 2024"),
        ),
        ("how many opened and how many closed in 2023?", ("how many opened", "how many closed in 2023")),
        ("what about Asia, how come it's so big?", ("what about Asia", "how come Asia's so big")),
        ("Who audits Acme, and since when?", ("Who audits Acme", "since when")),
        ("buybacks, how much and at what price?", ("buybacks, how much", "buybacks, at what price")),
        ("bottom line and diluted EPS in 2023?", ("bottom line in 2023", "diluted eps in 2023")),
        ("What were net income and capex in 2023?", ("net income in 2023", "capex in 2023")),
        (
            "share count for the year, and how many fewer than a year ago?",
            ("share count for the year", "how many fewer than a year ago"),
        ),
        ("how many shares was that, and at what price?", ("how many shares was that", "at what price")),
        ("which unit earned more in 2024, and how much?", ("which unit earned more in 2024", "how much was it")),
        ("largest regional loan and its balance", ("largest regional loan", "its balance")),
        ("how much, and what part of the company?", ("how much", "what part of the company")),
        ("amount and % of total revenue", ("amount", "% of total revenue")),
        (
            "backlog at year end - and growth in percent",
            ("backlog at year end", "growth in backlog at year end in percent"),
        ),
        ("the 3% notes: amount and effective rate", ("amount of the 3% notes", "effective rate of the 3% notes")),
        (
            "the 3% notes: when do they mature and what's the principal?",
            ("the 3% notes: when do they mature", "the 3% notes, what's the principal"),
        ),
        (
            "payments on operating leases, and on finance ones",
            ("payments on operating leases", "payments on finance leases"),
        ),
        ("Acme's revenue and operating income for 2022", ("Acme's revenue in 2022", "Acme's operating income in 2022")),
        (
            "reported operating margin vs the non-GAAP one for 2022?",
            ("reported operating margin in 2022", "non-gaap operating margin in 2022"),
        ),
        ("bottom line FY21 vs FY20?", ("bottom line FY21", "bottom line FY20")),
        ("Paper revenue, 2022 versus 2021", ("Paper revenue, 2022", "Paper revenue, 2021")),
        (
            "how did net income and R&D change from 2022 to 2023?",
            ("how did net income change from 2022 to 2023", "how did r&d change from 2022 to 2023"),
        ),
        ("growth of Paper and Wood sales in 2023", ("growth of paper sales in 2023", "growth of wood sales in 2023")),
        ("change in debt and equity", ("change in debt", "change in equity")),
        ("net income, total assets and diluted EPS", ("net income", "total assets", "diluted eps")),
        ("What are total assets and net income?", ("total assets", "net income")),
        (
            "What were sales in 2022 and 2023, and say when they were highest?",
            ("What were sales in 2022 and 2023", "when was it highest"),
        ),
        (
            "Which segment had the highest revenue in 2022, and how much was it?",
            ("Which segment had the highest revenue in 2022", "how much was it"),
        ),
        (
            "options outstanding in 2023 and their average strike",
            ("number of options outstanding in 2023", "average strike of options outstanding in 2023"),
        ),
        ("vested options: number & average strike", ("number of vested options", "average strike of vested options")),
        ("weighted average remaining term and discount rate?", ("weighted average remaining term", "discount rate")),
        (
            "remaining term of those leases and the discount rate",
            ("remaining term of those leases", "discount rate of those leases"),
        ),
        (
            "reserve for returns in FY23, and the increase over FY22?",
            ("reserve for returns in FY23", "increase in reserve for returns in FY23 over FY22"),
        ),
        ("price paid for Acme and for Bolt", ("price paid for Acme", "price paid for Bolt")),
        ("growth of rent in dollars & percent", ("growth of rent in dollars", "growth of rent in percent")),
        (
            "interest income vs interest expense in 2023 - give both",
            ("interest income in 2023", "interest expense in 2023"),
        ),
        (
            "how many were taken from employees for taxes, and at what price?",
            ("how many were taken from employees for taxes", "at what price"),
        ),
        ("GAAP and non-GAAP diluted EPS for 2022", ("GAAP diluted EPS for 2022", "non-GAAP diluted EPS for 2022")),
    ],
)
def test_several_questions_are_split(text: str, parts: tuple[str, ...]) -> None:
    assert split_filing_question(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "What was net income in 2023?",
        "Did sales grow, and by how much?",
        "Before tax, did the company make more at home or abroad?",
        "What is the total of cash and short-term investments?",
        "and in 2023?",
        "how did cash and cash equivalents change in 2023?",
        "growth in sales and marketing expense",
        "what was the total change in debt and equity?",
        "How many stores and clubs does it operate?",
        "research and development in 2023",
        "what about net premiums, by how much did they rise?",
        "inventory turnover 2023, average inventory",
        "ROA 2023, on year-end assets",
        "effective tax rate 2022, 2023 in that order",
        "the gap between the term and the discount rate",
    ],
)
def test_one_question_stays_one(text: str) -> None:
    assert split_filing_question(text) == (text,)


def test_a_long_text_is_not_split() -> None:
    text = "What was revenue" + ", and what was rent" * 1_000
    assert split_filing_question(text) == (text,)


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("how much was rent, and how fast did it grow?", True),
        ("did rent rise, and by how much?", True),
        ("did rent go up or down, and by how much?", False),
        ("compute or paper, which grew faster?", False),
        ("how many dollars did rent fall by in 2022 vs 2021?", False),
    ],
)
def test_question_with_one_answer_is_not_split(text: str, several: bool) -> None:
    assert asks_several(text) is several
