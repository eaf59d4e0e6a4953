"""A document on a terminal, block by block, with the cells and words that answers used marked."""

from collections.abc import Collection

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from quaestor.cli.printing import print_grid
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Document, Paragraph, SectionHeading, Sentence
from quaestor.documents.table import Cell, Table

_MARK = "bold reverse"


def show_tables(console: Console, document: Document) -> None:
    """Print a page's id and its tables."""
    console.print(f"[bold]{escape(document.id)}[/]")
    for table in document.tables:
        print_grid(console, _grid(table, frozenset()))


def show_document(console: Console, document: Document, marked: Collection[Source] = ()) -> None:
    """Print all of a document in its order: headings, paragraphs, tables."""
    cells = frozenset(source for source in marked if isinstance(source, CellRef))
    spans = [source for source in marked if isinstance(source, SentenceRef)]
    console.print(f"[bold]{escape(document.id)}[/]")
    for block in document.blocks:
        match block.content:
            case SectionHeading(text=text):
                console.print(Text("\n" + " ".join(text.split()), style="bold"))
            case Paragraph(sentences=sentences):
                words = Text(" ").join(_sentence(sentence, spans) for sentence in sentences)
                console.print(Padding(words, (0, 0, 1, 0), expand=False))
            case Table() as table:
                if table.title:
                    console.print(Text(table.title, style="italic"))
                print_grid(console, _grid(table, cells))


def _grid(table: Table, marked: Collection[Source]) -> Grid:
    grid = Grid(show_header=table.header_rows > 0, header_style="bold", show_edge=True)
    heads = table.cells[: table.header_rows]
    for column in range(len(table.columns)):
        words = "\n".join(escape(row[column].text) for row in heads)
        grid.add_column(words, justify="right" if column else "left", overflow="fold")
    for row in table.cells[table.header_rows :]:
        grid.add_row(*(_cell(cell, marked) for cell in row))
    return grid


def _cell(cell: Cell, marked: Collection[Source]) -> Text | str:
    return Text(f"[{cell.text}]", style=_MARK) if cell.ref in marked else escape(cell.text)


def _sentence(sentence: Sentence, spans: Collection[SentenceRef]) -> Text:
    """Return a sentence with its marked spans in brackets; where two of them overlap, with the first."""
    line, end = Text(), 0
    here = [ref for ref in spans if (ref.section, ref.sentence) == (sentence.section, sentence.index)]
    for ref in sorted(here, key=lambda ref: (ref.start, ref.end)):
        if ref.start < end:
            continue
        line.append(sentence.text[end : ref.start])
        line.append(f"[{sentence.text[ref.start : ref.end]}]", style=_MARK)
        end = ref.end
    return line.append(sentence.text[end:])
