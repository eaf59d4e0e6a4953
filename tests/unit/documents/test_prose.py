"""Prose is split into sentences."""

import pytest

from quaestor.documents.sentences import LONGEST_SENTENCE, prose_spans, split_prose


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Sales rose 5%. Costs fell.", ("Sales rose 5%.", "Costs fell.")),
        ("Sales in the U.S. Treasury market rose.", ("Sales in the U.S. Treasury market rose.",)),
        ("We sell in the U.S. The rest is sold abroad.", ("We sell in the U.S.", "The rest is sold abroad.")),
        ("Quill Inc. and Ink Co. merged.", ("Quill Inc. and Ink Co. merged.",)),
        ("It merged with Quill Inc. We paid $5.2 million.", ("It merged with Quill Inc.", "We paid $5.2 million.")),
        ("See ASU No. 2023-07. It applies.", ("See ASU No. 2023-07.", "It applies.")),
        ("Is it due? No. The rest is.", ("Is it due?", "No.", "The rest is.")),
        ("Item 7. Management's Discussion", ("Item 7. Management's Discussion",)),
        ("See Note 4. The loan is due.", ("See Note 4.", "The loan is due.")),
        ("1. Summary of policies. We consolidate.", ("1. Summary of policies.", "We consolidate.")),
        ("They called it “final.” We agreed.", ("They called it “final.”", "We agreed.")),
        ("(See below.) It rose.", ("(See below.)", "It rose.")),
        ("It was 2024. 2023 was better.", ("It was 2024.", "2023 was better.")),
        ("J. P. Quill signed.", ("J. P. Quill signed.",)),
        ("Rates rose by 2. 5 of them fell.", ("Rates rose by 2.", "5 of them fell.")),
        ("  ", ()),
        ("", ()),
    ],
)
def test_sentences_end_where_people_end_them(text: str, sentences: tuple[str, ...]) -> None:
    assert split_prose(text) == sentences


def test_spans_point_into_the_text() -> None:
    text = "  One rose. Two fell.  "
    assert [text[start:end] for start, end in prose_spans(text)] == ["One rose.", "Two fell."]


def test_endless_sentence_is_cut() -> None:
    pieces = split_prose("word " * 40_000)
    unbroken = split_prose("x" * 100_000) + split_prose("A. " * 30_000) + split_prose('."' * 30_000)
    assert max(map(len, pieces + unbroken)) <= LONGEST_SENTENCE
