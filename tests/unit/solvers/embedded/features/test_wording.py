"""Words of a question that the label of a number may have."""

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
def test_the_words_behind_what_points_back(question: str, found: list[set[str]]) -> None:
    assert [set(words) for words in list_pointed_words(read_question(question))] == found


def test_a_word_speaks_of_one_operation() -> None:
    words = [word for group in OPERATION_WORDS.values() for word in group]
    assert len(words) == len(set(words))
