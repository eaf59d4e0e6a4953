from pages import page

from quaestor.documents.assembly import DocumentPart, HeadingPart, TablePart, assemble
from quaestor.documents.table import TableRole
from quaestor.ontology.labels import Context, CueIndex, contexts_of


def test_table_is_described_by_caption_headings_and_preceding_sentences() -> None:
    document = page([["( in millions )", "2008"], ["rent", "3"]], ["far", "near", "nearest"], ["after"])
    texts = contexts_of(document)[0].texts
    assert ("lead", "nearest") in texts
    assert ("lead", "far") not in texts
    assert ("heading", "rent") in texts
    assert contexts_of(document)[0].around == ("far", "near", "nearest", "after")


def test_role_of_a_primary_statement_overrides_its_lines() -> None:
    cues = {"kg:IncomeTax": ("income tax",), "kg:IncomeStatement": ("net income",), "kg:Lease": ("lease",)}
    lines = (("heading", "provision for income tax"), ("heading", "income tax"), ("lead", "income tax"))
    best, second = CueIndex(cues).classify(Context(lines, role=TableRole.INCOME_STATEMENT))
    assert (best.name, second.name) == ("kg:IncomeStatement", "kg:IncomeTax")
    assert "income statement" in best.reasons[0]
    # A note may mention the statement that includes its numbers.
    rules = (("lead", "included in net income"), ("lead", "a lease"))
    assert CueIndex(cues).classify(Context(rules))[0].name == "kg:IncomeStatement"
    assert CueIndex(cues).classify(Context((*rules, ("heading", "a lease")), role=TableRole.NOTE))[0].name == "kg:Lease"


def test_heading_of_a_statement_does_not_classify_notes_below_it() -> None:
    parts: list[DocumentPart] = [
        HeadingPart("Consolidated Statements of Cash Flows", 1),
        HeadingPart("Note 2 - Leases", 2),
        TablePart([["", "2024"], ["Rent", "3"], ["Interest", "1"], ["Total", "4"]]),
    ]
    document = assemble("report.html", parts)
    texts = contexts_of(document)[0].texts
    assert ("lead", "Note 2 - Leases") in texts
    assert not any("Cash Flows" in text for _, text in texts)
