"""How well the workflow finds a cell by its labels, and by variants of these labels.

`python -m benchmarks.lookup [FILE]` prints the table quoted in `docs/research/model_solvers.md`, over all cells of a
labelled file whose numbers its reference programs use.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.figure import Figure
from benchmarks.workload import Workload, benchmark_file
from quaestor.core.provenance import CellRef
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.documents.table import Cell
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant
from quaestor.scoring.gold import read_gold
from quaestor.solvers.workflow.table_lookup import Line, LookupFailure, axes_of, look_up

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEARS = ("fiscal {}", "fy {}", "fiscal year {}", "the year {}", "december 31, {}", "year ended december 31, {}")
_CALENDAR = frozenset("december ended june march may november september year years".split())
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A number of a table, and the labels of its row and column.

    Attributes:
        order: Index among the cell's numbers, from 0.
    """

    document: Document
    cell: Cell
    order: int
    row: Line
    column: Line

    def outcome(self, row: str, column: str) -> str:
        """Look the number up by labels, and return `found`, `wrong` or `refused`."""
        end = f" (number {self.order + 1})" if len(self.cell.quantities) > 1 else ""
        try:
            match = look_up(self.document, row, column + end)
        except LookupFailure:
            return "refused"
        return "found" if (match.cell, match.quantity) == (self.cell, self.cell.quantities[self.order]) else "wrong"


def operands(path: Path) -> Iterator[Place]:
    """Yield the numbers of tables that the reference programs of a file use, each once."""
    golds = read_gold(path)
    seen: set[tuple[str, CellRef, int]] = set()
    for conversation in read_dataset(path).conversations:
        document = conversation.document
        used = {abs(value) for gold in golds[conversation.id] for value in _numbers(gold.program)}
        for table, axes in zip(document.tables, axes_of(document), strict=True):
            for cell in table.body():
                for order, quantity in enumerate(cell.quantities):
                    place = (document.id, cell.ref, order)
                    if place not in seen and not cell.repair and used & {abs(quantity.value), abs(quantity.number)}:
                        seen.add(place)
                        yield Place(document, cell, order, axes.rows[cell.ref.row], axes.columns[cell.ref.column])


def _numbers(program: str) -> Iterator[Decimal]:
    for step in parse_program(program).steps:
        for operand in step.operands if isinstance(step, Compute) else ():
            if isinstance(operand, Constant) and not operand.text.startswith("const_"):
                yield operand.value


def _cases(text: str) -> Iterable[str]:
    return (text.upper(), text.title())


def _plurals(text: str) -> Iterator[str]:
    words = text.split()
    for i, word in enumerate(words):
        if word.isalpha() and len(word) >= _LEAST_WORDS + 1 and word not in _CALENDAR:
            other = word[:-1] if word.endswith("s") and not word.endswith("ss") else word + "s"
            yield " ".join((*words[:i], other, *words[i + 1 :]))


def _dropped(text: str) -> Iterator[str]:
    words = text.split()
    if len(words) >= _LEAST_WORDS:
        yield from (" ".join((*words[:i], *words[i + 1 :])) for i in range(len(words)))


def _years(text: str) -> Iterator[str]:
    found = _YEAR.findall(text)
    if _YEAR.fullmatch(text):
        yield from (form.format(text) for form in _YEARS)
    elif len(found) == 1:
        yield text.replace(found[0], f"fiscal {found[0]}")


PERTURBED: dict[str, Callable[[str], Iterable[str]]] = {
    "other case": _cases,
    "a word in singular or plural": _plurals,
    "a year written another way": _years,
    "a word left out": _dropped,
}


def measured(path: Path) -> dict[str, Counter[str]]:
    """Return the outcomes for each variant of the labels."""
    counts: dict[str, Counter[str]] = {}

    def add(name: str, outcome: str) -> None:
        counts.setdefault(name, Counter())[outcome] += 1

    for place in operands(path):
        row, column = place.row.name, place.column.name
        add("names, as the planner sees them", place.outcome(row, column))
        add("labels, as printed", place.outcome(place.row.label or row, place.column.label or column))
        add("row and column exchanged", place.outcome(column, row))
        for name, perturb in PERTURBED.items():
            for other in perturb(row):
                add(name, place.outcome(other, column))
            for other in perturb(column):
                add(name, place.outcome(row, other))
    return counts


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield a figure for each variant of the labels."""
    for name, outcomes in measured(workload.path).items():
        shares = f"{_share(outcomes, 'found')} found, {_share(outcomes, 'wrong')} wrong"
        yield Figure(f"workflow, a cell by {name}", shares, f"{outcomes.total()} look-ups, the rest refused")


def _share(outcomes: Counter[str], name: str) -> str:
    return f"{100 * outcomes[name] / outcomes.total():.1f} %"


def main() -> None:
    """Print the shares."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else benchmark_file()
    grid = Grid("labels", "look-ups", "found", "wrong", "refused", title=f"cells of {path.name} by words")
    for column in grid.columns[1:]:
        column.justify = "right"
    for name, outcomes in measured(path).items():
        shares = [f"{outcomes[kind]} ({_share(outcomes, kind)})" for kind in ("found", "wrong", "refused")]
        grid.add_row(name, str(outcomes.total()), *shares)
    Console(highlight=False).print(grid)


if __name__ == "__main__":
    main()
