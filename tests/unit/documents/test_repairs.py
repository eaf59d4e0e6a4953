import pytest

from quaestor.core import serial
from quaestor.documents.repairs import DocumentWarning, Repair, RepairKind, WarningKind, show_repair, show_warning


@pytest.mark.parametrize("kind", WarningKind)
def test_a_warning_is_one_line_with_its_place_and_comes_back_from_json(kind: WarningKind) -> None:
    repair = Repair(RepairKind.DASH_AS_YEAR, "2014") if kind is WarningKind.REPAIRED else None
    warning = DocumentWarning(kind, 3, 4, 60_000, "rent1", repair)
    line = show_warning(warning)
    assert line.startswith("table 3, row 4: ")
    assert "\n" not in line
    assert serial.load(DocumentWarning, serial.dump(warning)) == warning


def test_warning_without_a_table_is_a_loss() -> None:
    assert show_warning(DocumentWarning(WarningKind.LOST, detail="a page is lost")) == "a page is lost"


def test_repairs_of_several_cells_are_counted() -> None:
    assert "(2 cells)" in show_warning(
        DocumentWarning(WarningKind.REPAIRED, 0, 4, 2, repair=Repair(RepairKind.DASH_AS_YEAR))
    )
    assert len({show_repair(Repair(kind, "2014")) for kind in RepairKind}) == len(RepairKind)
