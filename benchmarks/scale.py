"""Cost of a filing: python -m benchmarks.scale FILE ...; its figures are the constants of docs/research/scale.md.

Each file is read, indexed and asked about by the embedded solver in a separate process without caches. Times are CPU
times, independent of other load; memory is the peak of the process, including libraries.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

QUESTIONS = (
    "what was the total revenue?",
    "and in the year before?",
    "what was the percentage change?",
    "what was the net income?",
    "what share of the revenue is this?",
)
COLUMNS = {
    "MB": "bytes of the file",
    "tables": "of the document",
    "read, s": "from the file to the document",
    "kept, KB": "the document as it is kept",
    "index, s": "what finds places in it",
    "index, KB": "as it is kept",
    "first, s": "question, with what is loaded for it once",
    "next, s": "each of four more",
    "memory, MB": "the most",
}


def one(path: Path) -> dict[str, float]:
    """Read, index and ask about a file; call it in a separate process."""
    import quaestor
    from quaestor.readers.content import read_content
    from quaestor.readers.reading import read_file
    from quaestor.readers.serialization import document_bytes
    from quaestor.retrieval.index import PlaceIndex

    times = [process_time()]

    def took() -> float:
        times.append(process_time())
        return times[-1] - times[-2]

    found = read_file(read_content(path), None)
    assert found is not None, path
    document = found[1]
    reading = took()
    kept = len(document_bytes(document))
    took()
    index = PlaceIndex.of(document)
    indexing, size = took(), len(index.words.to_bytes())
    opened = quaestor.open(document)
    talk = opened.conversation()
    took()
    asked = []
    for question in QUESTIONS:
        talk.ask(question)
        asked.append(took())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = (path.stat().st_size / 1e6, len(document.tables), reading, kept / 1e3, indexing, size / 1e3)
    return dict(zip(COLUMNS, (*figures, asked[0], statistics.fmean(asked[1:]), memory), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--one", action="store_true", help="measure the file in this process, and print JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.file[0])))
        return
    table, rows = Table("file", *COLUMNS), list[dict[str, float]]()
    for path in options.file:
        command = [sys.executable, "-m", "benchmarks.scale", "--one", str(path)]
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
        if completed.returncode:
            print(f"{path}: {completed.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        rows.append(json.loads(completed.stdout.splitlines()[-1]))
        table.add_row(path.name, *(f"{figure:,.2f}" for figure in rows[-1].values()))
    if rows:
        table.add_row("mean", *(f"{statistics.fmean(row[name] for row in rows):,.2f}" for name in COLUMNS))
    Console(highlight=False, width=160).print(table)


if __name__ == "__main__":
    main()
