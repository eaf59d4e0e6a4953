import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.periods import Period
from quaestor.documents.sentences import read_sentences, rejoin_sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("sales rose . costs fell .", ("sales rose .", "costs fell .")),
        ("the u.s . dollar rose . costs fell .", ("the u.s . dollar rose .", "costs fell .")),
        ("acme inc . sold it .", ("acme inc . sold it .",)),
        ("see sfas no . 157 . it applies .", ("see sfas no . 157 .", "it applies .")),
        ("the table follows: . .", ("the table follows: . .",)),
        ("it grew 4.5% ( 4.5 % ) . why ? because", ("it grew 4.5% ( 4.5 % ) .", "why ?", "because")),
        ("", ()),
    ],
)
def test_unsplit_text_is_split(text: str, sentences: tuple[str, ...]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(st.sampled_from("ab .?!1"), max_size=60))
def test_splitting_loses_no_word(text: str) -> None:
    sentences = split_sentences(text)
    assert " ".join(sentences).split() == text.split()
    assert all(sentence.strip() for sentence in sentences)


def test_a_sentence_knows_its_numbers_and_periods() -> None:
    (_, sentence) = read_sentences("ACME/2008/page_1.pdf", "post_text", ["none .", "it paid $ 5 million in 2008 ."])
    (mention,) = sentence.mentions
    assert (sentence.section, sentence.index) == ("post_text", 1)
    assert sentence.text[mention.ref.start : mention.ref.end] == mention.quantity.text == "$ 5 million"
    assert (mention.ref.document, mention.ref.section, mention.ref.sentence) == ("ACME/2008/page_1.pdf", "post_text", 1)
    assert [period for period, _, _ in sentence.periods] == [Period("year", 2008)]


@pytest.mark.parametrize(
    ("pieces", "sentences"),
    [
        (("the u.s .", "dollar rose .", "costs fell ."), ("the u.s . dollar rose .", "costs fell .")),
        (("statement no .", "160 of acme , inc .", "applies ."), ("statement no . 160 of acme , inc . applies .",)),
        (("sales rose .", "costs fell ."), ("sales rose .", "costs fell .")),
        (("it ends in the u.s .",), ("it ends in the u.s .",)),
        ((), ()),
    ],
)
def test_sentence_is_not_split_after_an_abbreviation(pieces: tuple[str, ...], sentences: tuple[str, ...]) -> None:
    assert rejoin_sentences(pieces) == sentences
    assert split_sentences(" ".join(pieces)) == sentences


def test_the_name_of_a_company_at_the_head_of_a_page_is_whole() -> None:
    assert rejoin_sentences(["made up cables inc .", "sales of acme , inc .", "rose ."]) == (
        "made up cables inc .",
        "sales of acme , inc . rose .",
    )
