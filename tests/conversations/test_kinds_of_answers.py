"""Conversations on the bundled pages whose answers are years, lines, lists, counts, and yes or no."""

import pytest

import quaestor

Turns = tuple[tuple[str, str], ...]
"""Each question with its answer as displayed."""

CONVERSATIONS: dict[str, Turns] = {
    "NORD/2012/page_41.pdf": (
        ("which segment had the highest net sales in 2012?", "power cables"),
        ("and what was it in 2011?", "$ 598.7 million"),
        ("which segments declined?", "connectors and fittings"),
        ("list the two largest segments in 2011", "power cables: $ 598.7 million; data cables: $ 287.4 million"),
        ("how many years did total net sales exceed $900 million?", "2"),
    ),
    "FJOR/2014/page_58.pdf": (
        ("in which year was fuel expense largest?", "2012"),
        ("in that year, what was voyage revenue?", "$ 701.5 million"),
        ("did it increase in 2013?", "no"),
        ("in which years did fuel expense fall?", "2013; 2014"),
    ),
    "GRYF/2008/page_71.pdf": (
        ("what are the components of proved undeveloped reserves?", "united states; canada"),
        ("how many components are there under proved developed reserves?", "2"),
    ),
    "HALC/2009/page_52.pdf": (
        ("in which year was the net increase in cash negative?", "2008"),
        ("what was cash at end of year in 2009?", "$ 81,044 thousand"),
        ("was that more than in 2008?", "yes"),
    ),
    "TAMR/2009/page_24.pdf": (
        ("in which year was the continental 600 index lowest?", "2008"),
        ("which years was tamarin freight lines below 90?", "2008; 2009"),
        ("which years does the table show?", "2004; 2005; 2006; 2007; 2008; 2009"),
    ),
}


@pytest.mark.parametrize("page", CONVERSATIONS)
def test_each_answer_has_the_requested_kind(page: str) -> None:
    turns = CONVERSATIONS[page]
    found = quaestor.open(f"sample#{page}").ask([question for question, _ in turns], solver="embedded")
    assert [answered.display for answered in found] == [display for _, display in turns]
