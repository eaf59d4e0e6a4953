"""Writes conversations as a workbook: answers, their working, a sheet per used table, and one for text.

Text of documents and users is written as text, never as a formula or a link.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING

from quaestor.conversation.answer import show_confidence
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Number, Text, YesNo, print_value
from quaestor.core.free_names import FreeNames
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.visible import visible
from quaestor.exports.rows import ExportedConversation, answer_words, remark_words
from quaestor.exports.workbook.formulas import COMPARED, LABEL, NUMBER, PLACE, SHEET, FormulaRows
from quaestor.exports.workbook.places import TEXT_SHEET, InputCell, SheetNames, TableSheet, places_of, take_cell_name
from quaestor.extras import require_extra

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_ANSWERS = "Answers"
_TABLES = "Tables"
_HEADS = (
    "No.", "Conversation", "Question", "Answer", "Unit", "Displayed as", "Arithmetic", "Source", "Confidence",
    "Remark", "Description",
)  # fmt: skip
_WIDTHS = (5, 30, 60, 18, 14, 22, 44, 34, 9, 40, 44)
_QUESTION, _ANSWER, _PRINTED_AT = _HEADS.index("Question"), _HEADS.index("Answer"), _HEADS.index("Source")
_WORKING_HEADS = ("No.", "Step", "Label", "Number", "Compared value", "Rank", "Source")
_LINE, _MOST_LINES = 15, 12
"""The height of a line in points, and the maximum number of lines in a row."""
_LONGEST = 32_000
"""The maximum length of text written to a cell; Excel allows 32,767 characters."""


def workbook_bytes(conversations: Sequence[ExportedConversation]) -> bytes:
    """Return conversations as an XLSX file; those about one page share its sheets."""
    require_extra("workbook", "writing a workbook")
    from xlsxwriter import Workbook

    buffer = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(buffer, options) as workbook:
        _Writer(workbook, conversations).write()
    return buffer.getvalue()


class _Writer:
    def __init__(self, workbook: "Workbook", conversations: Sequence[ExportedConversation]) -> None:
        self._book, self._conversations = workbook, conversations
        self._names = FreeNames()
        self._places = places_of(conversations, self._names, SheetNames(_ANSWERS, SHEET, _TABLES, TEXT_SHEET))
        self._workings = list(self._write_rows())
        self._formats: dict[tuple[tuple[str, str | int | bool], ...], Format] = {}
        self._bold = self._format(bold=True, text_wrap=True, valign="top")
        self._wrapped = self._format(text_wrap=True, valign="top")
        self._top = self._format(valign="top")

    def _write_rows(self) -> Iterator[FormulaRows]:
        row, turn = 1, 1
        for conversation, inputs in zip(self._conversations, self._places.inputs, strict=True):
            workings = FormulaRows(conversation, inputs, row, turn)
            row, turn = row + len(workings.rows), turn + len(conversation.turns)
            yield workings

    def write(self) -> None:
        answers, working = self._book.add_worksheet(_ANSWERS), self._book.add_worksheet(SHEET)
        self._answers(answers)
        self._working(working)
        if self._places.tables:
            self._contents(self._book.add_worksheet(_TABLES))
        if self._places.lines:
            self._text(self._book.add_worksheet(TEXT_SHEET))
        used = {(cell.sheet, cell.row, cell.column) for cell in self._places.cells}
        for table in self._places.tables:
            self._table(self._book.add_worksheet(table.name), table, used)
        for cell in self._places.cells:
            self._book.define_name(cell.name, f"='{cell.sheet}'!{_absolute(cell.row, cell.column)}")
            if cell.note is not None:
                sheet = self._book.get_worksheet_by_name(cell.sheet)
                sheet.write_comment(cell.row, cell.column, visible(cell.note)[:_LONGEST], {"author": "quaestor"})

    def _answers(self, sheet: "Worksheet") -> None:
        self._heads(sheet, _HEADS, _WIDTHS)
        row = 0
        for conversation, workings in zip(self._conversations, self._workings, strict=True):
            printed_at: dict[int, list[InputCell]] = {}
            for formula_row in workings.rows:
                if formula_row.input is not None:
                    printed_at.setdefault(formula_row.turn, []).append(formula_row.input)
            for turn, formula in zip(conversation.turns, workings.answers, strict=True):
                row += 1
                _write(sheet, row, 1, conversation.id, self._top)
                self._turn(sheet, row, turn, formula)
                # A link to the first number that the answer uses, and how many more there are.
                if inputs := list(dict.fromkeys(printed_at.get(row, []))):
                    more = f" and {len(inputs) - 1} more" if inputs[1:] else ""
                    self._link(sheet, row, _PRINTED_AT, inputs[0], more)
        sheet.autofilter(0, 0, row, len(_HEADS) - 1)

    def _turn(self, sheet: "Worksheet", row: int, turn: Turn, formula: str | None) -> None:
        answer, lines = turn.answer, _lines(turn.question, _WIDTHS[_QUESTION])
        sheet.write_number(row, 0, row, self._top)
        _write(sheet, row, _QUESTION, turn.question, self._wrapped)
        self._answer(sheet, row, turn, formula)
        for column, text, shown in (
            (_ANSWER + 1, _unit_words(turn), self._top),
            (_ANSWER + 2, answer_words(answer), self._wrapped),
            (_ANSWER + 3, answer.formula if answer.value is not None else "", self._wrapped),
            (_PRINTED_AT + 1, show_confidence(answer.confidence) if answer.confidence is not None else "", self._top),
            (_PRINTED_AT + 2, remark_words(turn), self._wrapped),
            (_PRINTED_AT + 3, answer.description, self._wrapped),
        ):
            _write(sheet, row, column, text, shown)
            lines = max(lines, _lines(text, _WIDTHS[column]) if shown is self._wrapped else 1)
        sheet.set_row(row, _LINE * lines)
        if formula is not None:
            self._book.define_name(
                take_cell_name(f"answer {row}", self._names), f"={_ANSWERS}!{_absolute(row, _ANSWER)}"
            )

    def _answer(self, sheet: "Worksheet", row: int, turn: Turn, formula: str | None) -> None:
        answer = turn.answer
        if formula is None:
            text = "no answer" if answer.value is None else print_value(answer.value)
            _write(sheet, row, _ANSWER, text, self._wrapped)
            return
        match answer.value:
            case Number(value=exact):
                digits = "0.0%" if is_shown_as_percentage(answer) else _digits(exact)
                shown = self._format(num_format=digits, valign="top")
                sheet.write_formula(row, _ANSWER, f"={formula}", shown, float(exact))
            case YesNo() | Text():
                sheet.write_formula(row, _ANSWER, f"={formula}", self._wrapped, visible(print_value(answer.value)))
            case _:
                cached = visible(print_value(answer.value)) if answer.value is not None else ""
                sheet.write_array_formula(row, _ANSWER, row, _ANSWER, f"{{={formula}}}", self._wrapped, cached)

    def _working(self, sheet: "Worksheet") -> None:
        self._heads(sheet, _WORKING_HEADS, (5, 44, 26, 18, 14, 8, 34))
        rows = (row for workings in self._workings for row in workings.rows)
        for number, row in enumerate(rows, start=1):
            sheet.write_number(number, 0, row.turn)
            _write(sheet, number, 1, row.what)
            formulas = ((LABEL, row.label), (NUMBER, row.number), (COMPARED, row.compared), (PLACE, row.place))
            for column, formula in formulas:
                if formula is not None:
                    sheet.write_formula(number, column, f"={formula}")
            if row.input is not None:
                self._link(sheet, number, len(_WORKING_HEADS) - 1, row.input)

    def _contents(self, sheet: "Worksheet") -> None:
        """List the tables with the files or pages that they come from, by name and without folders."""
        self._heads(sheet, ("Sheet", "File or page", "Section", "Caption"), (34, 40, 60, 60))
        for row, table in enumerate(self._places.tables, start=1):
            sheet.write_url(row, 0, f"internal:'{table.name}'!A1", string=table.name)
            for column, text in enumerate((table.document, table.section, table.caption), start=1):
                _write(sheet, row, column, text, self._wrapped)

    def _table(self, sheet: "Worksheet", table: TableSheet, used: set[tuple[str, int, int]]) -> None:
        widths = (48, 16)
        sheet.set_column(0, 0, widths[0])
        sheet.set_column(1, 40, widths[1])
        line_counts: dict[int, int] = {}
        if table.caption and (0, 0) not in table.texts:
            _write(sheet, 0, 0, table.caption, self._bold)
        for (row, column), text in table.texts.items():
            _write(sheet, row, column, text, self._bold if not column else self._wrapped)
            line_counts[row] = max(line_counts.get(row, 1), _lines(text, widths[min(column, 1)]))
        for row, lines in line_counts.items():
            sheet.set_row(row, _LINE * lines)
        for (row, column), quantity in table.numbers.items():
            marked = (table.name, row, column) in used
            sheet.write_number(row, column, float(quantity.value), self._number_format(quantity, marked=marked))
        last = max((row for row, _ in (*table.texts, *table.numbers)), default=0) + 2
        source = " > ".join(part for part in (table.document, table.section) if part)
        _write(sheet, last, 0, f"Source: {source}", self._wrapped)
        sheet.freeze_panes(1, 1)

    def _text(self, sheet: "Worksheet") -> None:
        heads = ("Number", "Printed text", "Sentence", "File or page", "Section")
        widths = (18, 18, 120, 40, 40)
        self._heads(sheet, heads, widths)
        cells = {cell.row: cell for cell in self._places.cells if cell.sheet == TEXT_SHEET}
        for row, line in enumerate(self._places.lines, start=1):
            quantity = cells[row].quantity
            sheet.write_number(row, 0, float(quantity.value), self._number_format(quantity, marked=True))
            _write(sheet, row, 1, line.printed, self._top)
            for column, text in enumerate((line.words, line.document, line.section), start=2):
                _write(sheet, row, column, text, self._wrapped)
            sheet.set_row(row, _LINE * max(_lines(line.words, widths[2]), _lines(line.section, widths[4])))

    def _heads(self, sheet: "Worksheet", heads: tuple[str, ...], widths: tuple[int, ...]) -> None:
        sheet.freeze_panes(1, 0)
        # When printed, all columns fit on one page.
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        for column, (head, width) in enumerate(zip(heads, widths, strict=True)):
            _write(sheet, 0, column, head, self._bold)
            sheet.set_column(column, column, width)

    def _link(self, sheet: "Worksheet", row: int, column: int, cell: InputCell, more: str = "") -> None:
        """Write a link to the cell of an input, within the workbook."""
        place = _absolute(cell.row, cell.column).replace("$", "")
        shown = self._format(font_color="#0B57D0", underline=1, valign="top")
        sheet.write_url(row, column, f"internal:'{cell.sheet}'!{place}", shown, f"{cell.sheet}, {place}{more}")

    def _number_format(self, quantity: Quantity, *, marked: bool) -> "Format":
        shown = _digits(quantity.value) + ('"%"' if quantity.scale is Scale.PERCENT else "")
        if marked:
            return self._format(num_format=shown, bg_color="#FFF2B3", border=1, border_color="#C9A400")
        return self._format(num_format=shown)

    def _format(self, **properties: str | int | bool) -> "Format":
        """Return a cached format, because a workbook of a run would otherwise have tens of thousands."""
        key = tuple(properties.items())
        if key not in self._formats:
            self._formats[key] = self._book.add_format(properties)
        return self._formats[key]


def _write(sheet: "Worksheet", row: int, column: int, text: str, shown: "Format | None" = None) -> None:
    sheet.write_string(row, column, visible(text)[:_LONGEST], shown)


def _lines(text: str, width: int) -> int:
    """Estimate the number of lines a text takes in a column, because not every program adjusts row heights."""
    return min(_MOST_LINES, sum(1 + len(line) // width for line in text.split("\n")))


def _absolute(row: int, column: int) -> str:
    from xlsxwriter.utility import xl_rowcol_to_cell

    return str(xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True))


def _unit_words(turn: Turn) -> str:
    answer = turn.answer
    named = answer.scale.value if answer.scale is not Scale.ONE else ""
    return " ".join(word for word in (named, answer.unit or "") if word) if answer.value is not None else ""


def _digits(value: Decimal) -> str:
    """Return the number format with as many decimals as a number has, at most six."""
    decimals = min(6, len(f"{value:f}".partition(".")[2]))
    return f"#,##0.{'0' * decimals}" if decimals else "#,##0"
