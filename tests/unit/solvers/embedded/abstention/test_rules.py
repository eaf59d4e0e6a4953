"""Rules by which the solver without a model declines to answer, through `quaestor.open`."""

from pathlib import Path

import pytest
from pages import page

import quaestor
from quaestor.conversation.events import NoAnswerGiven
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.question_times import years_asked
from quaestor.solvers.embedded.answerability import find_years

PAGE = "sample#NORD/2012/page_41.pdf"
GRID = [
    ["( in millions )", "2016", "2015", "2014"],
    ["net sales", "120", "110", "100"],
    ["net of tax", "-", "7", "6"],
    ["senior notes due december 15 2021 5.000%", "-", "600", "600"],
]


@pytest.fixture
def document() -> Document:
    return page(GRID, ["sales rose in 2016 ."])


def declined(answer: quaestor.AnsweredQuestion) -> NoAnswerGiven | None:
    return next((event for event in answer.turn.events if isinstance(event, NoAnswerGiven)), None)


def why(answer: quaestor.AnsweredQuestion) -> str:
    event = declined(answer)
    return "" if event is None else f"{event.reason}: {event.explanation}"


def test_a_missing_year_is_reported() -> None:
    answer = quaestor.open(PAGE).ask("what were the net sales of power cables in 2009?")
    assert answer.answer.value is None
    assert answer.answer.confidence is None
    assert answer.turn.error is None
    assert (event := declined(answer)) is not None
    assert event.reason == "not_on_page"
    assert "2009" in event.explanation
    assert "2010 to 2012" in event.explanation


@pytest.mark.very_slow
def test_years_that_pages_lack_are_never_answered() -> None:
    """Lines for which any year may be asked, such as lines of amounts "due", are not used."""
    dataset = quaestor.read_dataset(quaestor.sample_path())
    pages = {conversation.document.id: conversation.document for conversation in dataset.conversations}
    refused = wanted = 0
    for document in pages.values():
        lacking = [year for year in (1961, 1962) if find_years(document).lacks(year)]
        labels = [head.label for table in document.tables for head in table.rows[table.header_rows :] if head.label]
        label = next(label for label in labels if years_asked(Question(f"what was {label} in 1961?")))
        questions = [f"what was {label} in {year}?" for year in lacking] + [f"and in {year}?" for year in lacking]
        wanted += 4
        refused += sum("196" in why(answer) for answer in quaestor.open(document).ask(questions))
    assert (refused, wanted) == (4 * len(pages), 4 * len(pages))


@pytest.mark.very_slow
def test_few_questions_of_the_sample_are_declined() -> None:
    """All questions have an answer; at most four percent may be declined."""
    dataset = quaestor.read_dataset(quaestor.sample_path())
    answers = [one for c in dataset.conversations for one in quaestor.open(c.document).ask(c.questions)]
    events = [declined(one) for one in answers]
    assert len(answers) == 180
    assert sum(event is not None for event in events) <= 7
    assert not [event for event in events if event is not None and event.reason != "not_on_page"]


@pytest.mark.very_slow
def test_rules_decline_at_most_one_percent_of_the_public_questions(shared_data: Path) -> None:
    dataset = quaestor.read_dataset(shared_data / "convfinqa_tune.json")
    rules, drawn = {"decline_below": 0.0}, list(dataset.conversations)[::4]
    answers = [a for c in drawn for a in quaestor.open(c.document).ask(c.questions, options=rules)]
    assert len(answers) > 200
    assert sum(declined(one) is not None for one in answers) <= len(answers) / 100


@pytest.mark.parametrize(
    ("questions", "line"),
    [
        (("what was net of tax in 2016?",), "net of tax"),
        (("what was net of tax in 2015?", "and in 2016?"), "net of tax"),
        (("what was the balance of senior notes due december 15, 2021 in 2016?",), "senior notes"),
    ],
)
def test_an_empty_cell_is_reported(document: Document, questions: tuple[str, ...], line: str) -> None:
    reason = why(quaestor.open(document).ask(questions)[-1])
    assert reason.startswith("not_on_page")
    assert line in reason
    assert "2016" in reason


def test_nearest_of_many_years_are_listed() -> None:
    many = page([["", *map(str, range(2000, 2016))], ["net sales", *map(str, range(31, 47))]], ["sales rose ."])
    answer = quaestor.open(many).ask("what were net sales in 1987?")
    assert "1987" in why(answer)
    assert "2000" in why(answer)
    assert "2015" not in why(answer).partition("; nearest")[0]


@pytest.mark.parametrize("question", ["what was net of tax in 2015?", "what were net sales in 2016?"])
def test_cells_with_numbers_are_answered(document: Document, question: str) -> None:
    assert quaestor.open(document).ask(question).answer.value is not None


def test_thanks_between_two_questions_are_ignored() -> None:
    first = "what were the net sales of power cables in 2012?"
    plain, polite = (
        quaestor.open(PAGE).ask([first, "and in 2010?"]),
        quaestor.open(PAGE).ask([first, "thanks!", "and in 2010?"]),
    )
    assert why(polite[1]).startswith("no_question")
    assert polite[2].answer.number == plain[1].answer.number


def test_calculation_with_an_unanswered_turn_is_declined() -> None:
    questions = ["what were the total net sales in 2009?", "what were they in 2012?", "what was the change?"]
    answers = quaestor.open(PAGE).ask(questions)
    assert answers[2].answer.value is None
    assert why(answers[2]).startswith("not_on_page")
    assert "question 1" in why(answers[2])


def test_self_contained_question_needs_no_earlier_answer() -> None:
    questions = [
        "what was the goodwill impairment in 2012?",
        "what was the average of total net sales from 2010 to 2012?",
    ]
    answers = quaestor.open(PAGE).ask(questions)
    assert answers[0].answer.value is None
    assert answers[1].answer.value is not None


def test_readings_that_all_need_an_unanswered_turn_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.solvers.embedded.page_answers._find_unanswered_turns", lambda *_: [0])
    answers = quaestor.open(PAGE).ask(
        ["what were the total net sales in 2009?", "what were the total net sales in 2012?"]
    )
    assert "question 1" in why(answers[1])


def test_abstention_can_be_disabled_and_is_off_by_default_elsewhere() -> None:
    answer = quaestor.open(PAGE).ask("what were the net sales of power cables in 2009?", options={"decline": False})
    assert answer.answer.value is not None
    answer = quaestor.open(PAGE).ask("why?", solver=quaestor.make_solver("embedded"))
    assert declined(answer) is None
