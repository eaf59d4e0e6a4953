"""Writes a conversation as a workbook: answers, the working, a sheet for each table that is used, one for the text.

Owns sheets, formats and links. Text of documents and of people is written as text, never as a formula or a link.
"""

from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING

from quaestor.conversation.display import is_shown_as_percentage, show_confidence, show_number
from quaestor.core.answer_value import Number, Text, YesNo, print_value
from quaestor.core.quantity import Quantity, Scale
from quaestor.exports.conversation import ExportedConversation, ExportedTurn
from quaestor.exports.workbook.formulas import Workings
from quaestor.exports.workbook.names import CellNames
from quaestor.exports.workbook.places import TEXT_SHEET, InputCell, Places, TableSheet, places_of
from quaestor.exports.workbook.working import COMPARED, LABEL, NUMBER, PLACE, SHEET, WorkingRow
from quaestor.extras import require_extra

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_ANSWERS = "Answers"
_HEADS = ("No.", "Question", "Answer", "Counted in", "As shown", "Arithmetic", "How sure", "Remark", "What it is")
_WIDTHS = (5, 60, 18, 14, 22, 44, 9, 40, 44)
_WORKING_HEADS = ("No.", "Step", "Label", "Number", "Compared by", "Place", "Printed at")
_LONGEST = 32_000
"""A cell holds 32,767 characters."""


def workbook_bytes(conversation: ExportedConversation) -> bytes:
    """Returns a conversation as an XLSX file.

    Args:
        conversation: The conversation.

    Raises:
        SettingsError: The extra `workbook` is not installed.
    """
    require_extra("workbook", "writing a workbook")
    from xlsxwriter import Workbook

    made = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(made, options) as workbook:
        _Writer(workbook, conversation).write()
    return made.getvalue()


class _Writer:
    def __init__(self, workbook: "Workbook", conversation: ExportedConversation) -> None:
        self._book, self._conversation = workbook, conversation
        self._names = CellNames()
        self._places = places_of(conversation, self._names)
        self._workings = Workings(conversation, self._places)
        self._bold = workbook.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self._wrapped = workbook.add_format({"text_wrap": True, "valign": "top"})
        self._top = workbook.add_format({"valign": "top"})

    def write(self) -> None:
        answers, working = self._book.add_worksheet(_ANSWERS), self._book.add_worksheet(SHEET)
        self._answers(answers)
        self._working(working)
        used = {(cell.sheet, cell.row, cell.column) for cell in self._places.inputs.values()}
        for table in self._places.tables:
            self._table(self._book.add_worksheet(table.name), table, used)
        if self._places.lines:
            self._text(self._book.add_worksheet(TEXT_SHEET), self._places)
        for cell in self._places.inputs.values():
            self._book.define_name(cell.name, f"='{cell.sheet}'!{_absolute(cell.row, cell.column)}")

    def _answers(self, sheet: "Worksheet") -> None:
        self._heads(sheet, _HEADS, _WIDTHS)
        for row, (turn, formula) in enumerate(
            zip(self._conversation.turns, self._workings.answers, strict=True), start=1
        ):
            answer = turn.answer
            said = (
                answer.formula if answer.value is not None else "",
                show_confidence(answer.confidence) if answer.confidence is not None else "",
                turn.error or answer.reason or "",
                answer.description,
            )
            sheet.write_number(row, 0, row, self._top)
            sheet.write_string(row, 1, turn.question[:_LONGEST], self._wrapped)
            self._answer(sheet, row, turn, formula)
            sheet.write_string(row, 3, _counted(turn), self._top)
            sheet.write_string(row, 4, show_number(answer)[:_LONGEST], self._wrapped)
            for column, text in enumerate(said, start=5):
                sheet.write_string(row, column, text[:_LONGEST], self._wrapped)
            if formula is not None:
                self._book.define_name(self._names.take(f"answer {row}"), f"={_ANSWERS}!$C${row + 1}")

    def _answer(self, sheet: "Worksheet", row: int, turn: ExportedTurn, formula: str | None) -> None:
        answer = turn.answer
        if formula is None:
            sheet.write_string(row, 2, "no answer" if answer.value is None else print_value(answer.value)[:_LONGEST])
            return
        match answer.value:
            case Number(value=exact):
                percentage = is_shown_as_percentage(answer)
                shown = self._book.add_format({"num_format": "0.0%" if percentage else _digits(exact), "valign": "top"})
                sheet.write_formula(row, 2, f"={formula}", shown, float(exact))
            case YesNo() | Text():
                sheet.write_formula(row, 2, f"={formula}", self._wrapped, print_value(answer.value))
            case _:
                cached = print_value(answer.value) if answer.value is not None else ""
                sheet.write_array_formula(row, 2, row, 2, f"{{={formula}}}", self._wrapped, cached)

    def _working(self, sheet: "Worksheet") -> None:
        self._heads(sheet, _WORKING_HEADS, (5, 44, 26, 18, 14, 8, 22))
        for number, row in enumerate(self._workings.rows, start=1):
            sheet.write_number(number, 0, row.turn)
            sheet.write_string(number, 1, row.what[:_LONGEST])
            for column, formula in _formulas(row):
                if formula is not None:
                    sheet.write_formula(number, column, f"={formula}")
            if row.input is not None:
                _link(sheet, number, len(_WORKING_HEADS) - 1, row.input)
        sheet.freeze_panes(1, 0)

    def _table(self, sheet: "Worksheet", table: TableSheet, used: set[tuple[str, int, int]]) -> None:
        sheet.set_column(0, 0, 48)
        sheet.set_column(1, 40, 16)
        if table.caption and (0, 0) not in table.texts:
            sheet.write_string(0, 0, table.caption[:_LONGEST], self._bold)
        for (row, column), text in table.texts.items():
            sheet.write_string(row, column, text[:_LONGEST], self._bold if not column else self._wrapped)
        for (row, column), quantity in table.numbers.items():
            marked = (table.name, row, column) in used
            sheet.write_number(row, column, float(quantity.value), self._printed(quantity, marked=marked))
        sheet.freeze_panes(1, 1)

    def _text(self, sheet: "Worksheet", places: Places) -> None:
        self._heads(sheet, ("Number", "As printed", "Where"), (18, 18, 120))
        cells = {cell.row: cell for cell in places.inputs.values() if cell.sheet == TEXT_SHEET}
        for row, line in enumerate(places.lines, start=1):
            quantity = cells[row].quantity
            sheet.write_number(row, 0, float(quantity.value), self._printed(quantity, marked=True))
            sheet.write_string(row, 1, line.printed[:_LONGEST], self._top)
            sheet.write_string(row, 2, line.words[:_LONGEST], self._wrapped)

    def _heads(self, sheet: "Worksheet", heads: tuple[str, ...], widths: tuple[int, ...]) -> None:
        for column, (head, width) in enumerate(zip(heads, widths, strict=True)):
            sheet.write_string(0, column, head, self._bold)
            sheet.set_column(column, column, width)

    def _printed(self, quantity: Quantity, *, marked: bool) -> "Format":
        shown = _digits(quantity.value) + ('"%"' if quantity.scale is Scale.PERCENT else "")
        fill = {"bg_color": "#FFF2B3", "border": 1, "border_color": "#C9A400"} if marked else {}
        return self._book.add_format({"num_format": shown, **fill})


def _formulas(row: WorkingRow) -> tuple[tuple[int, str | None], ...]:
    return (LABEL, row.label), (NUMBER, row.number), (COMPARED, row.compared), (PLACE, row.place)


def _link(sheet: "Worksheet", row: int, column: int, cell: InputCell) -> None:
    """Writes a link to the cell that a number is taken from, within the workbook."""
    place = _absolute(cell.row, cell.column).replace("$", "")
    sheet.write_url(row, column, f"internal:'{cell.sheet}'!{place}", string=f"{cell.sheet}, {place}")


def _absolute(row: int, column: int) -> str:
    from xlsxwriter.utility import xl_rowcol_to_cell

    return str(xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True))


def _counted(turn: ExportedTurn) -> str:
    """Returns what one unit of an answer is: `million USD`."""
    answer = turn.answer
    named = answer.scale.value if answer.scale is not Scale.ONE else ""
    return " ".join(word for word in (named, answer.unit or "") if word) if answer.value is not None else ""


def _digits(value: Decimal) -> str:
    """Returns the number format that shows as many decimals as a number has, six at most."""
    decimals = min(6, len(f"{value:f}".partition(".")[2]))
    return f"#,##0.{'0' * decimals}" if decimals else "#,##0"
