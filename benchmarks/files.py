"""Comparison of file readers: `python -m benchmarks.files [WORKBOOK.xlsx]`.

Libraries that are not installed are skipped. Reading files requires none of them.
"""

import csv
import pickle
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from filed_tables import many_tables
from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table

from quaestor.documents.document import Document
from quaestor.readers.content import FileContent
from quaestor.readers.delimited import find_dialect
from quaestor.readers.markdown import MarkdownReader
from quaestor.readers.serialization import document_bytes, document_of
from quaestor.readers.workbook.reader import WorkbookReader

T = TypeVar("T")

_FILES = 300
_TABLES = 150


def main() -> None:
    console = Console(highlight=False)
    table = Table("figure", "", "how")
    table.columns[1].justify = "right"
    rows = [*delimiters(), *documents(), *markdown(), *(workbook(Path(sys.argv[1])) if len(sys.argv) > 1 else [])]
    for row in rows:
        table.add_row(*row)
    console.print(table)


def delimiters() -> list[tuple[str, str, str]]:
    """Return how many generated files each method finds the delimiter of."""
    chance = random.Random(7)
    files = [_made_up(chance) for _ in range(_FILES)]

    def ours(text: str) -> str | None:
        found = find_dialect(text)
        return found.delimiter if found else None

    def sniffed(text: str) -> str | None:
        try:
            return csv.Sniffer().sniff(text, delimiters=",;\t|").delimiter
        except csv.Error:
            return None

    ways: dict[str, Callable[[str], str | None]] = {"quaestor": ours, "csv.Sniffer": sniffed}
    if (clever := _installed("clevercsv")) is not None:

        def cleverly(text: str) -> str | None:
            found = clever.Detector().detect(text, delimiters=[",", ";", "\t", "|"])
            return found.delimiter if found else None

        ways["clevercsv"] = cleverly
    found = []
    for name, way in ways.items():
        seconds, right = _timed(lambda way=way: sum(way(text) == sign for sign, text in files))  # type: ignore[misc]
        found.append((f"delimiters found, {name}", f"{right} of {_FILES}", f"{1000 * seconds / _FILES:.1f} ms a file"))
    return found


def _made_up(chance: random.Random) -> tuple[str, str]:
    """Return a delimiter and a generated financial table that uses it: titles, captions, quotes, empty cells, notes."""
    sign = chance.choice(",;\t|")
    comma = chance.random() < (0.6 if sign == ";" else 0.1)
    years = [str(2024 - n) for n in range(chance.randint(1, 5))]
    lines = []
    if chance.random() < 0.5:
        lines += [
            "ACME, Inc.",
            "Consolidated Statements of Income; unaudited",
            "(in millions, except per share data)",
            "",
        ]
    lines.append(sign.join(["", *years]))
    for name in ("Net sales", "Cost of sales", "Selling, general and administrative", "Tax; deferred", "Net income")[
        : chance.randint(2, 5)
    ]:
        cells = [f'"{name}"' if sign in name else name]
        for _ in years:
            number = f"{chance.uniform(1, 90_000):,.{chance.choice((0, 1, 2))}f}"
            number = number.translate(str.maketrans(",.", ".,")) if comma else number
            number = chance.choice((number, number, f"({number})", f"$ {number}", f"{number} %", "-", ""))
            cells.append(f'"{number}"' if sign in number else number)
        lines.append(sign.join(cells))
    if chance.random() < 0.3:
        lines += ["", "Source: company filings, as amended; see note 5."]
    return sign, "\n".join(lines) + "\n"


def documents() -> list[tuple[str, str, str]]:
    """Return how fast a cached document is loaded."""
    document = many_tables(_TABLES)
    adapter: TypeAdapter[Document] = TypeAdapter(Document)
    ways: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
        "quaestor": (document_bytes(document), document_of),
        "pydantic": (adapter.dump_json(document), adapter.validate_json),
        "pickle": (pickle.dumps(document, 5), pickle.loads),
    }
    found = []
    for name, (data, load) in ways.items():
        seconds = min(_timed(lambda data=data, load=load: load(data))[0] for _ in range(5))  # type: ignore[misc]
        found.append(
            (f"a document of {_TABLES} tables loaded, {name}", f"{seconds:.2f} s", f"{len(data) / 1e6:.1f} MB")
        )
    return found


def markdown() -> list[tuple[str, str, str]]:
    """Return how fast Markdown is divided into blocks."""
    page = "# Notes\n\n" + "Net sales were $ 5 million in 2023. " * 3
    rows = "| rent | 1,234 | 5,678 |\n" * 20
    text = f"{page}\n\n| (in millions) | 2023 | 2022 |\n|---|---|---|\n{rows}\n" * 1_000
    size = f"{len(text) / 1e6:.1f} MB"
    content = FileContent(Path("made.md"), text.encode())
    found = [
        ("Markdown read, quaestor", f"{_timed(lambda: MarkdownReader().read(content))[0]:.1f} s", f"{size}, a document")
    ]
    if (parser := _installed("markdown_it")) is not None:
        seconds = _timed(lambda: parser.MarkdownIt("commonmark").enable("table").parse(text))[0]
        found.append(("Markdown cut, markdown-it-py", f"{seconds:.1f} s", f"{size}, blocks alone"))
    return found


def workbook(path: Path) -> list[tuple[str, str, str]]:
    """Return how fast a workbook is read, and which of its properties are known."""
    content = FileContent(path, path.read_bytes())
    found = [
        ("workbook read, quaestor", f"{_timed(lambda: WorkbookReader().read(content))[0]:.2f} s", "formats printed")
    ]
    if (openpyxl := _installed("openpyxl")) is not None:

        def values() -> int:
            book = openpyxl.load_workbook(path, data_only=True)
            return sum(cell.value is not None for sheet in book for row in sheet.iter_rows() for cell in row)

        found.append(("workbook read, openpyxl", f"{_timed(values)[0]:.2f} s", "values and formats, not printed"))
    if (calamine := _installed("python_calamine")) is not None:

        def cells() -> int:
            book = calamine.CalamineWorkbook.from_path(path)
            return sum(len(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names)

        found.append(("workbook read, python-calamine", f"{_timed(cells)[0]:.2f} s", "values without formats"))
    return found


def _timed(what: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = what()
    return time.perf_counter() - started, result


def _installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


if __name__ == "__main__":
    main()
