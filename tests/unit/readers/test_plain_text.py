from pathlib import Path

from quaestor.core.periods import Period
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.readers.content import read_content
from quaestor.readers.plain_text import PlainTextReader

FILING = """<SEC-DOCUMENT>0000.txt : 19990101
<TYPE>10-K
                                    PART II

ITEM 7.  MANAGEMENT'S DISCUSSION

     Net sales rose 5% in 1998 to $ 1,200 million. Costs fell in the U.S. and in
Europe. The rest is given below.

                          ACME CORPORATION
                    CONSOLIDATED STATEMENTS OF INCOME
                     (in millions, except per share)

<TABLE>
<CAPTION>
                                           Year Ended December 31,
                                        -----------------------------
                                          1998       1997       1996
                                        -------    -------    -------
<S>                                     <C>        <C>        <C>
Net sales.............................  $ 1,200    $ 1,100    $   987
Cost of sales.........................     (600)      (550)      (480)
Operating expenses:
  Research and development............       10         --          8
  Charge for the closing of
    plants in Europe..................       5         4          3
                                        -------    -------    -------
Net income............................  $   605    $   554    $   515
                                        =======    =======    =======
</TABLE>

                                       12
<PAGE>
NOTE 1. SUMMARY OF POLICIES

     The balances below are as of December 31.

                             2023        2022
Cash                         $  5        $ 4
Receivables, net              100         90
   Total                     $105        $94

     That is all.
<DOCUMENT>
<TYPE>GRAPHIC
<TEXT>
begin 644 logo.gif
M1TE&.#EA  999   998
</TEXT>
</DOCUMENT>
"""


def read(tmp_path: Path, text: str, name: str = "a.txt") -> Document:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    content = read_content(path)
    assert PlainTextReader().recognises(content)
    return PlainTextReader().read(content)


def test_a_filing_of_the_time_before_html(tmp_path: Path) -> None:
    document = read(tmp_path, FILING)
    income, balances = document.tables
    assert (income.title, income.scale, income.header_rows) == ("CONSOLIDATED STATEMENTS OF INCOME", "million", 2)
    assert [column.period.year for column in income.columns if column.period] == [1998, 1997, 1996]
    assert [[cell.text for cell in row] for row in income.cells[2:]] == [
        ["Net sales", "$ 1,200", "$ 1,100", "$ 987"],
        ["Cost of sales", "(600)", "(550)", "(480)"],
        ["Operating expenses:", "", "", ""],
        ["Research and development", "10", "--", "8"],
        ["Charge for the closing of plants in Europe", "5", "4", "3"],
        ["Net income", "$ 605", "$ 554", "$ 515"],
    ]
    assert [[cell.text for cell in row] for row in balances.cells] == [
        ["", "2023", "2022"], ["Cash", "$ 5", "$ 4"], ["Receivables, net", "100", "90"], ["Total", "$105", "$94"],
    ]  # fmt: skip
    assert [section.path[-1] for section in document.sections] == [
        "PART II",
        "ITEM 7. MANAGEMENT'S DISCUSSION",
        "NOTE 1. SUMMARY OF POLICIES",
    ]
    assert [block.page for block in document.blocks] == [1, 1, 1, 1, 1, 2, 2, 2, 2]
    assert [sentence.text for sentence in document.sentences] == [
        "Net sales rose 5% in 1998 to $ 1,200 million.", "Costs fell in the U.S. and in Europe.",
        "The rest is given below.", "ACME CORPORATION", "The balances below are as of December 31.", "That is all.",
    ]  # fmt: skip


def test_pages_end_at_form_feeds_and_page_numbers_are_dropped(tmp_path: Path) -> None:
    document = read(tmp_path, "One page.\n\n   - 1 -\n\f\nAnother page.\n\n  2\n\fThe last.\n")
    assert [
        (block.page, [s.text for s in block.content.sentences])
        for block in document.blocks
        if block.content.kind == "paragraph"
    ] == [(1, ["One page."]), (2, ["Another page."]), (3, ["The last."])]


def test_a_text_without_pages_has_none(tmp_path: Path) -> None:
    document = read(tmp_path, "Net sales rose.\n\n12\n\nCosts fell.\n")
    assert {block.page for block in document.blocks} == {None}
    assert [sentence.text for sentence in document.sentences] == ["Net sales rose.", "12", "Costs fell."]


def test_headings_by_their_shape(tmp_path: Path) -> None:
    text = "RISK FACTORS\n\nWe may fail.\n\nOur rivals\n----------\nThey are strong.\n\n1. Leases\n\nWe rent.\n"
    document = read(tmp_path, text)
    assert [section.path for section in document.sections] == [
        ("RISK FACTORS",),
        ("RISK FACTORS", "Our rivals"),
        ("RISK FACTORS", "1. Leases"),
    ]


def test_numbers_close_together_are_columns(tmp_path: Path) -> None:
    lines = ["Sales   1,200 1,100", "Costs     600   550", "Profit    600   550"]
    (table,) = read(tmp_path, "\n".join(lines)).tables
    assert [[cell.text for cell in row] for row in table.cells] == [line.split() for line in lines]


def test_prose_with_numbers_is_not_a_table(tmp_path: Path) -> None:
    text = (
        "Net sales rose by $ 5 million in  1998, then  by 7 in 1999\nwhile costs fell  to that of  1997\nand stayed.\n"
    )
    assert read(tmp_path, text).tables == ()


PROPERTIES = """
The properties at year end were (dollars in thousands):

                                     Year          Rentable       Percent
Property             Location        Built         Sq. Ft.        Leased
--------             --------        -----         --------       -------
One Lake Road        Chicago, IL      1986         1,204,000        97%
Harbor Point         Boston, MA       1991           611,500        92
Mesa Tower           Phoenix, AZ      1984           402,250        88%
"""


def test_words_between_labels_and_numbers_are_a_column(tmp_path: Path) -> None:
    (table,) = read(tmp_path, PROPERTIES).tables
    assert [header.levels for header in table.columns] == [
        ("Property",),
        ("Location",),
        ("Year", "Built"),
        ("Rentable", "Sq. Ft."),
        ("Percent", "Leased"),
    ]
    assert ["Harbor Point", "Boston, MA", "1991", "611,500", "92"] in [
        [cell.text for cell in row] for row in table.cells
    ]


def test_a_list_in_two_halves_is_one_list(tmp_path: Path) -> None:
    text = """<TABLE>
<CAPTION>
                             Number                                         Number
State                      of Shops               State                   of Shops
- -----                    --------               -----                   --------
<S>                        <C>                    <S>                     <C>
Alabama                          13               Missouri                      18
Alaska                            1               Montana                        3
Arizona                          28               Texas                         88
</TABLE>
"""
    (table,) = read(tmp_path, text).tables
    rows = {header.label: row[1].text for header, row in zip(table.rows, table.cells, strict=True)}
    assert [rows.get(name) for name in ("Arizona", "Texas")] == ["28", "88"]


def test_a_heading_is_over_the_columns_that_the_line_below_it_covers(tmp_path: Path) -> None:
    text = """<TABLE>
<CAPTION>
                                     Fiscal Year Ended                 Change
                           -------------------------------------     ---------
                           Jan. 28,       Jan. 30,      Jan. 31,       2000
                             2001           2000          1999        vs. 1999
                           --------       --------      --------     ---------
<S>                        <C>            <C>           <C>          <C>
Net sales                    $  500         $  400        $  300          25%
Costs of the stores per
    Operating Shop              120            100            90          20
</TABLE>
"""
    (table,) = read(tmp_path, text).tables
    assert [header.levels[0] for header in table.columns[1:]] == ["Fiscal Year Ended"] * 3 + ["Change"]
    assert {header.period.kind for header in table.columns[1:4] if header.period} == {"year"}
    assert [header.label for header in table.rows[table.header_rows :]] == [
        "Net sales",
        "Costs of the stores per Operating Shop",
    ]


def test_years_that_lines_begin_with_are_their_names(tmp_path: Path) -> None:
    text = """
     Leases end as follows (dollars in thousands):

                     Number of       Expiring         Annual
Year                  Leases          Sq. Ft.          Rent
- ----                ---------      --------         ------
1999 ..............      14          180,400          $2,911
2000 ..............      22          301,220           4,870
"""
    (table,) = read(tmp_path, text).tables
    assert [header.period for header in table.rows[-2:]] == [Period("year", 1999), Period("year", 2000)]
    assert [header.levels for header in table.columns[1:]] == [
        ("Number of", "Leases"),
        ("Expiring", "Sq. Ft."),
        ("Annual", "Rent"),
    ]


def test_columns_are_headed_above_the_label_of_the_first_lines(tmp_path: Path) -> None:
    text = """
                               1998           1997
                            ----------     ----------
Operating revenues:
  Residential ..........    $  412,330     $  398,117
  Commercial ...........       298,404        281,550
"""
    (table,) = read(tmp_path, text).tables
    assert [header.label for header in table.columns[1:]] == ["1998", "1997"]
    assert table.rows[-1].levels == ("Operating revenues", "Commercial")


def test_a_unit_over_two_columns_is_not_that_of_the_percentages_beside_it(tmp_path: Path) -> None:
    text = """
                       Revenue              Change   %
                    Millions of yen    %
                    ---------------------------------------
March 31, 2024           284,516      6.2            3.4
March 31, 2023           267,904      9.8            4.0
"""
    (table,) = read(tmp_path, text).tables
    headings = [[cell.text for cell in row[1:]] for row in table.cells[:2]]
    assert headings == [["Revenue", "", "Change %"], ["Millions of yen", "%", ""]]


def test_units_are_the_last_of_six_lines_of_headings(tmp_path: Path) -> None:
    text = """
                    Six months          Year
                         ended         ended
                       30 June   31 December
                          2025          2024
                   (unaudited)     (audited)
            Notes         £000          £000

Revenue         3      797,402     1,560,210
Cost of sales         (590,221)   (1,160,334)
"""
    (table,) = read(tmp_path, text).tables
    assert [header.levels[0] for header in table.columns[1:]] == ["Notes", "Six months", "Year"]
    assert table.scale_at(table.header_rows, 2) is Scale.THOUSAND


def test_caption_below_the_line_under_the_headings_is_a_heading(tmp_path: Path) -> None:
    text = """
                              2003         2002
                          ----------   ----------
                          (Restated)
                          (Dollars in thousands)
<S>                        <C>          <C>
Total assets ..........   $  612,330   $  580,118
Loans, net ............      402,118      390,220
"""
    (table,) = read(tmp_path, text).tables
    assert [row.label for row in table.rows[table.header_rows :]] == ["Total assets", "Loans, net"]
    assert table.scale_at(table.header_rows, 1) is Scale.THOUSAND


def test_columns_are_headed_above_the_names_of_sections(tmp_path: Path) -> None:
    text = """
                 FIVE-YEAR HIGHLIGHTS

NOKm                       Note         2024         2023
----------------------------------------------------------
INCOME
Operating income
  from contracts             4         1,126          972
Payments for
  (a) staff                             (298)        (241)
"""
    (table,) = read(tmp_path, text).tables
    assert [header.period and header.period.year for header in table.columns[2:]] == [2024, 2023]
    assert [row.label for row in table.rows[table.header_rows :]] == [
        "INCOME", "Operating income from contracts", "Payments for", "(a) staff",
    ]  # fmt: skip
    assert (table.title, table.scale, table.unit) == ("FIVE-YEAR HIGHLIGHTS", Scale.MILLION, "NOK")


def test_numbering_and_the_sign_of_a_column_belong_to_labels_and_numbers(tmp_path: Path) -> None:
    text = """
                                   $A'000         $A'000
                                     2024           2023
1.1   Receipts from customers   P   1,412      P   1,088
1.2   Interest                          9             17
"""
    (table,) = read(tmp_path, text).tables
    assert [[cell.text for cell in row] for row in table.cells[table.header_rows :]] == [
        ["1.1 Receipts from customers", "P 1,412", "P 1,088"], ["1.2 Interest", "9", "17"],
    ]  # fmt: skip
    assert (table.scale_at(2, 1), table.unit_at(2, 1)) == (Scale.THOUSAND, "AUD")


def test_a_table_in_two_languages(tmp_path: Path) -> None:
    text = """
Bilan                          Balance sheet
31 décembre 2024               31 December 2024
(en millions d'euros)          (in millions of euros)

                          2024            2023
Trésorerie              18.462          15.904   Cash
Emprunts                 6.217           4.385   Borrowings
Dettes                   1.200           1.100
"""
    document = read(tmp_path, text)
    (table,) = document.tables
    assert [cell.text for cell in table.cells[1]] == ["Trésorerie", "18.462", "15.904", "Cash"]
    assert (table.scale, table.unit) == (Scale.MILLION, "EUR")


def test_items_of_a_list_are_sentences(tmp_path: Path) -> None:
    text = "Highlights:\n- Sales rose 7% in the\n  quarter\n- Volumes fell 3%\n"
    assert [sentence.text for sentence in read(tmp_path, text).sentences] == [
        "Highlights:", "- Sales rose 7% in the quarter", "- Volumes fell 3%",
    ]  # fmt: skip


def test_headings_of_other_columns_begin_another_table(tmp_path: Path) -> None:
    text = """
                     2024       2023
Revenue               882        101
Costs                 124        118

Fleet
               4Q 2024   3Q 2024   4Q 2023
Tankers            358       396       423
Carriers           333       399       457
"""
    assert [len(table.columns) for table in read(tmp_path, text).tables] == [3, 4]
