"""Repairs and warnings from reading a document, and their texts."""

from dataclasses import dataclass
from enum import StrEnum


class RepairKind(StrEnum):
    """Why a cell has no number."""

    DASH_AS_YEAR = "dash_as_year"
    REPEATED_HEADER = "repeated_header"
    NO_STORED_VALUE = "no_stored_value"


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair of a cell.

    Attributes:
        detail: For a dash, the year printed instead of it; else "".
    """

    kind: RepairKind
    detail: str = ""


class WarningKind(StrEnum):
    """Kinds of losses, repairs and irregularities in a document."""

    LOST = "lost"
    REFUSED = "refused"
    UNEQUAL_ROWS = "unequal_rows"
    TOO_LARGE = "too_large"
    NO_HEADER = "no_header"
    CONTINUED_TABLE = "goes_on"
    SCALE_FROM_TEXT = "scale_said"
    FUSED_NUMBERS = "fused_numbers"
    NO_ROWS = "no_rows"
    NO_HEADING = "no_heading"
    SAME_COLUMNS = "same_columns"
    SAME_ROWS = "same_rows"
    REPAIRED = "repaired"
    FUSED_FOOTNOTE = "fused_footnote"
    NO_NUMBER = "no_number"


@dataclass(frozen=True, slots=True)
class DocumentWarning:
    """A loss, repair or irregularity.

    Attributes:
        table: Index of the table in the document, from 0; None if it is not about a table.
        row: Index of the row in the table, from 0, or None.
        count: Number of affected cells or lines.
        detail: The label, the columns, or what was lost.
    """

    kind: WarningKind
    table: int | None = None
    row: int | None = None
    count: int = 1
    detail: str = ""
    repair: Repair | None = None


def show_repair(repair: Repair) -> str:
    """Describe a repair."""
    if repair.kind is RepairKind.DASH_AS_YEAR:
        return f"a dash printed as the year {repair.detail}"
    if repair.kind is RepairKind.NO_STORED_VALUE:
        return "a formula without a stored value"
    return "a header repeated within the table"


def show_warning(warning: DocumentWarning) -> str:
    """Return a warning as one line, with its place."""
    row = "" if warning.row is None else f", row {warning.row}"
    place = "" if warning.table is None else f"table {warning.table}{row}: "
    words = show_repair(warning.repair) if warning.repair else _WORDS[warning.kind]
    cells = f" ({warning.count} cells)" if warning.repair and warning.count > 1 else ""
    return place + words.format(detail=warning.detail, count=warning.count) + cells


_WORDS = {
    WarningKind.LOST: "{detail}",
    WarningKind.REFUSED: "{detail}",
    WarningKind.UNEQUAL_ROWS: "rows of unequal length were filled with empty cells",
    WarningKind.TOO_LARGE: "its {count:,} cells are not used for answers (limit: {detail}); use a file with fewer rows",
    WarningKind.NO_HEADER: "no header row",
    WarningKind.CONTINUED_TABLE: "no header row; it follows table {detail} and is read with that table's headings",
    WarningKind.SCALE_FROM_TEXT: "no scale is printed over it; read in {detail}s, as in sentences with its numbers",
    WarningKind.FUSED_NUMBERS: "no header row; numbers are fused into the headings",
    WarningKind.NO_ROWS: "no rows below the header",
    WarningKind.NO_HEADING: "no heading over column {detail}",
    WarningKind.SAME_COLUMNS: "{count} columns are labelled {detail!r}",
    WarningKind.SAME_ROWS: "{count} rows are labelled {detail!r}",
    WarningKind.REPAIRED: "{detail}",
    WarningKind.FUSED_FOOTNOTE: "footnote mark fused to the label {detail!r}",
    WarningKind.NO_NUMBER: "it has no numbers",
}
