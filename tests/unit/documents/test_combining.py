"""Several files as one document: names in sources, and which file is the later one."""

from datetime import date
from decimal import Decimal

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.combining import combine, file_of, files_of, newest_years
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact

RENT = Fact("us-gaap:RentExpense", Decimal(5_000_000), "USD", date(2008, 1, 1), date(2008, 12, 31), scale=6)


def report(id: str, year: int) -> Document:
    head = ["in millions", str(year), str(year - 1)]
    return assemble(
        id,
        [
            ParagraphPart((f"the company had 12 plants in {year} .",), page=1),
            TablePart([head, ["sales", "90", "80"]], page=2),
            HeadingPart("Rent", page=3),
            ParagraphPart(("rent was $ 5 million .", "it is due monthly ."), page=3, facts=[(0, 11, 12, RENT)]),
            TablePart([head, ["rent", "5", "4"]], page=3, facts=[(1, 1, RENT)]),
            TablePart([["due", "2030", "2031"], ["notes", "3", "3"]]),
        ],
    )


BOTH = combine([("then.html", report("a", 2008)), ("now.html", report("b", 2009))])


def test_combined_document_has_every_part_of_every_file() -> None:
    assert BOTH.id == "then.html + now.html"
    assert files_of(BOTH) == ("then.html", "now.html")
    assert [table.index for table in BOTH.tables] == list(range(6))
    assert [block.order for block in BOTH.blocks] == list(range(14))
    assert [s.path for s in BOTH.sections][:3] == [("then.html",), ("then.html",), ("then.html", "Rent")]
    assert BOTH.section_of(BOTH.tables[4]).path == ("now.html", "Rent")
    assert BOTH.block(CellRef("b", 3, 0, 0)).page == 2


def test_a_source_names_its_file_and_finds_its_number() -> None:
    cell = BOTH.tables[4].cells[1][1]
    assert (cell.ref, cell.text, BOTH.cell(cell.ref)) == (CellRef("b", 4, 1, 1), "5", cell)
    assert (file_of(BOTH, cell.ref), file_of(BOTH, CellRef("a", 0, 1, 1))) == ("now.html", "then.html")
    mention = next(s for s in BOTH.sentences if "rent was" in s.text and s.section.startswith("file_2")).mentions[0]
    assert mention.ref.document == "b"
    assert BOTH.sentence(mention.ref).text == "rent was $ 5 million ."
    assert file_of(BOTH, mention.ref) == "now.html"
    assert file_of(report("a", 2008), CellRef("a", 0, 1, 1)) is None


def test_tags_stay_with_their_numbers() -> None:
    assert BOTH.fact(CellRef("b", 4, 1, 1)) == RENT
    assert BOTH.fact(SentenceRef("a", "file_1_section_1", 0, 11, 12)) == RENT


def test_text_of_one_file_does_not_introduce_tables_of_the_next() -> None:
    texts = [sentence.text for sentence in BOTH.lead_of(BOTH.tables[3])]
    assert texts == ["the company had 12 plants in 2009 ."]


def test_latest_year_is_that_of_the_tables() -> None:
    assert newest_years(BOTH) == {"then.html": 2008, "now.html": 2009}


def test_excerpt_can_span_several_files() -> None:
    part = BOTH.excerpt([BOTH.block(CellRef("b", 4, 0, 0)).order])
    assert files_of(part) == ("then.html", "now.html")
    assert newest_years(part) == newest_years(BOTH)
