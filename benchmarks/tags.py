"""Accuracy of reading filings by their own XBRL tags: `python -m benchmarks.tags FOLDER`, a line per filing and totals.

docs/documents.md defines the figures under "Compare a reading with its XBRL tags".
"""

import gzip
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from quaestor.application.read_service import check_filing
from quaestor.readers.content import FileContent
from quaestor.scoring.tag_check import FIGURES

_NAMES = FIGURES[1:-1]
_DATA = Path("../shared/data/filings")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else _DATA
    totals = Counter[str](), Counter[str]()
    print(f"{'':34} {'facts':>6} " + " ".join(f"{name.removesuffix('_right'):>8}" for name in _NAMES))
    for path in sorted([*folder.glob("*.html.gz"), *folder.glob("*.html"), *folder.glob("*.htm")]):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        check = check_filing(FileContent(path, data))
        if check is None:
            continue
        for where, figures, total in zip(("tables", "text"), (check.tables, check.text), totals, strict=True):
            _show(f"{path.name.split('.')[0][:26]:26} {where}", figures)
            total.update(figures)
    for where, total in zip(("tables", "text"), totals, strict=True):
        _show(f"{'all':26} {where}", total)


def _show(what: str, figures: Mapping[str, int]) -> None:
    shares = (f"{100 * figures[name] / max(1, figures['facts']):8.2f}" for name in _NAMES)
    print(f"{what:34} {figures['facts']:6} " + " ".join(shares))


if __name__ == "__main__":
    main()
