from quaestor.application.resolve import read_page
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.web.document_view import BlockView, Paper, part_view
from quaestor.web.templating import Pages

PAGES = Pages({})


def page(*parts: ParagraphPart | TablePart) -> Paper:
    return Paper(assemble("page", list(parts)))


def blocks(paper: Paper, number: int = 0) -> list[BlockView]:
    return part_view(paper, paper.parts[number], ())


def test_numbers_are_marked_and_repeated_headings_are_merged() -> None:
    table = [
        ["", "December 31", "December 31"],
        ["", "2009", "2008"],
        ["net sales", "$ 120", "100"],
        ["name", "a", "-"],
    ]
    (shown,) = blocks(page(TablePart(table)))
    assert [(cell.text, cell.span) for cell in shown.heads[0].cells] == [("", 1), ("December 31", 2)]
    assert [cell.numeric for cell in shown.rows[0].cells] == [False, True, True]


def test_marked_words_are_cut_out_of_their_sentence() -> None:
    paper = page(ParagraphPart(("Net sales were $ 120 million in 2009 .",)))
    (sentence,) = paper.document.sentences
    ref = SentenceRef("page", sentence.section, sentence.index, 15, 20)
    (shown,) = part_view(paper, paper.parts[0], [ref], ref)
    ((_, spans),) = shown.sentences
    assert [text for text, _, _ in spans] == ["Net sales were ", "$ 120", " million in 2009 ."]
    assert [here for _, _, here in spans] == [False, True, False]


def test_a_long_table_has_its_heads_in_each_part_but_each_id_once() -> None:
    table = [["line", "2009"], *([f"line {row}", str(row)] for row in range(300))]
    paper = page(TablePart(table))
    views = [view for part in paper.parts for view in part_view(paper, part, ())]
    assert [view.heads[0].cells[1].text for view in views] == ["2009"] * len(views)
    keys = [cell.key for view in views for row in (*view.heads, *view.rows) for cell in row.cells if cell.key]
    assert len(keys) == len(set(keys)) == 2 * 301
    assert views[1].rest.startswith("Rows ")


def test_text_of_a_document_is_escaped() -> None:
    paper = page(
        ParagraphPart(("<img src=x onerror=alert(1)> & 5 </span>",)),
        TablePart([["<b>x</b>", "2009"], ["\u202egnp.exe", "5"]]),
    )
    html = PAGES.text("paper/part.html", part=paper.parts[0], blocks=blocks(paper))
    assert "<img" not in html
    assert "<b>" not in html
    assert "\u202e" not in html


def test_current_cell_is_marked() -> None:
    paper = Paper(read_page("sample#NORD/2012/page_41.pdf").document)
    here = CellRef(paper.document.id, 0, 2, 1)
    shown = part_view(paper, paper.parts[0], [here], here)
    html = PAGES.text("paper/part.html", part=paper.parts[0], blocks=shown)
    assert html.count('aria-current="location"') == 1
    assert '<td id="t0-2-1" class="n used"' in html


def test_table_shows_role_unit_and_warnings() -> None:
    rows = [["", "2023", "2022"], ["Total assets", "9", "8"], ["Total liabilities", "1.9:1", "4"], ["Equity", "4", "4"]]
    parts: list[DocumentPart] = [HeadingPart("Balance sheets"), TablePart(rows, title="Balance sheets (EUR m)")]
    document = assemble("page", parts, filing=True)
    paper = Paper(document)
    shown = next(block for block in blocks(paper) if block.kind == "table")
    assert shown.about == "balance sheet, million EUR"
    html = PAGES.text("paper/part.html", part=paper.parts[0], blocks=blocks(paper))
    assert "balance sheet, million EUR" in html
    assert "1.9:1" in html.partition('class="doubt"')[2]
