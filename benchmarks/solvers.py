"""Cost of a turn with each solver that uses a model: the same conversations, each with its perfect model.

`python -m benchmarks.solvers [FILE]` prints the comparison quoted in `docs/research/model_solvers.md`. A solver is
included as soon as `tests/support/run_oracle.py` names its perfect model.
"""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from benchmarks.workload import SUPPORT, TimedSolver, Workload
from quaestor.datasets.formats import read_dataset
from quaestor.llm.usage import Usage
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one solver.

    Attributes:
        turns: Number of turns.
        right: Number of right turns.
        seconds: Mean seconds per turn, including the model's server, which replies at once.
    """

    solver: str
    turns: int
    right: int
    usage: Usage
    seconds: float

    @property
    def row(self) -> tuple[str, ...]:
        """The costs per turn as printed."""
        used = self.usage
        return (
            self.solver,
            f"{used.requests / self.turns:.1f}",
            f"{used.input_tokens / self.turns:,.0f}",
            f"{used.output_tokens / self.turns:,.0f}",
            f"{1000 * self.seconds:.1f} ms",
            f"{100 * self.right / self.turns:.1f} %",
        )


HEADINGS = ("solver", "model calls", "tokens read", "tokens written", "time", "right")


def compare(path: Path) -> Iterator[Cost]:
    """Yield the cost of each solver for the conversations of a labelled file."""
    sys.path.insert(0, SUPPORT)
    from oracle import SCRIPTS, oracle_of, run_with_oracle

    conversations, golds = read_dataset(path).conversations, read_gold(path)
    for name in SCRIPTS:
        oracle = oracle_of(name)
        # Warm up imports, templates and schemas.
        asyncio.run(run_with_oracle(conversations[:2], golds, make_solver(name, {}), oracle))
        solver = TimedSolver(make_solver(name, {}))
        run = asyncio.run(run_with_oracle(conversations, golds, solver, oracle))
        right = sum(outcome.right for outcome in run.outcomes)
        yield Cost(name, len(run.outcomes), right, run.usage, mean(solver.seconds))


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield a figure for each solver, on the bundled sample."""
    for cost in compare(sample_path()):
        name, calls, read, wrote, time, _ = cost.row
        value = f"{time}, {calls} calls, {read} + {wrote} tokens"
        yield Figure(f"{name}, a turn with a perfect model", value, f"mean of {cost.turns} turns of the sample")


def main() -> None:
    """Print the comparison."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else sample_path()
    table = Table(*HEADINGS, title=f"a turn of {path.name}, the means")
    for column in table.columns[1:]:
        column.justify = "right"
    for cost in compare(path):
        table.add_row(*cost.row)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
