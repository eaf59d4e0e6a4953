"""Tables and documents as one line and as HTML: truncation and marks."""

from elements import elements_of
from pages import page

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.documents.shown import marked_text, table_html

YEARS = [str(year) for year in range(1980, 2020)]
LARGE = page([["( in millions )", *YEARS], *([f"line {row}", *[str(row)] * len(YEARS)] for row in range(200))])


def texts(html: str, tag: str) -> list[str]:
    return [element.text_content() for element in elements_of(html) if element.tag == tag]


def test_large_table_is_cut_around_marked_cells() -> None:
    table = LARGE.tables[0]
    html = table_html(table, [CellRef(LARGE.id, 0, 151, 31), CellRef(LARGE.id, 0, 1, 2)])
    assert texts(html, "mark") == ["0", "150"]
    assert texts(html, "th") == [
        "( in millions )", "1980", "1981", "1982", "1983", "2008", "2009", "2010", "2011", "2012",
        "line 0", "line 1", "line 2", "line 148", "line 149", "line 150", "line 151", "line 152",
    ]  # fmt: skip
    assert len(texts(html, "tr")) == 11
    assert len(table._repr_html_()) < 60_000
    assert texts(table._repr_html_(), "th")[-1] == "line 22"


def test_a_small_table_is_shown_whole() -> None:
    table = page([["", "2010"], ["sales", "5"], ["rent", "4"]]).tables[0]
    assert texts(table._repr_html_(), "th") == ["", "2010", "sales", "rent"]
    assert texts(table._repr_html_(), "td") == ["5", "4"]
    assert repr(table) == "<table 0: 2 rows; 2010>"


def test_a_document_lists_its_tables() -> None:
    tables = [TablePart([["", "2010"], ["rent", "4"]], title=f"Table {n}") for n in range(30)]
    document = assemble("long.html", [HeadingPart("Notes"), *tables])
    assert repr(document) == "<'long.html': 30 tables, 0 sentences>"
    assert repr(document.tables[3]) == "<table 3 'Table 3': 1 row; 2010>"
    listed = texts(document._repr_html_(), "li")
    assert (len(listed), listed[0]) == (24, "Table 0 (1 row)")
    assert "and 6 tables more" in document._repr_html_()


def test_words_are_marked_at_their_place() -> None:
    text = "net sales were $ 5 and rent was $ 4 ."
    assert marked_text(text, [(15, 18), (32, 35)]) == (
        "net sales were <mark><b>$ 5</b></mark> and rent was <mark><b>$ 4</b></mark> ."
    )
    assert marked_text(text, [(15, 18), (17, 22)]).count("<mark>") == 1
    long = marked_text("x" * 1000 + "5" + "y" * 1000, [(1000, 1001)])
    assert len(long) < 400
    assert long.startswith("… xxx")
    assert long.endswith("yyy …")
