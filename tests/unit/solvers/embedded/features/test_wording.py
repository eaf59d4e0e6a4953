"""Words of a question that may be part of a label."""

import pytest

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.number_features import OPERATION_WORDS, list_pointed_words


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what percentage of that long-term debt is due?", [{"long", "term", "debt"}]),
        ("and this goodwill, in relation to those assets?", [{"goodwil"}, {"asset"}]),
        ("what is that?", []),
        ("and in 2008?", []),
    ],
)
def test_words_after_a_demonstrative_are_listed(question: str, found: list[set[str]]) -> None:
    assert [set(words) for words in list_pointed_words(read_question(question))] == found


def test_operation_words_are_distinct() -> None:
    words = [word for group in OPERATION_WORDS.values() for word in group]
    assert len(words) == len(set(words))
