"""Conversations over a long report with the embedded solver; follow-ups stay in their table unless they leave it."""

import pytest
from long_filing import a_long_filing

import quaestor
from quaestor import AnsweredQuestion, Answers
from quaestor.core.provenance import CellRef

Turns = tuple[tuple[str, str, tuple[int, ...]], ...]
"""Each turn has a question, the answer, and the tables that the answer may come from."""

FILING = a_long_filing()
WHOLE = quaestor.Settings(excerpt_tokens=100_000)
"""Settings with which a filing is not longer than an excerpt."""
OPERATIONS, BALANCE, CASH, SEGMENTS, TAXES, DEBT = range(6)

CONVERSATIONS: tuple[Turns, ...] = (
    (
        ("what were total net sales in 2022?", "720 million", (OPERATIONS,)),
        ("and how much more than in 2021, in percent?", "9.1 %", (OPERATIONS,)),
        ("what was research and development in 2023?", "96 million", (OPERATIONS,)),
        ("as a percentage of total net sales?", "12.0 %", (OPERATIONS,)),
    ),
    (
        ("what was research and development in 2023?", "96 million", (OPERATIONS,)),
        ("and in the prior year?", "84 million", (OPERATIONS,)),
        ("what was the change?", "12 million", (OPERATIONS,)),
    ),
    (
        ("what were net sales of products in 2023?", "$ 640 million", (OPERATIONS,)),
        ("and the same for services?", "160 million", (OPERATIONS,)),
    ),
    (
        ("what were total assets at the end of 2023?", "$ 713 million", (BALANCE,)),
        ("what were total liabilities?", "350 million", (BALANCE,)),
        ("what share of total assets is that?", "49.1 %", (BALANCE,)),
        ("what was net income in 2023?", "$ 98 million", (OPERATIONS, CASH)),
        ("as a percentage of total assets?", "13.7 %", (OPERATIONS, BALANCE, CASH)),
    ),
    (
        ("what were dividends paid in 2023?", "36 million", (CASH,)),
        ("and the prior year?", "30 million", (CASH,)),
        ("what was operating income in 2023?", "136 million", (OPERATIONS,)),
    ),
)


def ask_filing(*questions: str) -> Answers:
    return quaestor.open(FILING, settings=WHOLE).ask(questions, solver="embedded")


def tables(answered: AnsweredQuestion) -> set[int]:
    return {source.table for source in answered.answer.sources if isinstance(source, CellRef)}


@pytest.mark.parametrize("turns", CONVERSATIONS, ids=lambda turns: turns[0][0])
def test_follow_ups_stay_in_their_table_unless_they_name_another(turns: Turns) -> None:
    found = ask_filing(*(question for question, _, _ in turns))
    assert [answered.display for answered in found] == [display for _, display, _ in turns]
    for answered, (_, _, places) in zip(found, turns, strict=True):
        assert tables(answered) <= set(places), answered.question


def test_question_beyond_the_report_is_not_answered_confidently() -> None:
    (answered,) = ask_filing("how tall is the chief executive's dog?")
    assert answered.answer.value is None or (answered.answer.confidence or 0) < 0.5
