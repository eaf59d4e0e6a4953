"""Conversations on the bundled pages that refer to the last answer, for example in another scale."""

import pytest

import quaestor

Turns = tuple[tuple[str, str], ...]
"""Each question with its answer as displayed."""

CONVERSATIONS: dict[str, Turns] = {
    "NORD/2012/page_41.pdf": (
        ("what were the net sales of power cables in 2012?", "$ 642.3 million"),
        ("in thousands?", "$ 642,300 thousand"),
        ("and in billions of dollars?", "$ 0.6423 billion"),
        ("in percent?", "no answer"),
        ("what was it in 2011?", "$ 598.7 million"),
        ("thanks!", "no answer"),
        ("what was the change from 2010?", "$ 37.7 million"),
        ("in percent?", "6.7 %"),
    ),
    "PELL/2015/page_59.pdf": (
        ("what was the gross carrying amount of customer relationships at the end of 2015?", "$ 216,900 thousand"),
        ("in millions of dollars?", "$ 216.9 million"),
        ("hello", "no answer"),
        ("what was the change from 2014?", "$ 18,600 thousand"),
        ("what is that in millions?", "$ 18.6 million"),
        ("2+2", "no answer"),
        ("can you give that in dollars?", "$ 18,600,000"),
    ),
}


@pytest.mark.parametrize("page", CONVERSATIONS)
def test_follow_ups_refer_to_the_last_answer(page: str) -> None:
    turns = CONVERSATIONS[page]
    found = quaestor.open(f"sample#{page}").ask([question for question, _ in turns], solver="embedded")
    assert [answered.display for answered in found] == [display for _, display in turns]
    assert all(answered.turn.verified for answered in found if answered.answer.plan is not None)
