"""Prints all figures: `python -m benchmarks`."""

import os
import platform

from rich.console import Console
from rich.table import Table

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
from benchmarks.whole_filings import speed as whole_filings
from benchmarks.workload import benchmark_file, play_workload


def main() -> None:
    path = benchmark_file()
    console = Console(highlight=False)
    console.print(f"{path.name}, Python {platform.python_version()}, {os.cpu_count()} cores")
    workload = play_workload(path)
    table = Table("figure", "", "how")
    table.columns[1].justify = "right"
    for module in (
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
    ):
        for figure in module.measure(workload):
            table.add_row(figure.name, figure.value, figure.how)
    console.print(table)


if __name__ == "__main__":
    main()
