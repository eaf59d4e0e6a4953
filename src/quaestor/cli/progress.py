"""How far a run is: a bar on a terminal, a line now and then elsewhere. Always on stderr; stdout belongs to results."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from quaestor.application.run_service import ProgressCallback, RunOntology
from quaestor.application.score_service import Gold
from quaestor.cli.printing import announce, describe_default_policy
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import answers_right

_QUIET_SECONDS = 15.0


class _Counts:
    def __init__(self) -> None:
        self.turns, self.right, self.known = 0, 0, False
        self.started = time.monotonic()

    def add(self, turns: int, right: int | None) -> None:
        self.turns += turns
        if right is not None:
            self.known, self.right = True, self.right + right

    def words(self) -> str:
        rate = self.turns / max(time.monotonic() - self.started, 1e-9)
        accuracy = f", {self.right / self.turns:.1%} correct" if self.known and self.turns else ""
        return f"{rate:.0f} turns/s{accuracy}"


class _Bar:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task, self._counts = progress, task, _Counts()

    def advance(self, turns: int, right: int | None) -> None:
        self._counts.add(turns, right)
        self._progress.update(self._task, advance=1, counts=self._counts.words())


class _Lines:
    """For logs: silent for short runs."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._counts = total, 0, _Counts()
        self._spoke = self._counts.started

    def advance(self, turns: int, right: int | None) -> None:
        self._counts.add(turns, right)
        self._done += 1
        if time.monotonic() - self._spoke >= _QUIET_SECONDS:
            self._spoke = time.monotonic()
            print(f"{self._done} of {self._total} conversations, {self._counts.words()}", file=sys.stderr, flush=True)


@contextmanager
def show_progress(dataset: Dataset, gold: Gold | None = None) -> Iterator[ProgressCallback]:
    """Yield what is to be called with every conversation that ends, and shows how far the run is.

    Args:
        gold: The reference answers, for the running accuracy. The run itself never sees them.
    """
    with _open_meter(len(dataset.conversations)) as meter:

        def progress(conversation: Conversation, turns: tuple[Turn, ...]) -> None:
            meter.advance(len(turns), None if gold is None else _right(turns, gold.get(conversation.id, ())))

        yield progress


def print_run_ontology(reading: RunOntology) -> None:
    """Say on stderr which policy holds if none is named, and which graphs were frozen before, if any were."""
    if reading.by_default and not reading.own:
        print(f"quaestor: {describe_default_policy(reading.policy)}", file=sys.stderr)
    if reading.frozen:
        graphs = (
            f"{reading.frozen} of {reading.pages} graphs are already frozen, built with ontology "
            f"{reading.ontology[:12]}"
        )
        print(f"quaestor: {graphs}", file=sys.stderr)


def _right(turns: Sequence[Turn], gold: Sequence[GoldTurn]) -> int:
    return sum(answers_right(turn.answer, reference) for turn, reference in zip(turns, gold, strict=False))


@contextmanager
def _open_meter(total: int) -> Iterator[_Bar | _Lines]:
    """Yield a meter for `total` conversations that fits what stderr is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        with announce(f"answering {total} conversations"):
            yield _Lines(total)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("conversations, {task.fields[counts]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress, progress.add_task("", total=total, counts="starting"))
