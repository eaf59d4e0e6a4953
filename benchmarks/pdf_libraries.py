"""Compares PDF libraries: `python -m benchmarks.pdf_libraries FILE...`.

For each installed library: time and memory to extract every character with its position, and the result for a file that
is truncated or has a broken cross-reference table. Libraries that quaestor does not use must be installed separately
(`pip install pdfplumber pypdf`).
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def _pypdfium2(path: str) -> Iterator[int]:
    import ctypes

    raw, document = import_module("pypdfium2.raw"), import_module("pypdfium2").PdfDocument(path)
    box = raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    for page in document:
        text = page.get_textpage()
        for place in range(text.count_chars()):
            raw.FPDFText_GetUnicode(text, place)
            raw.FPDFText_GetLooseCharBox(text, place, box)
            raw.FPDFText_GetCharOrigin(text, place, x, y)
        yield text.count_chars()


def _pdfminer(path: str) -> Iterator[int]:
    layout = import_module("pdfminer.layout")

    def count(item: Any) -> int:
        inside = (count(part) for part in item) if hasattr(item, "__iter__") else ()
        return isinstance(item, layout.LTChar) + sum(inside)

    for page in import_module("pdfminer.high_level").extract_pages(path, laparams=layout.LAParams()):
        yield count(page)


def _pdfplumber(path: str) -> Iterator[int]:
    for page in import_module("pdfplumber").open(path).pages:
        yield len(page.chars)
        page.close()


def _pypdf(path: str) -> Iterator[int]:
    for page in import_module("pypdf").PdfReader(path).pages:
        found: list[int] = []
        page.extract_text(visitor_text=lambda text, *_, found=found: found.append(len(text)))
        yield sum(found)


LIBRARIES: dict[str, Callable[[str], Iterator[int]]] = {
    "pypdfium2": _pypdfium2,
    "pdfminer": _pdfminer,
    "pdfplumber": _pdfplumber,
    "pypdf": _pypdf,
}


def main() -> None:
    """Print the comparison; each library runs in a separate process."""
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        started = time.perf_counter()
        pages = list(LIBRARIES[sys.argv[2]](sys.argv[3]))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{len(pages)} pages, {sum(pages)} characters, {time.perf_counter() - started:.1f} s, {memory} MB")
        return
    table = Table("library", "file", "")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(name) for name in sys.argv[1:]]
        for name in LIBRARIES:
            for path in (*files, *_damaged(files[0], Path(folder))):
                table.add_row(name, path.name, _one(name, path) if find_spec(name) else "not installed")
    Console(highlight=False).print(table)


def _damaged(path: Path, folder: Path) -> Iterator[Path]:
    data = path.read_bytes()
    for name, broken in (("cut off", data[: len(data) // 2]), ("broken", data.replace(b"startxref", b"startxrxf"))):
        (folder / name).write_bytes(broken)
        yield folder / name


def _one(library: str, path: Path) -> str:
    command = [sys.executable, "-m", "benchmarks.pdf_libraries", "--one", library, str(path)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (outcome.stdout or outcome.stderr).strip().splitlines()
    return lines[-1][:100] if lines else f"no output, exit {outcome.returncode}"


if __name__ == "__main__":
    main()
