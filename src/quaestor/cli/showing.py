"""Pages, answers and sources on a terminal. Takes the words from `quaestor.conversation.display`; adds the colours."""

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from quaestor.conversation.display import ShownSource, show_number, show_source
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import Source
from quaestor.documents.document import Document, Table
from quaestor.plan.steps import Extract

_CONTEXT = 60
"""Characters of a sentence that are shown on each side of a number."""


def show_page(console: Console, document: Document) -> None:
    """Prints a page's id and its tables."""
    console.print(f"[bold]{escape(document.id)}[/]")
    for table in document.tables:
        console.print(_grid(table))


def _grid(table: Table) -> Grid:
    grid = Grid(show_header=table.header_rows > 0, header_style="bold", show_edge=True)
    heads = table.cells[: table.header_rows]
    for column in range(len(table.columns)):
        words = "\n".join(escape(row[column].text) for row in heads)
        grid.add_column(words, justify="right" if column else "left", overflow="fold")
    for row in table.cells[table.header_rows :]:
        grid.add_row(*(escape(cell.text) for cell in row))
    return grid


def show_turn(console: Console, number: int, turn: Turn, document: Document) -> None:
    """Prints one question, its answer, the formula, what to doubt, why it was chosen, and every source."""
    answer = turn.answer
    console.print(f"[bold cyan]{number}. {escape(turn.question)}[/]")
    line = Text("   ").append(show_number(answer, document), style="bold green" if turn.error is None else "bold red")
    # What was merely looked up is said by its source.
    if answer.formula and not (answer.plan and isinstance(answer.plan.steps[-1], Extract)):
        line.append(f"   = {answer.formula}")
    if answer.value is not None and not turn.verified:
        line.append("   (not verified)", style="yellow")
    if answer.value is not None and answer.confidence is not None:
        line.append(f"   {answer.confidence:.0%} sure", style="dim")
    console.print(line)
    _remark(console, turn.error or answer.reason, "red" if answer.value is None else "yellow")
    _remark(console, answer.grounds, "dim")
    for source in answer.sources:
        console.print(Padding(source_line(source, document), (0, 0, 0, 5), expand=False))


def _remark(console: Console, text: str | None, style: str) -> None:
    if text:
        console.print(Padding(Text(text, style=style), (0, 0, 0, 3), expand=False))


def source_line(source: Source, document: Document) -> Text:
    """Returns a source as `row | column | cell text`, or as the sentence with its span highlighted."""
    shown = show_source(source, document)
    if source.kind == "cell":
        return Text(f"{shown.place} | ", style="dim").append(shown.text, style="bold not dim")
    return _sentence(shown)


def _sentence(shown: ShownSource) -> Text:
    line = Text(f"{shown.place} | ", style="dim")
    line.append(_tail(shown.text[: shown.start]))
    line.append(f"[{shown.span}]", style="bold not dim")
    return line.append(_head(shown.text[shown.end :]))


def _head(text: str) -> str:
    return text if len(text) <= _CONTEXT else text[:_CONTEXT].rpartition(" ")[0] + " ..."


def _tail(text: str) -> str:
    return text if len(text) <= _CONTEXT else "... " + text[-_CONTEXT:].partition(" ")[2]
