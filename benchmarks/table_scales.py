"""Scales of numbers in tables, compared with the reference answers of TAT-QA.

`python -m benchmarks.table_scales FILE [--list]` looks up each number that a reference answer takes from the table of
its page, and compares its scale with the scale of the reference. References often leave out a scale that the page
states, so only the other differences are errors of reading. `--list` prints all differences.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from quaestor.core.quantity import Scale
from quaestor.datasets.formats import read_dataset
from quaestor.documents.table import Table
from quaestor.scoring.gold import read_gold

_NUMBER = re.compile(r"[\s$€£¥(+-]*(?P<digits>[0-9][0-9.,]*)[\s)%]*")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def read_references(path: Path) -> Iterator[tuple[str, Table, str, str]]:
    """Yield the question, the table, each printed number and the scale of every reference answer that has numbers."""
    gold = read_gold(path)
    for conversation in read_dataset(path).conversations:
        for question, turn in zip(conversation.questions, gold.get(conversation.id) or (), strict=False):
            stated = turn.stated
            if stated is None or not stated.kind.endswith("span"):
                continue
            for table, span in product(conversation.document.tables, stated.answer.spans):
                if (number := _NUMBER.fullmatch(span)) and not _YEAR.fullmatch(number["digits"]):
                    yield question, table, number["digits"], "percent" if "%" in span else stated.answer.scale or "one"


def find_scales(table: Table, digits: str) -> set[str]:
    """Return the scales of the cells of a table that print a number."""
    found = set()
    for row in range(table.header_rows, len(table.cells)):
        for column, cell in enumerate(table.cells[row]):
            quantity, number = cell.quantity, _NUMBER.fullmatch(cell.text)
            if column and quantity is not None and number is not None and number["digits"] == digits:
                own = quantity.scale if quantity.scale is not Scale.ONE else None
                found.add((own or table.scale_at(row, column) or Scale.ONE).value)
    return found


def main() -> None:
    """Print how many numbers have the scale of the reference, and the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, help="TAT-QA with answers")
    parser.add_argument("--list", action="store_true", help="print each difference")
    options = parser.parse_args()
    differences, same = Counter[tuple[str, str]](), 0
    for question, table, digits, scale in read_references(options.file):
        scales = find_scales(table, digits)
        if scale in scales:
            same += 1
        elif scales:
            read = " or ".join(sorted(scales))
            differences[scale, read] += 1
            if options.list:
                print(f"{digits}: read in {read}, reference in {scale}: {question}")
    print(f"{same} of {same + differences.total()} numbers have the scale of the reference")
    for (scale, read), count in differences.most_common():
        print(f"{count:4}  reference in {scale}, read in {read}")


if __name__ == "__main__":
    main()
