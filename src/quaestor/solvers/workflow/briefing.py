"""Prompt of the planner: the format of plans with examples, the page by the names of its lines, and the question.

The model copies only words from the page, never numbers.
"""

from collections.abc import Mapping
from functools import lru_cache

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document, Section
from quaestor.documents.table import Cell, Table
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import passage_names
from quaestor.solvers.page_text import select_text
from quaestor.solvers.workflow.lines import Axes, axes_of


@lru_cache(maxsize=4)
def rendered_system(all_kinds: bool = False, explains: bool = False, *, always_answer: bool = False) -> str:
    """Return the fixed part of the prompt: format and examples."""
    variables = {"all_kinds": all_kinds, "explains": explains, "always_answer": always_answer}
    return render("workflow/system", **variables)


def rendered_prompt(question: str, context: TurnContext, all_kinds: bool = False, explains: bool = False) -> str:
    """Return the page, the conversation so far and the question."""
    document = context.document
    several = document.tables if len(document.tables) > 1 else ()
    first = {document.section_of(table).path: table.index + 1 for table in reversed(several)}
    shown = select_text(document, question, context.memory, all_sentences=all_kinds)
    places = {(sentence.section, sentence.index) for sentence in shown.sentences}
    named = passage_names(document)
    return render(
        "workflow/plan",
        **briefing.prompt_variables(question, context),
        document=briefing.page_name(document),
        tables=[
            _table(table, axes, document, first) for table, axes in zip(document.tables, axes_of(document), strict=True)
        ],
        sections=[
            {"heading": _heading(section, first.get(section.path)), "sentences": texts}
            for section, sentences in document.text
            if (texts := [(named[at], s.text) for s in sentences if (at := (s.section, s.index)) in places])
        ],
        left_out=shown.left_out,
        all_kinds=all_kinds,
        explains=explains,
    )


def _heading(section: Section, table: int | None) -> str:
    """Return the headings of a section of text; only the table's number if they are already shown with that table."""
    named = briefing.heading(section)
    return "" if not named else f"Of table {table}" if table else f'Section "{named}"'


def _table(table: Table, axes: Axes, document: Document, first: Mapping[tuple[str, ...], int]) -> dict[str, object]:
    """Describe a table for the prompt.

    Args:
        first: The number of the first table in each section, the only one shown with the headings.
    """
    section, number = document.section_of(table), table.index + 1
    under = briefing.heading(section)
    scale = table.scale.value if table.scale not in (None, Scale.ONE) else ""
    return {
        "number": number if len(document.tables) > 1 else None,
        "section": under
        and (
            f'"{under}"' if first.get(section.path, number) == number else f"the section of table {first[section.path]}"
        ),
        "caption": table.caption.strip("() ") or scale,
        "columns": [line.shown for line in axes.columns.values()],
        "rows": [
            " | ".join((line.shown, *_printed_cells([_cell_text(table.cells[row][column]) for column in axes.columns])))
            for row, line in axes.rows.items()
        ],
        "left_out": document.rows_left_out(table.index),
    }


def _printed_cells(cells: list[str]) -> list[str]:
    """Return the cells of a row; empty for a heading without values."""
    return cells if any(cell != "-" for cell in cells) else []


def _cell_text(cell: Cell) -> str:
    """Return a cell as printed; if it has several numbers, each is followed by its position."""
    if cell.repair:
        return "-"
    if len(cell.quantities) < 2:
        return cell.text.strip() or "-"
    shown, rest = "", cell.text.strip()
    for number, quantity in enumerate(cell.quantities, 1):
        before, printed, rest = rest.partition(quantity.text)
        shown += f"{before}{printed} (number {number})"
    return shown + rest
