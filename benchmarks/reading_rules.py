"""Value of a rule of the readers: `python -m benchmarks.reading_rules MODULE:FUNCTION=VALUE ... --files FILE ...`.

Reads all files with each function replaced by one that returns VALUE: a Python literal, or `first` for the function's
first argument (`documents.units:starts_at_hundred=False`, `readers.pdf.tables:_widen=first`). Prints how many
documents change, and how many aspects of tagged numbers become right (won) or wrong (lost): value, sign, scale, period
and unit. A file is a filing, or a dataset with its pages.
"""

import argparse
import gc
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType

from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.html.reader import tagged_numbers
from quaestor.readers.pdf import side_by_side
from quaestor.readers.reading import read_file
from quaestor.readers.serialization import document_bytes
from quaestor.scoring.tag_check import check_tags


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of reading a document: its digest, and the wrong aspects of its tagged numbers."""

    digest: bytes
    wrong: frozenset[tuple[str, str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="+")
    parser.add_argument("--files", nargs="+", type=Path, required=True)
    given = parser.parse_args()
    side_by_side._PROCESSES_AT_MOST = 1  # other processes would not see the replaced function
    before = _apart(given.files)
    print(f"{'left out':60} {'documents':>9} {'won':>6} {'lost':>6}   by aspect")
    for rule in given.rules:
        after = _apart(given.files, rule)
        changed = [name for name in before if before[name].digest != after[name].digest]
        won = [one for name in changed for one in before[name].wrong - after[name].wrong]
        lost = [one for name in changed for one in after[name].wrong - before[name].wrong]
        aspects = {aspect for *_, aspect in (*won, *lost)}
        counts = (f"{a} +{sum(w[2] == a for w in won)} -{sum(w[2] == a for w in lost)}" for a in sorted(aspects))
        print(
            f"{rule:60} {len(changed):9} {len(won):6} {len(lost):6}   {', '.join(counts)} {' '.join(changed[:6])}",
            flush=True,
        )


def _apart(files: Sequence[Path], without: str = "") -> dict[str, Outcome]:
    """Read in a forked process, so that the replaced function affects nothing else."""
    read_end, write_end = os.pipe()
    if not (child := os.fork()):
        with os.fdopen(write_end, "wb") as reply:
            pickle.dump(dict(_outcomes(files, without)), reply)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as reply:
        written = reply.read()
    os.waitpid(child, 0)
    found: dict[str, Outcome] = pickle.loads(written)  # noqa: S301  # written by this process's own child
    return found


def _leave_out(rule: str) -> None:
    place, _, value = rule.partition("=")
    module, _, name = place.partition(":")
    found: object = import_module(f"quaestor.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    function = getattr(found.fget if isinstance(found, property) else found, "__wrapped__", found)
    assert isinstance(function, FunctionType)
    given = f"args[{int('.' in name)}]" if value == "first" else value
    returned = eval(f"lambda *args, **named: {given}")  # noqa: S307  # an expression from the command line
    function.__code__, function.__defaults__, function.__kwdefaults__ = returned.__code__, None, None
    for cached in gc.get_objects():
        if isinstance(cached, _lru_cache_wrapper):
            cached.cache_clear()


def _outcomes(files: Sequence[Path], without: str) -> Iterator[tuple[str, Outcome]]:
    if without:
        _leave_out(without)
    for path in files:
        if path.suffix == ".json":
            for document in read_dataset(path).documents():
                yield f"{path.stem}: {document.id}", _outcome(document, None)
            continue
        content = read_content(path)
        found = read_file(content)
        if found is None:
            sys.exit(f"no reader knows {path}")
        yield path.name, _outcome(found[1], content if found[0] == "html" else None)


def _outcome(document: Document, tagged: FileContent | None) -> Outcome:
    printed = tagged_numbers(tagged) if tagged is not None and document.facts else ()
    differs = check_tags(document, printed).different if printed else ()
    wrong = ((one.place, one.concept + one.tagged, aspect) for one in differs for aspect in one.wrong)
    return Outcome(sha256(document_bytes(document)).digest(), frozenset(wrong))


if __name__ == "__main__":
    main()
