"""Search for the sentence that answers a question in words."""

from pages import page

from quaestor.questions.question import Question
from quaestor.questions.words_asked import AskedWords
from quaestor.solvers.embedded.spans import find_sentences, list_named_stems

PAGE = page(
    [["( in millions )", "2016", "2015"], ["freight costs ( 1 )", "12", "11"], ["rent", "7", "6"]],
    [
        "freight costs rose to $ 12 million in 2016 .",
        "the increase was driven by longer routes .",
        "rent fell in 2015 because two depots were closed .",
        "( 1 ) includes tolls and fuel .",
        "the following table shows what the depots cost :",
    ],
)


def best(question: str, words: AskedWords) -> str:
    return find_sentences(Question(question), words, PAGE)[0].sentence.text


def test_a_cause_is_quoted_from_the_sentence_that_continues() -> None:
    assert best("why did freight costs rise in 2016?", "cause") == "the increase was driven by longer routes ."


def test_footnote_of_a_line_is_found() -> None:
    assert best("what is included in freight costs?", "parts") == "( 1 ) includes tolls and fuel ."


def test_the_sentence_before_a_table_describes_it() -> None:
    assert best("what does the table show?", "table") == "the following table shows what the depots cost :"


def test_cause_of_the_opposite_change_scores_lower() -> None:
    fell, rose = (
        find_sentences(Question(f"why did rent {move} in 2015?"), "cause", PAGE)[0] for move in ("fall", "rise")
    )
    assert fell.sentence.text.startswith("rent fell")
    assert rose.score < fell.score - 0.3


def test_a_question_without_words_of_its_own_finds_nothing() -> None:
    assert find_sentences(Question("why?"), "cause", PAGE) == ()
    assert list_named_stems(Question("why?")) == []
    assert list_named_stems(Question("why did rent fall?")) == ["rent", "fall"]
