"""Targets for untrusted files: data sets, filings in each format, recordings and settings.

Graphs are built from documents that can be read.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from made_up import a_record
from pdf_files import PdfPage, pdf_of
from tatqa_pages import tatqa_pages
from workbooks import Written, write_workbook

from fuzzing.drawing import Drawing, changed, text_of, text_or_words
from fuzzing.target import Reads, Target
from quaestor.datasets.formats import dataset_formats
from quaestor.errors import QuaestorError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.llm.cassette import CassettePlayer, pack
from quaestor.readers.content import FileContent
from quaestor.readers.registry import find_reader
from quaestor.settings import FILE, load_settings

CSV = (
    "net sales", ",", "\n", "2009", "1,234", '"', "(5)", "$", ";", "\t", "in millions", "%", "total", "\r\n",
    "December 31,", " ", "-", "|", "''", "\ufeff",
)  # fmt: skip
MARKDOWN = (
    "| ", " | ", "|\n", "|---|---|\n", "# ", "\n", "\n\n", "2009", "net sales", "1,234", "- ", "```", "<td>", "1. ",
    "> ", "in millions", "\t", "    ", "======\n", "------\n", "December 31, ", "PART I", "Item 7. ",
)  # fmt: skip
HTML = (
    "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<td colspan=3>", "<td rowspan=99999>", "<th>", "<p>",
    "</p>", "<div style='display:none'>", "</div>", "2009", "net sales", "1,234", "(", ")", "$", "%", "<br>", "<h2>",
    "</h2>", "&nbsp;", "&#0;", "<![CDATA[", "<!--", "-->", "<ix:nonFraction name='a' contextRef='c' scale='6'>",
    "</ix:nonFraction>", "<pre>", "</pre>", "<S>", "<C>", "<PAGE>", "in millions", "<hr>", "<a name='x'>",
    "<span style='font-size:1e99pt'>",
)  # fmt: skip
CODECS = tuple(
    name.encode()
    for name in ("UTF-1.5", "zlib_codec", "undefined", "punycode", "idna", "utf-7", "unicode_escape", "rot13", "mbcs",
                 "utf-16", "utf-32", "ascii", "cp1252", "hz", "\u00e9", "../x", "os")
)  # fmt: skip
TOML = (
    "store = ", "'x'", '"', "\n", "workers = ", "-1", "0", "1e999", "[models.a]\n", "[prices.a]\n", "[solvers.x]\n",
    "name = ", "true", "[", "]", "{", "}", "=", ".", "max_cost = ", "policy = ", "'strict'", "seed = ", "9" * 30,
    "url = ", "# ",
)  # fmt: skip


def _datasets(_: Path) -> Reads:
    sound: list[Any] = [[a_record()], {"dev": [a_record()]}, tatqa_pages()]

    def read(data: bytes) -> None:
        written = json.dumps(changed(sound, Drawing(data[1:]))).encode() if data[:1] < b"\x80" else data[1:]
        content = FileContent(Path("dataset.json"), written)
        with suppress(QuaestorError):
            for format in dataset_formats():
                if format.recognises(content):
                    for conversation in format.read(content, None).conversations[:2]:
                        GraphProvider.of([conversation.document]).graph(conversation.document)
                    break

    return read


def _of_reader(name: str, bytes_of: Callable[[bytes], bytes]) -> Callable[[Path], Reads]:
    """Return the opener of a target that reads files with a fixed name."""

    def opened(_: Path) -> Reads:
        def read(data: bytes) -> None:
            with suppress(QuaestorError):
                content = FileContent(Path(name), bytes_of(data))
                # Not `read_file`, which converts exceptions of readers.
                if (reader := find_reader(content)) is not None:
                    document = reader.read(content)
                    GraphProvider.of([document]).graph(document)

        return read

    return opened


def _in_words(*words: str) -> Callable[[bytes], bytes]:
    return lambda data: text_or_words(data, words).encode("utf-8", "surrogateescape")


def _html(data: bytes) -> bytes:
    return b"<html><body>" + _in_words(*HTML)(data)


def _workbooks(folder: Path) -> Reads:
    """Return a target for workbooks in which one part, or the archive itself, is partly overwritten."""
    rows: list[list[Written]] = [
        ["in millions", 2009, 2008],
        ["net sales", (1234.5, "#,##0"), 90],
        ["growth", (0.137, "0.0%"), None],
    ]
    whole = write_workbook(folder / "book.xlsx", {"Sheet": rows}).read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    names = [*parts, None]

    def overwrite(data: bytes) -> bytes:
        draw = Drawing(data)
        name = draw.choice(names)
        old = bytearray(parts[name] if name is not None else whole)
        for at, length, new in _overwrites(draw, len(old)):
            old[at : at + length] = new
        if name is not None and draw.random() < 0.2:
            old[:0] = b'<?xml version="1.0" encoding="%s"?>' % draw.choice(CODECS)
        if name is None:
            return bytes(old)
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w") as archive:
            for part, holds in parts.items():
                archive.writestr(part, bytes(old) if part == name else holds)
        return written.getvalue()

    return _of_reader("book.xlsx", overwrite)(folder)


def _pdf(folder: Path) -> Reads:
    """Return a target for PDF files with overwritten bytes, or with a PDF header followed by the input."""
    page = PdfPage()
    page.text(40, 80, "Consolidated statements of income (in millions)")
    page.row(110, "", ("2009", "2008"), (300, 400))
    page.row(130, "Net sales", ("1,234", "(5)"), (300, 400))
    whole = pdf_of([page])

    def overwrite(data: bytes) -> bytes:
        draw, written = Drawing(data), bytearray(whole)
        if draw.random() < 0.2:
            return b"%PDF-1.4\n" + draw.rest
        for at, length, new in _overwrites(draw, len(written)):
            written[at : at + length] = new
        return bytes(written)

    return _of_reader("page.pdf", overwrite)(folder)


def _overwrites(draw: Drawing, size: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the position, the length and the new bytes of each overwrite."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, length = draw.randrange(size + 1), draw.randrange(12)
        yield at, length, draw.rest[:length] if draw.random() < 0.5 else draw.choice((b"", b"9" * 20, b"<c/>", b"\x00"))


def _cassettes(folder: Path) -> Reads:
    path = folder / "cassette.jsonl"
    heading = {"kind": "quaestor cassette", "version": 1}
    entry = {
        "place": {"run": "r", "conversation": "c", "turn": 0}, "number": 1, "phase": "answer", "method": "POST",
        "path": "/v1/chat/completions", "request": pack('{"model": "m"}'), "status": 200,
        "headers": {"content-type": "application/json"}, "response": pack('{"choices": []}'), "error": None,
    }  # fmt: skip

    def read(data: bytes) -> None:
        values = json.dumps(heading), json.dumps(changed([entry], Drawing(data[1:])))
        path.write_bytes("\n".join(values).encode() if data[:1] < b"\x80" else data[1:])
        with suppress(QuaestorError):
            CassettePlayer(path)

    return read


def _settings(folder: Path) -> Reads:
    def read(data: bytes) -> None:
        text = text_or_words(data, TOML)
        (folder / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
        with suppress(QuaestorError):
            load_settings(environment={}, folder=folder)
        first, _, rest = text_of(data).partition("\n")
        (folder / FILE).write_bytes(b"")
        with suppress(QuaestorError):
            load_settings(environment={"QUAESTOR_WORKERS": first, "QUAESTOR_MAX_COST": rest}, folder=folder)

    return read


TARGETS = (
    Target("datasets", _datasets, 25),
    Target("csv", _of_reader("table.csv", _in_words(*CSV)), 20, CSV),
    Target("markdown", _of_reader("page.md", _in_words(*MARKDOWN)), 15, MARKDOWN),
    Target("text", _of_reader("page.txt", _in_words(*MARKDOWN)), 15, MARKDOWN),
    Target("html", _of_reader("page.html", _html), 15, HTML),
    Target("workbooks", _workbooks, 10),
    Target("pdf", _pdf, 5),
    Target("cassettes", _cassettes, 20),
    Target("settings", _settings, 20, TOML),
)
