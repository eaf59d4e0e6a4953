"""Trimming of a sentence to the words that answer a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.documents.sentences import read_sentences
from quaestor.questions.question import Question
from quaestor.questions.words_asked import AskedWords
from quaestor.solvers.embedded.spans import trim_sentence

KINDS: tuple[AskedWords, ...] = (
    "cause", "meaning", "parts", "left_out", "way", "often", "time", "place", "person", "table", "ground", "rest",
)  # fmt: skip


def words(text: str, question: str, words: AskedWords) -> str:
    (sentence,) = read_sentences("d", "pre_text", [text])
    start, end = trim_sentence(sentence, Question(question), words)
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "question", "asked", "answer"),
    [
        ("Rent fell primarily due to closed depots.", "why did rent fall?", "cause", "primarily due to closed depots"),
        ("Rent fell primarily due to closed depots.", "what caused the fall in rent?", "cause", "closed depots"),
        ("Rent means all we pay for depots.", "what does rent mean?", "meaning", "all we pay for depots"),
        ("Cost of sales consists primarily of fuel.", "what does cost of sales consist of?", "parts", "fuel"),
        ("(2) Includes tolls and fuel.", "what is included in freight?", "parts", "Includes tolls and fuel"),
        ("Leases are measured by discounting the rents.", "how are leases measured?", "way", "discounting the rents"),
        ("Goodwill is tested annually for impairment.", "how often is goodwill tested?", "often", "annually"),
        ("Revenue is recognised when goods arrive.", "when is revenue recognised?", "time", "when goods arrive"),
        ("On May 2, 2018, the company sold depots.", "when did the company sell depots?", "time", "May 2, 2018"),
        ("The accounts were approved by the Board of Directors on June 6.", "who approved the accounts?", "person",
         "the Board of Directors"),
        ("The increase in rent is due to new depots.", "what is the increase in rent due to?", "ground", "new depots"),
        ("The following table shows rents by depot:", "what does the table show?", "table", "rents by depot"),
        ("Rents by depot were as follows:", "what does the table show?", "table", "Rents by depot"),
        ("In 2003 our board approved a stock plan.", "what did the board approve in 2003?", "rest", "a stock plan"),
        ("Nothing of this fits.", "why did rent fall?", "cause", "Nothing of this fits"),
    ],
)  # fmt: skip
def test_the_answer_leaves_out_the_words_of_the_question(
    text: str, question: str, asked: AskedWords, answer: str
) -> None:
    assert words(text, question, asked) == answer


_ANY = st.lists(
    st.sampled_from("rent fell due to because by when , ; ( 1 ) includes the table shows as follows : 2018 .".split()),
    min_size=1,
)


@given(_ANY, _ANY, st.sampled_from(KINDS))
def test_the_answer_lies_in_the_sentence(words: list[str], questions: list[str], kind: AskedWords) -> None:
    text = " ".join(words)
    (sentence,) = read_sentences("d", "pre_text", [text])
    start, end = trim_sentence(sentence, Question(" ".join(questions)), kind)
    assert 0 <= start <= len(text)
    assert end <= len(text)
