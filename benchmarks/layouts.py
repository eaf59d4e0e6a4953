"""How well tables with the layouts of reports from many countries are read.

`python -m benchmarks.layouts [AREA ...] [--list]` reads the made-up reports of `tests/layouts` and compares the value,
scale, unit and period of the facts with what an analyst reads. `--list` prints every difference.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from quaestor.core.fiscal import FiscalCalendar
from quaestor.core.provenance import CellRef
from quaestor.core.terms import terms
from quaestor.documents.document import Document
from quaestor.facts.lines import FactCell, FactLine, Moment, fiscal_calendar
from quaestor.facts.table import build_facts
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file

LAYOUTS = Path(__file__).resolve().parents[1] / "tests" / "layouts"
_DIGITS = re.compile(r"[0-9]+")
_FIELDS = ("value", "scale", "unit", "period")


def read_layouts(areas: Iterable[str] = ()) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the area and the record of each made-up report."""
    for path in sorted(LAYOUTS.glob("*.jsonl")):
        if not areas or path.stem in areas:
            for line in path.read_text(encoding="utf-8").splitlines():
                yield path.stem, json.loads(line)


def read_report(report: Mapping[str, Any]) -> Document:
    """Return the document of a made-up report."""
    read = read_file(FileContent(Path(f"{report['name']}.{report['format']}"), report["text"].encode()))
    assert read is not None
    return read[1]


def compare_numbers(report: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    """Yield each expected number of a report with the fields that differ, or `unread`."""
    document = read_report(report)
    table, calendar = build_facts(document), fiscal_calendar(document)
    facts = [(line, cell) for line in (*table.lines, *table.sentence_lines) for cell in line.cells]
    for number in report["numbers"]:
        found = [cell for line, cell in facts if _is_printed(number, line, cell, document)]
        differences = [tuple(one for one in _FIELDS if not _agrees(one, number, cell, calendar)) for cell in found]
        yield number, min(differences, key=len, default=("unread",))


def _is_printed(number: Mapping[str, Any], line: FactLine, cell: FactCell, document: Document) -> bool:
    """Return whether a fact is the printed number of a row with these words."""
    text = document.cell(cell.ref).text if isinstance(cell.ref, CellRef) else cell.quantity.text
    if _DIGITS.findall(number["printed"]) != _DIGITS.findall(text):
        return False
    # The words of a row of dates are the period of its facts.
    row = document.table(cell.ref.table).cells[cell.ref.row] if isinstance(cell.ref, CellRef) else ()
    named = {*terms(" ".join((line.label, *line.path, *(other.text for other in row[:2])))), *cell.column}
    return not number["row"] or bool(named & set(terms(number["row"])))


def _agrees(field: str, number: Mapping[str, Any], cell: FactCell, calendar: FiscalCalendar) -> bool:
    expected = number[field]
    match field:
        case "value":
            return Decimal(expected) == cell.quantity.value
        case "scale":
            return bool(expected == cell.scale.value)
        case "unit":
            return expected is None or expected == cell.unit
        case _:
            return expected is None or (cell.moment is not None and expected in _write_periods(cell.moment, calendar))


def _write_periods(moment: Moment, calendar: FiscalCalendar) -> Iterator[str]:
    """Yield the names of a time by fiscal and by calendar quarters."""
    last_month = calendar.end.month - 1 - 3 * (4 - moment.quarter)
    ends = moment.year + calendar.end.year - calendar.year + last_month // 12
    for year, quarter in ((moment.year, moment.quarter), (ends, last_month % 12 // 3 + 1)):
        yield f"{year}{'' if quarter == 4 and moment.months in (0, 12) else f'Q{quarter}'}/{moment.months}"


def main() -> None:
    """Print how many numbers are right in each area, and which fields are wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("areas", nargs="*", help="names of files in tests/layouts")
    parser.add_argument("--list", action="store_true", help="print each difference")
    options = parser.parse_args()
    asked, right, wrong = Counter[str](), Counter[str](), Counter[str]()
    for area, report in read_layouts(options.areas):
        for number, differences in compare_numbers(report):
            asked[area] += 1
            right[area] += not differences
            wrong.update(differences)
            if differences and options.list:
                print(f"{area}/{report['name']}: {number['row']} {number['printed']}: {', '.join(differences)}")
    for area in asked:
        print(f"{area}: {right[area]} of {asked[area]} numbers right")
    print(f"all: {right.total()} of {asked.total()}; wrong: " + ", ".join(f"{f} {n}" for f, n in wrong.most_common()))


if __name__ == "__main__":
    main()
