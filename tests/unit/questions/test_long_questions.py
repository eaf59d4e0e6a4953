"""Parsing a question takes time linear in its length."""

from collections.abc import Callable
from time import process_time

import pytest

from quaestor.questions.answer_arithmetic import read_answer_arithmetic
from quaestor.questions.instructions import read_instructions
from quaestor.questions.moments import read_moments
from quaestor.questions.question import read_question
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.splitting import split_question
from quaestor.questions.understanding import read_filing_question

READERS: tuple[Callable[[str], object], ...] = (
    read_question,
    read_filing_question,
    split_filing_question,
    split_question,
    read_instructions,
    read_answer_arithmetic,
    lambda text: list(read_moments(text)),
)
REPEATED = (", what", " and ", "?", "%", "2019 ", "(", '"', "\n", " the ", " per ", "q1 ", "less ", "the first ")


@pytest.mark.parametrize("repeated", REPEATED)
def test_repeated_fragments_are_read_in_linear_time(repeated: str) -> None:
    def seconds(length: int) -> float:
        text = "what was revenue" + repeated * (length // len(repeated))
        begun = process_time()
        for read in READERS:
            read(text)
        return process_time() - begun

    seconds(100)
    assert seconds(8_000) < 24 * max(seconds(1_000), 0.05)
