"""Progress of a run on stderr: a bar on a terminal, otherwise a line from time to time."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from quaestor.application.run_service import ProgressCallback, RunOntology
from quaestor.application.score_service import Gold
from quaestor.cli.printing import announce, describe_default_policy
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.scoring.scorers import answers_right

_QUIET_SECONDS = 15.0


@contextmanager
def show_progress(dataset: Dataset, gold: Gold | None = None) -> Iterator[ProgressCallback]:
    """Show progress, and yield the callback to call with each finished conversation."""
    started, answered, right = time.monotonic(), 0, 0
    with _open_display(len(dataset.conversations)) as show:

        def progress(conversation: Conversation, turns: tuple[Turn, ...]) -> None:
            nonlocal answered, right
            answered += len(turns)
            counts = f"{answered / max(time.monotonic() - started, 1e-9):.0f} turns/s"
            if gold is not None and answered:
                references = gold.get(conversation.id, ())
                right += sum(answers_right(turn.answer, one) for turn, one in zip(turns, references, strict=False))
                counts += f", {right / answered:.1%} correct"
            show(counts)

        yield progress


def print_run_ontology(reading: RunOntology) -> None:
    """Print on stderr the policy used by default, and how many graphs were already frozen."""
    if reading.by_default and not reading.own:
        print(f"quaestor: {describe_default_policy(reading.policy)}", file=sys.stderr)
    if reading.frozen:
        print(
            f"quaestor: {reading.frozen} of {reading.pages} graphs are already frozen, built with ontology "
            f"{reading.ontology[:12]}",
            file=sys.stderr,
        )


@contextmanager
def _open_display(total: int) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows one more finished conversation: in a bar on a terminal, otherwise in lines.

    Short runs print no lines.
    """
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
            yield print_line
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("conversations, {task.fields[counts]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total, counts="starting")
        yield lambda counts: progress.update(task, advance=1, counts=counts)
