"""What a document's facts know of the whole document."""

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import build_facts

COVER: list[DocumentPart] = [
    HeadingPart("Nord Corporation", 1),
    TablePart(
        (
            ("Title of each class", "Trading Symbol", "Name of each exchange"),
            ("Common Stock, $0.01 par value", "NRD", "Nasdaq"),
        )
    ),
    ParagraphPart(("We had 400 employees in Norway.",)),
]


def test_the_company_is_known_by_its_name_and_its_trading_symbol() -> None:
    assert build_facts(assemble("10-K", COVER)).company >= {"nord", "nrd"}


def test_numbers_of_a_sentence_are_found_by_its_place() -> None:
    table = build_facts(assemble("10-K", COVER))
    ((place, lines),) = table.lines_of_sentence.items()
    assert [table.line(line).sentence for line in lines] == [table.sentences.sentences[0].text]
    assert place == (table.sentences.sentences[0].section, table.sentences.sentences[0].index)
