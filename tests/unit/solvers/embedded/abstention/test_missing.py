"""Messages about what a page lacks."""

from decimal import Decimal

import pytest
from pages import page

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Number
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.answerability import describe_lack, describe_nearest
from quaestor.solvers.embedded.page import StemWeights, build_number_matrix

LEAVES = build_number_matrix(
    build_graph(
        page([["", "2012", "2011"], ["cost of towers", "7", "6"], ["rent", "5", "4"]]), build_ontology(()), "extend"
    )
)
WORDS = StemWeights({"spent": 0.2}, 2.0)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("how much was spent on share repurchases in 2012?", '"share repurchases"'),
        ("what was the goodwill, and what the tax?", '"goodwill" or "tax"'),
        ("what was the provision for credit losses?", '"provision for credit losses"'),
        ("what was rent in 1999?", "1999"),
        ("what was the rent of towers?", '"rent of towers"'),
        ("what was rent against?", '"against"'),
        ("what was it?", ""),
    ],
)
def test_missing_lines_years_and_combinations_are_named(question: str, named: str) -> None:
    message = describe_lack(read_question(question), None, LEAVES, WORDS)
    assert named in message
    assert "2011, 2012" in message


def test_the_nearest_reading_is_shown_with_its_confidence() -> None:
    answer = Answer(Number(Decimal(7)), description="cost of towers in 2012", confidence=0.22)
    message = describe_nearest(answer)
    assert "7 (cost of towers in 2012)" in message
    assert "22%" in message
