"""Progress of a run on stderr: a bar on a terminal, otherwise a line from time to time."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from quaestor.application.run_service import ProgressCallback, RunOntology
from quaestor.application.score_service import Gold
from quaestor.cli.printing import announce, describe_default_policy
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import answers_right

_QUIET_SECONDS = 15.0


class _Meter:
    """Counts answered turns and shows the rate and accuracy."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show, self._started = show, time.monotonic()
        self._turns, self._right = 0, 0

    def advance(self, turns: int, right: int | None) -> None:
        self._turns += turns
        self._right += right or 0
        rate = self._turns / max(time.monotonic() - self._started, 1e-9)
        accuracy = "" if right is None or not self._turns else f", {self._right / self._turns:.1%} correct"
        self._show(f"{rate:.0f} turns/s{accuracy}")


@contextmanager
def show_progress(dataset: Dataset, gold: Gold | None = None) -> Iterator[ProgressCallback]:
    """Show progress, and yield the callback to call with each finished conversation.

    Args:
        gold: The reference answers, for the running accuracy. The run itself never sees them.
    """
    with _open_meter(len(dataset.conversations)) as meter:

        def progress(conversation: Conversation, turns: tuple[Turn, ...]) -> None:
            meter.advance(len(turns), None if gold is None else _count_right(turns, gold.get(conversation.id, ())))

        yield progress


def print_run_ontology(reading: RunOntology) -> None:
    """Print on stderr the policy used by default, and how many graphs were already frozen."""
    if reading.by_default and not reading.own:
        print(f"quaestor: {describe_default_policy(reading.policy)}", file=sys.stderr)
    if reading.frozen:
        graphs = (
            f"{reading.frozen} of {reading.pages} graphs are already frozen, built with ontology "
            f"{reading.ontology[:12]}"
        )
        print(f"quaestor: {graphs}", file=sys.stderr)


def _count_right(turns: Sequence[Turn], gold: Sequence[GoldTurn]) -> int:
    return sum(answers_right(turn.answer, reference) for turn, reference in zip(turns, gold, strict=False))


@contextmanager
def _open_meter(total: int) -> Iterator[_Meter]:
    """Yield a meter for `total` conversations: a bar on a terminal, otherwise lines, none for short runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        done, printed = 0, time.monotonic()

        def print_line(counts: str) -> None:
            nonlocal done, printed
            done += 1
            if time.monotonic() - printed >= _QUIET_SECONDS:
                printed = time.monotonic()
                print(f"{done} of {total} conversations, {counts}", file=sys.stderr, flush=True)

        with announce(f"answering {total} conversations"):
            yield _Meter(print_line)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("conversations, {task.fields[counts]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total, counts="starting")
        yield _Meter(lambda counts: progress.update(task, advance=1, counts=counts))
