"""Coverage and accuracy of an ontology on pages that it was not built from.

`python -m benchmarks.ontology_coverage FILE... --unseen FILE...` builds the ontology of the pages of some files, and
builds the graphs of other pages with it. It prints how many of them `strict` accepts and how many lines match a
property and by which rule, and draws matches with a fixed seed for manual review. With `--halves`, the pages of all
files are split by company, and each half is matched against the ontology of the other.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.datasets.formats import read_dataset
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.graph.facts import LineFact
from quaestor.ontology.builder import build_ontology

SEED = 20
COUNT = 200


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line of a page, with its match in the ontology."""

    page: str
    table_class: str
    fact: LineFact


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of some pages.

    Attributes:
        accepted: Number of pages that `strict` accepts.
    """

    pages: int
    accepted: int
    lines: tuple[SeenLine, ...]

    @property
    def matched(self) -> tuple[SeenLine, ...]:
        """The lines that match a property of the ontology."""
        return tuple(line for line in self.lines if not line.fact.minted)

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(self.pages + other.pages, self.accepted + other.accepted, self.lines + other.lines)


def coverage(known: Iterable[Document], unseen: Sequence[Document]) -> Coverage:
    """Build the ontology of some documents, and return its coverage of others."""
    ontology = build_ontology(known)
    lines: list[SeenLine] = []
    accepted = 0
    for document in unseen:
        graph = build_graph(document, ontology, "extend")
        classes = {table.index: table.name for table in graph.tables}
        lines += [SeenLine(document.id, classes[line.table], line) for line in graph.lines]
        accepted += not any(line.minted for line in graph.lines)
    return Coverage(len(unseen), accepted, tuple(lines))


def coverage_of_halves(documents: Mapping[str, Document]) -> Coverage:
    """Return the coverage of each half of the companies by the other half; the halves alternate by name."""
    companies = sorted({company(page) for page in documents})
    total = Coverage(0, 0, ())
    for half in (0, 1):
        held = set(companies[half::2])
        known = [document for page, document in documents.items() if company(page) not in held]
        total += coverage(known, [document for page, document in documents.items() if company(page) in held])
    return total


def company(page: str) -> str:
    """Return the company at the beginning of a page's id."""
    return page.split("/", maxsplit=1)[0]


def draw(found: Coverage, count: int, seed: int) -> tuple[SeenLine, ...]:
    """Draw some of the matched lines at random, sorted by rule."""
    drawn = random.Random(seed).sample(found.matched, min(count, len(found.matched)))
    return tuple(sorted(drawn, key=lambda line: (line.fact.rule, line.fact.label, line.page, line.fact.index)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.ontology_coverage", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--unseen", nargs="+", type=Path, default=[], help="the pages that are asked about")
    parser.add_argument("--tables", nargs="+", type=Path, default=[], help="the same, from files in the form of TAT-QA")
    parser.add_argument("--halves", action="store_true", help="one half of the companies asked about the other")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many matches to draw; 0 draws none")
    parser.add_argument("--unmatched", action="store_true", help="also print the lines that no property fits")
    options = parser.parse_args()
    if options.halves == bool(options.unseen or options.tables):
        parser.error("give either --unseen FILE..., --tables FILE... or --halves")
    known = _pages(options.file)
    unseen = [*_pages(options.unseen).values(), *(page for path in options.tables for page in table_pages(path))]
    found = coverage_of_halves(known) if options.halves else coverage(known.values(), unseen)
    _print_figures(found, len(known))
    drawn = draw(found, options.count, options.seed)
    print(f"{len(drawn)} of {len(found.matched)} matches drawn with seed {options.seed}", file=sys.stderr)
    unmatched = [line for line in found.lines if line.fact.minted] if options.unmatched else []
    for line in (*drawn, *unmatched):
        fact = line.fact
        print(
            f"{fact.rule}\t{fact.score}\t{line.page}\t{line.table_class}\t{fact.label}\t{fact.predicate}\t{fact.known}"
        )


def _print_figures(found: Coverage, known: int) -> None:
    print(f"ontology of {known} pages; {found.pages} pages, {len(found.lines)} lines", file=sys.stderr)
    print(f"accepted under strict: {found.accepted} of {found.pages} pages", file=sys.stderr)
    share = len(found.matched) / len(found.lines) if found.lines else 0.0
    print(f"lines matched: {len(found.matched)} of {len(found.lines)}, {share:.1%}", file=sys.stderr)
    for rule, count in Counter(line.fact.rule for line in found.lines).most_common():
        print(f"  {rule}: {count}", file=sys.stderr)


def table_pages(path: Path) -> list[Document]:
    """Read the contexts of a file in TAT-QA format: each has one table and some paragraphs."""
    return [
        assemble(
            context["table"]["uid"],
            [
                ParagraphPart(tuple(paragraph["text"] for paragraph in context["paragraphs"])),
                TablePart(context["table"]["table"]),
            ],
        )
        for context in json.loads(path.read_text(encoding="utf-8"))
    ]


def _pages(files: Iterable[Path]) -> dict[str, Document]:
    return {c.document.id: c.document for path in files for c in read_dataset(path).conversations}


if __name__ == "__main__":
    main()
