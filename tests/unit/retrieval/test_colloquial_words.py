import pytest

from quaestor.retrieval.colloquial_words import in_words_of_reports


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("what did they spend on buying back shares?", "what did they spend on share repurchases?"),
        ("how much did Nord Ltd make in 2024?", "net income in 2024?"),
        ("how much did Nord make from paper?", "how much did Nord make from paper?"),
        ("what was inventory turnover ratio?", "what was inventory turnover ratio?"),
        ("net sales in 2024", "net sales in 2024"),
    ],
)
def test_everyday_phrases_become_those_of_reports(question: str, read: str) -> None:
    assert in_words_of_reports(question) == read
