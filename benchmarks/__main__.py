"""Prints all figures: `python -m benchmarks`."""

import os
import platform

from benchmarks import (
    agent,
    finding,
    formulas,
    graph,
    judging,
    lookup,
    meanings,
    no_model,
    reading,
    reflection,
    solvers,
    solving,
    starting,
    storing,
    tools,
    whole_file,
)
from benchmarks.figure import print_figures
from benchmarks.whole_filings import speed as whole_filings
from benchmarks.workload import benchmark_file, play_workload


def main() -> None:
    path = benchmark_file()
    print(f"{path.name}, Python {platform.python_version()}, {os.cpu_count()} cores")
    workload = play_workload(path)
    modules = (
        starting,
        reading,
        graph,
        meanings,
        tools,
        formulas,
        solving,
        no_model,
        agent,
        lookup,
        finding,
        solvers,
        reflection,
        judging,
        storing,
        whole_file,
        whole_filings,
    )
    print_figures(figure for module in modules for figure in module.measure(workload))


if __name__ == "__main__":
    main()
