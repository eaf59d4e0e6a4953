"""Time to read a document."""

from collections.abc import Iterable

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload


def measure(workload: Workload) -> Iterable[Figure]:
    yield milliseconds("reading a document", workload.reading, "pages, each read for the first time")
