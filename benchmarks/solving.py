"""Time of the embedded solver per turn, on one core."""

from collections.abc import Iterable

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import SOLVER, Workload


def measure(workload: Workload) -> Iterable[Figure]:
    yield milliseconds(f"{SOLVER} solver, a turn", workload.seconds, "turns, one core")
