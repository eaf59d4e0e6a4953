from pages import page

from quaestor.documents.assembly import DocumentPart, HeadingPart, TablePart, assemble
from quaestor.documents.table import TableRole
from quaestor.ontology.labels import Context, CueIndex, contexts_of

CUES = {"kg:Debt": ("debt", "long-term debt"), "kg:Lease": ("lease", "operating leases")}


def test_cues_count_by_place_and_length() -> None:
    index = CueIndex(CUES)
    best, second = index.classify(Context((("caption", "long-term debt"), ("text", "leases are debt , leases"))))
    assert (best.name, second.name) == ("kg:Debt", "kg:Lease")
    assert best.score == 4 * 3 + 4 + 0.25
    assert second.score == 0.25
    assert all(said in best.reasons[0] for said in ("'long-term debt'", "12"))


def test_plurals_are_found() -> None:
    assert {name for name, _, _ in CueIndex(CUES).find("Operating Lease")} == {"kg:Lease"}


def test_without_a_cue_it_is_the_root_class() -> None:
    (match,) = CueIndex(CUES).classify(Context((("text", "nothing"),)))
    assert match.name == "kg:FinancialTable"
    assert match.reasons


def test_ties_are_broken_by_name() -> None:
    index = CueIndex({"kg:B": ("word",), "kg:A": ("word",)})
    assert [m.name for m in index.classify(Context((("text", "word"),)))] == ["kg:A", "kg:B"]


def test_a_table_is_told_by_its_caption_headings_and_the_sentences_before_it() -> None:
    document = page([["( in millions )", "2008"], ["rent", "3"]], ["far", "near", "nearest"], ["after"])
    texts = contexts_of(document)[0].texts
    assert ("lead", "nearest") in texts
    assert ("lead", "far") not in texts
    assert ("heading", "rent") in texts
    assert contexts_of(document)[0].around == ("far", "near", "nearest", "after")


def test_what_stands_around_all_tables_counts_as_any_text() -> None:
    texts = ("a lease of debt", "long-term debt", "debt")
    alone = CueIndex(CUES).classify(Context((("caption", "lease"), *(("text", text) for text in texts))))
    assert CueIndex(CUES).classify(Context((("caption", "lease"),), texts)) == alone


def test_a_primary_statement_is_typed_by_its_role_whatever_its_lines_say() -> None:
    cues = {"kg:IncomeTax": ("income tax",), "kg:IncomeStatement": ("net income",), "kg:Lease": ("lease",)}
    lines = (("heading", "provision for income tax"), ("heading", "income tax"), ("lead", "income tax"))
    best, second = CueIndex(cues).classify(Context(lines, role=TableRole.INCOME_STATEMENT))
    assert (best.name, second.name) == ("kg:IncomeStatement", "kg:IncomeTax")
    assert "income statement" in best.reasons[0]
    # A note says in which statement its numbers are.
    said = (("lead", "included in net income"), ("lead", "a lease"))
    assert CueIndex(cues).classify(Context(said))[0].name == "kg:IncomeStatement"
    assert CueIndex(cues).classify(Context((*said, ("heading", "a lease")), role=TableRole.NOTE))[0].name == "kg:Lease"


def test_a_cue_within_a_longer_one_of_another_class_tells_nothing() -> None:
    index = CueIndex({"kg:Debt": ("debt",), "kg:InvestmentSecurity": ("debt securities",)})
    assert {name for name, _, _ in index.find("corporate debt securities")} == {"kg:InvestmentSecurity"}
    assert {name for name, _, _ in index.find("debt securities and debt")} == {"kg:Debt", "kg:InvestmentSecurity"}


def test_a_heading_that_names_a_statement_tells_nothing_of_the_notes_below_it() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("Consolidated Statements of Cash Flows", 1),
        HeadingPart("Note 2 - Leases", 2),
        TablePart([["", "2024"], ["Rent", "3"], ["Interest", "1"], ["Total", "4"]]),
    ]
    document = assemble("report.html", parts)
    texts = contexts_of(document)[0].texts
    assert ("lead", "Note 2 - Leases") in texts
    assert not any("Cash Flows" in text for _, text in texts)
