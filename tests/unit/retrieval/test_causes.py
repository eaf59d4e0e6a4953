"""Sentences that give causes of changes: subject, direction, time, and relevance to the question."""

import pytest
from discussed_filing import a_discussed_filing

from quaestor.questions.question import read_question
from quaestor.retrieval.causes import PART, CauseCandidate, find_causes, read_cause_question
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex

FILING = a_discussed_filing()


def causes_of(question: str, *earlier: str) -> tuple[CauseCandidate, ...]:
    cause = read_cause_question(read_question(question), tuple(map(read_question, earlier)))
    return () if cause is None else find_causes(cause, FILING)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("why did harbors net sales rise in 2024?", "new terminals"),
        ("what drove the decline in sales of rivers?", "low water"),
        ("why did gross margin improve in 2024?", "prices of copper"),
        ("why did gross margin fall in 2023?", "higher freight"),
        ("what were the reasons for the increase in research and development?", "new hires"),
    ],
)
def test_sentence_about_the_subject_itself_comes_first(question: str, words: str) -> None:
    best = causes_of(question)[0]
    assert words in best.stated.sentence.text
    assert best.fit >= PART


def test_causes_of_parts_come_after_those_of_the_whole() -> None:
    (part,) = causes_of("why did net sales increase in 2024?")
    assert "Harbors" in part.stated.sentence.text
    assert part.fit < PART
    (below,) = causes_of("why did operating expenses rise in 2024?")
    assert "R&D" in below.stated.sentence.text
    assert below.fit < PART


@pytest.mark.parametrize(
    "question",
    [
        "why did harbors net sales fall in 2024?",
        "why did gross margin fall in 2024?",
        "why did harbors net sales rise in 2022?",
        "why did net income rise in 2024?",
        "why did the tax rate rise?",
        "what was the increase in net sales?",
        "why is copper used?",
    ],
)
def test_other_direction_year_or_subject_is_not_a_cause(question: str) -> None:
    assert causes_of(question) == ()


def test_follow_up_is_about_the_previous_question() -> None:
    best = causes_of("why did they rise?", "what were harbors net sales in 2024?")[0]
    assert "new terminals" in best.stated.sentence.text


def test_the_points_of_a_list_belong_to_the_sentence_that_leads_to_it() -> None:
    best = causes_of("why did SG&A fall in 2024?")[0]
    assert [point.text for point, _ in best.stated.listed] == [
        "\u2022Fewer trade fairs;",
        "\u2022Lower rents of offices.",
    ]


def test_passages_with_causes_rank_first() -> None:
    index = PlaceIndex.of(FILING)
    first, *others = find_places(index, read_question("why did gross margin improve in 2024?"))
    assert (first.kind, first.page, first.why[0].kind) == ("passage", 11, "cause")
    assert "copper" in first.text
    assert others
    listed = find_places(index, read_question("why did SG&A fall in 2024?"))
    assert [place.text[:6] for place in listed[1:3]] == ["\u2022Fewer", "\u2022Lower"]
