import pytest

from quaestor.core import serial
from quaestor.documents.repairs import DocumentWarning, Repair, RepairKind, WarningKind, show_repair, show_warning

DASH = Repair(RepairKind.DASH_AS_YEAR, "2014")

WARNINGS = [
    (DocumentWarning(WarningKind.LOST, detail="a page is lost"), "a page is lost"),
    (DocumentWarning(WarningKind.UNEQUAL_ROWS, 1), "table 1: rows of unequal length were filled with empty cells"),
    (DocumentWarning(WarningKind.NO_HEADER, 0), "table 0: no header row"),
    (
        DocumentWarning(WarningKind.GOES_ON, 1, detail="0"),
        "table 1: no header row; it follows table 0 and is read with that table's headings",
    ),
    (
        DocumentWarning(WarningKind.SCALE_SAID, 0, detail="thousand"),
        "table 0: no scale is printed over it; read in thousands, as in sentences with its numbers",
    ),
    (DocumentWarning(WarningKind.FUSED_NUMBERS, 0), "table 0: no header row; numbers are fused into the headings"),
    (
        DocumentWarning(WarningKind.TOO_LARGE, 0, count=60_000, detail="50,000"),
        "table 0: its 60,000 cells are not used for answers (limit: 50,000); use a file with fewer rows",
    ),
    (DocumentWarning(WarningKind.NO_ROWS, 0), "table 0: no rows below the header"),
    (DocumentWarning(WarningKind.NO_HEADING, 0, detail="1, 2"), "table 0: no heading over column 1, 2"),
    (DocumentWarning(WarningKind.SAME_COLUMNS, 0, count=2, detail="a"), "table 0: 2 columns are labelled 'a'"),
    (DocumentWarning(WarningKind.SAME_ROWS, 0, count=3, detail="b"), "table 0: 3 rows are labelled 'b'"),
    (DocumentWarning(WarningKind.REPAIRED, 0, 4, repair=DASH), "table 0, row 4: a dash printed as the year 2014"),
    (
        DocumentWarning(WarningKind.REPAIRED, 0, 4, 2, repair=Repair(RepairKind.REPEATED_HEADER)),
        "table 0, row 4: a header repeated within the table (2 cells)",
    ),
    (
        DocumentWarning(WarningKind.FUSED_FOOTNOTE, 0, 1, detail="rent1"),
        "table 0, row 1: footnote mark fused to the label 'rent1'",
    ),
    (DocumentWarning(WarningKind.REFUSED, detail="table 0 is endless"), "table 0 is endless"),
    (DocumentWarning(WarningKind.NO_NUMBER, 2), "table 2: it has no numbers"),
]


def test_every_kind_of_warning_is_worded() -> None:
    assert {warning.kind for warning, _ in WARNINGS} == set(WarningKind)
    assert {show_repair(Repair(kind, "2014")) for kind in RepairKind} == {
        "a dash printed as the year 2014",
        "a header repeated within the table",
        "a formula without a stored value",
    }


@pytest.mark.parametrize(("warning", "line"), WARNINGS)
def test_a_warning_is_one_line_and_comes_back_from_json(warning: DocumentWarning, line: str) -> None:
    assert show_warning(warning) == line
    assert serial.load(DocumentWarning, serial.dump(warning)) == warning
