"""Write small tables to files of every supported format, with the same lines and rows."""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pdf_files import PdfPage, pdf_of
from workbooks import Written, write_workbook

from quaestor.documents.document import Document
from quaestor.readers.content import FileContent
from quaestor.readers.registry import find_reader

Rows = Sequence[Sequence[str]]
Section = tuple[Sequence[str], Rows]
"""The lines above a table, of which the first is its title, and the rows of the table."""

FORMATS = ("html", "pdf", "xlsx", "csv", "md", "txt")


def _html(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for lines, rows in sections:
        title, *others = map(html.escape, lines)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        parts.append(f"<h2>{title}</h2>{''.join(f'<p>{line}</p>' for line in others)}<table>{body}</table>")
    path.write_text(f"<html><meta charset='utf-8'><body>{''.join(parts)}</body></html>", encoding="utf-8")


def _markdown(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for (title, *others), (head, *body) in sections:
        rows = [head, ["---"] * len(head), *body]
        parts += [f"# {title}", *others, "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    path.write_text("\n\n".join(parts), encoding="utf-8")


def _csv(sections: Iterable[Section], path: Path) -> None:
    lines = [[*([line] for line in over), *rows] for over, rows in sections]
    text = "\n\n".join("\n".join(",".join(f'"{cell}"' for cell in row) for row in section) for section in lines)
    path.write_text(text, encoding="utf-8")


def _text(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for over, rows in sections:
        table = (row[0].ljust(40) + "".join(f"  {cell:>34}" for cell in row[1:]) for row in rows)
        parts.append("\n".join([*(f"              {line}" for line in over), "", *table, ""]))
    path.write_text("\n".join(parts), encoding="utf-8")


def _pdf(sections: Iterable[Section], path: Path) -> None:
    pages = []
    for over, rows in sections:
        page = PdfPage(width=842)
        for number, line in enumerate(over):
            page.center(421, 60 + 14 * number, line, bold=not number)
        for number, row in enumerate(rows):
            page.text(40, 130 + 12 * number, row[0])
            for place, cell in enumerate(row[1:]):
                page.right(420 + 260 * place, 130 + 12 * number, cell)
        pages.append(page)
    path.write_bytes(pdf_of(pages))


def _workbook(sections: Iterable[Section], path: Path) -> None:
    sheets: dict[str, list[list[Written]]] = {}
    for number, (over, rows) in enumerate(sections):
        sheets[f"Sheet {number}"] = [[_number(cell) for cell in row] for row in (*([line] for line in over), *rows)]
    write_workbook(path, sheets)


def _number(cell: str) -> Written:
    """Return a cell of a workbook, as a number if its text is clearly one."""
    return int(cell.replace(",", "")) if re.fullmatch("[0-9]{2},[0-9]{3}|20[0-9]{2}", cell) else cell


WRITERS: dict[str, Callable[[Iterable[Section], Path], None]] = {
    "html": _html, "pdf": _pdf, "xlsx": _workbook, "csv": _csv, "md": _markdown, "txt": _text,
}  # fmt: skip


def read_sections(kind: str, sections: Sequence[Section], folder: Path) -> Document:
    """Write sections to a file and return the document that its reader reads; CSV allows one section only."""
    path = folder / f"report.{kind}"
    WRITERS[kind](sections, path)
    content = FileContent(path, path.read_bytes())
    reader = find_reader(content)
    assert reader is not None
    return reader.read(content)
