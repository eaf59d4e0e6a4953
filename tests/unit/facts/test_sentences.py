"""Sentences are found by their terms, headings and numbers."""

from quaestor.core.terms import terms
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, assemble
from quaestor.facts.sentences import STATIC, index_sentences

INDEX = index_sentences(
    assemble(
        "10-K",
        [
            HeadingPart("Human capital", 1),
            ParagraphPart(("We had 1,200 employees.", "None of them is on strike.")),
            HeadingPart("Results of operations", 1),
            ParagraphPart(("Net sales increased primarily due to higher volumes, partly offset by currency.",)),
        ],
    )
)


def test_terms_numbers_and_headings_lead_to_sentences() -> None:
    assert INDEX.having(["employe", "volum", "absent"]).tolist() == [
        [True, False, False],
        [False, False, True],
        [False, False, False],
    ]
    assert INDEX.under(["capit", "oper"]).tolist() == [[True, True, False], [False, False, True]]
    assert INDEX.numbers[1200.0].tolist() == [0]
    assert INDEX.rarity("absent") > INDEX.rarity("employe") > 0


def test_paragraphs_and_sections_are_numbered() -> None:
    assert INDEX.paragraph.tolist() == [0, 0, 1]
    assert INDEX.begins.tolist() == [0, 2]
    assert INDEX.section.tolist() == [0, 0, 1]
    assert INDEX.sentences[INDEX.places[(INDEX.sentences[2].section, 0)]] == INDEX.sentences[2]


def test_static_features_of_sentences() -> None:
    known = [dict(zip(STATIC, row, strict=True)) for row in INDEX.static.tolist()]
    assert [row["cause"] for row in known] == [0, 0, 1]
    assert [row["offset"] for row in known] == [0, 0, 1]
    assert [row["denies"] for row in known] == [0, 1, 0]
    assert [row["in_discussion"] for row in known] == [0, 0, 1]
    assert [row["numbers"] for row in known] == [1, 0, 0]


def test_a_document_without_sentences_has_an_empty_index() -> None:
    index = index_sentences(assemble("empty", [HeadingPart("Nothing", 1)]))
    assert index.sentences == ()
    assert index.static.shape == (0, len(STATIC))
    assert index.having(["sale"]).shape == (1, 0)


def test_terms_that_have_a_capital_within_sentences_are_names() -> None:
    paragraph = ParagraphPart(("Sales in China fell.", "Our sales grew less in China than in other countries."))
    index = index_sentences(assemble("10-K", [HeadingPart("Sales", 1), paragraph]))
    assert index.names == frozenset(terms("China"))


def test_an_auditors_report_is_signed() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("Business", 1),
        ParagraphPart(("We sell tools.",)),
        HeadingPart("Report of independent registered public accounting firm", 1),
        ParagraphPart(("We have audited the statements.",)),
        ParagraphPart(("/s/ Able & Baker LLP",)),
        ParagraphPart(("We have served as the auditor since 1999.",)),
    ]
    index = index_sentences(assemble("10-K", parts))
    assert [index.signature_of(place) for place in range(4)] == [None, 2, None, 2]
