"""Maximum time to parse a formula: valid ones, random texts, attacks."""

import random
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from string import printable
from time import perf_counter

from benchmarks.figure import Figure
from benchmarks.workload import Workload
from quaestor.errors import PlanError
from quaestor.plan.execute import execute
from quaestor.plan.expressions import parse_expression

SUPPORT = str(Path(__file__).resolve().parents[1] / "tests" / "support")
_COUNT = 10_000
_ALPHABETS = (printable, "ab_1.29 ()+-*/<>,", "absuminxvg(), -*0", "9*() ")


def measure(workload: Workload) -> Iterable[Figure]:
    if SUPPORT not in sys.path:
        sys.path.insert(0, SUPPORT)
    from formulas import ATTACKS

    draw = random.Random(11)
    texts = ["".join(draw.choices(draw.choice(_ALPHABETS), k=draw.randrange(80))) for _ in range(_COUNT)]
    for name, these in (("a random text as a formula", texts), ("an attack as a formula", ATTACKS)):
        # The better of two runs: the first error loads the name suggestions, and garbage collection is random.
        slowest, text = max((min(_seconds(text), _seconds(text)), text) for text in these)
        shown = repr(text if len(text) <= 30 else text[:27] + "...")
        yield Figure(name, f"{1000 * slowest:.2f} ms", f"the slowest of {len(these)}, read and executed: {shown}")


def _seconds(text: str) -> float:
    from formulas import NAMES

    started = perf_counter()
    with suppress(PlanError):  # an error counts like a value
        execute(parse_expression(text, NAMES))
    return perf_counter() - started
