"""Documents on a terminal: how a file was parsed, its text and tables with marked sources, and places in it."""

from collections.abc import Collection

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from quaestor.cli.printing import count_noun, print_grid
from quaestor.core.number_conventions import ENGLISH
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Document, Paragraph, SectionHeading, Sentence
from quaestor.documents.health import document_health, health_doubts, health_words, table_health
from quaestor.documents.repairs import show_warning
from quaestor.documents.shown import describe_units, role_words
from quaestor.documents.table import Table
from quaestor.graph.facts import period_code
from quaestor.retrieval.place import Place

_MOST_WARNINGS = 20
_MOST_HEADINGS = 8
_MARK = "bold reverse"


def show_outline(console: Console, document: Document) -> None:
    """Print how a document was parsed: its size, health, headings, tables and warnings."""
    console.print(f"[bold]{escape(document.id)}[/]")
    pages = max((block.page or 0 for block in document.blocks), default=0)
    counts = [
        *([count_noun(pages, "page")] if pages else []),
        count_noun(len(document.sections), "section"),
        count_noun(len(document.tables), "table"),
        count_noun(len(document.sentences), "sentence"),
    ]
    console.print(", ".join(counts))
    health = document_health(document)
    if document.tables and document.convention.example != ENGLISH.example:
        console.print(f"numbers are printed as {escape(document.convention.example)}")
    console.print(health_words(health), style="green" if health.is_good else "yellow")
    level, levels = 0, {section.id: section.level for section in document.sections}
    for block in document.blocks:
        if isinstance(block.content, SectionHeading):
            level = levels[block.section]
            where = f" [dim](page {block.page})[/]" if block.page else ""
            text = escape(" ".join(block.content.text.split()))
            console.print(Padding(f"{text}{where}", (0, 0, 0, 2 * level - 2), expand=False))
        elif isinstance(block.content, Table):
            line = f"[bold]table {block.content.index}[/] {_about(document, block.content)}"
            console.print(Padding(line, (0, 0, 0, 2 * level), expand=False))
    if document.warnings:
        console.print(f"{count_noun(len(document.warnings), 'warning')}:", style="yellow")
    for warning in document.warnings[:_MOST_WARNINGS]:
        console.print(Padding(escape(show_warning(warning)), (0, 0, 0, 2), expand=False))
    if len(document.warnings) > _MOST_WARNINGS:
        console.print(f"  ... and {len(document.warnings) - _MOST_WARNINGS} more (use --json to list all)")


def _about(document: Document, table: Table) -> str:
    """Return a line with a table's role, title, size, scale, page, columns and periods, and what was not understood."""
    block = document.block(table.cells[0][0].ref)
    headings = [" ".join(column.label.split())[:40] for column in table.columns[1:] if column.label]
    shown = " | ".join(headings[:_MOST_HEADINGS]) + (" | ..." if len(headings) > _MOST_HEADINGS else "")
    facts = [
        table.title,
        role_words(table),
        count_noun(len(table.rows) - table.header_rows, "row"),
        describe_units(table),
        f"page {block.page}" if block.page else "",
        shown,
        _periods(table),
    ]
    line = escape("; ".join(filter(None, facts)))
    return "; ".join((line, *(f"[yellow]{escape(doubt)}[/]" for doubt in health_doubts(table, table_health(table)))))


def _periods(table: Table) -> str:
    """Return the periods of the columns if the headings print them differently; else ""."""
    codes = [period_code(column.period) if column.period else "-" for column in table.columns[1:]]
    printed = [" ".join(column.label.split()) for column in table.columns[1:]]
    if not any(column.period for column in table.columns) or codes == printed:
        return ""
    return "periods " + ", ".join(codes[:_MOST_HEADINGS]) + (", ..." if len(codes) > _MOST_HEADINGS else "")


def show_table(console: Console, document: Document, table: Table) -> None:
    """Print how a table was parsed, and its cells."""
    block = document.block(table.cells[0][0].ref)
    console.print(f"[bold]table {table.index}[/] {escape(table.title)}".rstrip())
    for name, text in (
        ("section", " > ".join(document.section_of(table).path)),
        ("page", str(block.page or "")),
        ("place", block.anchor or ""),
        ("caption", table.caption),
        ("role", table.role.value),
        ("scale", describe_units(table)),
        ("periods", ", ".join(period_code(c.period) if c.period else "-" for c in table.columns[1:])),
    ):
        if text:
            console.print(f"[dim]{name}:[/] {escape(text)}")
    for doubt in health_doubts(table, table_health(table)):
        console.print(escape(doubt), style="yellow")
    print_grid(console, _table_grid(table))


def show_place(console: Console, number: int, place: Place) -> None:
    """Print a place that may answer a question, with its score and the reasons for it."""
    where = f"page {place.page}, " if place.page is not None else ""
    title = place.title or (f"table {place.table}" if place.table is not None else "passage")
    console.print(f"[bold]{number}. {escape(title)}[/]")
    lines = [f"{where}{place.kind}, score {place.score:.2f}"]
    if len(place.section) > 1:
        lines.append("in " + " > ".join(place.section[:-1]))
    lines += [f"| {line}" for line in place.text.splitlines()]
    lines.append("because: " + "; ".join(map(str, place.why)))
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 3), expand=False))


def show_tables(console: Console, document: Document) -> None:
    """Print the id of a page and its tables."""
    console.print(f"[bold]{escape(document.id)}[/]")
    for table in document.tables:
        print_grid(console, _table_grid(table))


def show_document(console: Console, document: Document, marked: Collection[Source] = ()) -> None:
    """Print a document in order: headings, paragraphs, tables."""
    cells = frozenset(source for source in marked if isinstance(source, CellRef))
    spans = [source for source in marked if isinstance(source, SentenceRef)]
    console.print(f"[bold]{escape(document.id)}[/]")
    for block in document.blocks:
        match block.content:
            case SectionHeading(text=text):
                console.print(Text("\n" + " ".join(text.split()), style="bold"))
            case Paragraph(sentences=sentences):
                words = Text(" ").join(_marked_sentence(sentence, spans) for sentence in sentences)
                console.print(Padding(words, (0, 0, 1, 0), expand=False))
            case Table() as table:
                if table.title:
                    console.print(Text(table.title, style="italic"))
                print_grid(console, _table_grid(table, cells))


def _table_grid(table: Table, marked: Collection[Source] = ()) -> Grid:
    grid = Grid(show_header=table.header_rows > 0)
    for number, column in enumerate(table.columns):
        head = "\n".join(dict.fromkeys(row[number].text for row in table.cells[: table.header_rows]))
        grid.add_column(escape(head or column.label), justify="right" if number else "left", overflow="fold")
    for row in table.cells[table.header_rows :]:
        grid.add_row(
            *(Text(f"[{cell.text}]", style=_MARK) if cell.ref in marked else escape(cell.text) for cell in row)
        )
    return grid


def _marked_sentence(sentence: Sentence, spans: Collection[SentenceRef]) -> Text:
    """Return a sentence with its marked spans in brackets; of overlapping spans, only the first."""
    line, end = Text(), 0
    here = [ref for ref in spans if (ref.section, ref.sentence) == (sentence.section, sentence.index)]
    for ref in sorted(here, key=lambda ref: (ref.start, ref.end)):
        if ref.start < end:
            continue
        line.append(sentence.text[end : ref.start])
        line.append(f"[{sentence.text[ref.start : ref.end]}]", style=_MARK)
        end = ref.end
    return line.append(sentence.text[end:])
