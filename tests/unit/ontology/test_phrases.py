import pytest

from quaestor.documents.sentences import read_sentences
from quaestor.ontology.extract import noun_phrase_before, noun_phrase_in, topics


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "the following table presents the changes in our restricted stock awards for 2008 :",
            "restricted stock awards",
        ),
        ("the following table summarizes our contractual obligations at year-end 2018 .", "contractual obligations"),
        ("the following table sets forth information regarding capital stock : .", "capital stock"),
        ("the table below is long .", None),
        ("the following table shows 3 rows", None),
    ],
)
def test_topics(sentence: str, expected: str | None) -> None:
    assert topics(sentence) == (() if expected is None else (expected,))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("in 2012 , the company 's rent expense was $ ", "rent expense"),
        ("we recorded an impairment charge of approximately $ ", "impairment charge"),
        ("from 2008 to ", None),
        ("", None),
        ("of ", None),
    ],
)
def test_phrases_for_kinds_of_numbers(before: str, expected: str | None) -> None:
    assert noun_phrase_before(before) == expected


def test_phrases_number_their_arguments_by_place() -> None:
    (sentence,) = read_sentences("d", "pre_text", ["it cost 5 shares , and rent expense was $ 3 million ."])
    assert noun_phrase_in(sentence) == ((1, "rent expense"),)
