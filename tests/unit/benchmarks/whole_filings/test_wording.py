"""Generated questions are rewritten in everyday words."""

import pytest
from benchmarks.whole_filings.wording import in_everyday_words


@pytest.mark.parametrize(
    ("plain", "everyday"),
    [
        ("what was rent in 2024?", "how much was rent in 2024?"),
        (
            "what was the change in rent from 2023 to 2024 according to LEASES?",
            "how much did rent change in 2024 according to LEASES?",
        ),
        (
            "what was the percentage change in rent from 2023 to 2024?",
            "by how much did rent change in 2024, in percent?",
        ),
        ("what percentage of total costs was rent in 2024?", "how much of total costs was rent in 2024, in percent?"),
    ],
)
def test_questions_in_everyday_words(plain: str, everyday: str) -> None:
    assert in_everyday_words(plain) == everyday
