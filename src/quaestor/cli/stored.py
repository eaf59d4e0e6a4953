"""The run store of a command, and the saved scores of runs as text and JSON."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import JsonValue

    from quaestor.application.files import OutputFile
    from quaestor.application.score_service import RunScores
    from quaestor.scores.records import Verdict
    from quaestor.store.base import RunStore
    from quaestor.store.records import RunRecord

T = TypeVar("T")


def store_uri(store: str | None) -> str:
    """Return the URI of the configured store."""
    from quaestor.settings import load_settings

    return load_settings({"store": store}).store


def labelled_file(dataset: str | None) -> Path | None:
    """Return the path of the labelled file given on the command line, or None."""
    from quaestor.application.resolve import dataset_path

    return dataset_path(dataset) if dataset else None


def use_store(store: str | None, work: "Callable[[RunStore], Awaitable[T]]", *, create: bool = False) -> T:
    """Open the store, and return the result of `work`."""
    from quaestor.store.base import open_store

    async def open_and_work() -> T:
        async with open_store(store_uri(store), create=create) as opened:
            return await work(opened)

    return asyncio.run(open_and_work())


def output_file(path: Path, store: str | None, used: "Sequence[Path | str | None]", *, force: bool) -> "OutputFile":
    """Return an output file, after checking that the command may write it."""
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file

    read = (store_file(store_uri(store)), *used)
    output = OutputFile(path, [Path(file) for file in read if file], force)
    output.require_free()
    return output


def scores_of_run(store: str | None, run: "RunRecord", *, figures_only: bool = False) -> "RunScores":
    """Return the saved scores of a run; `figures_only` omits the verdicts."""
    from quaestor.application.score_service import read_run_scores

    return asyncio.run(read_run_scores(store_uri(store), run, figures_only=figures_only))


def score_lines(scores: "RunScores") -> dict[str, str]:
    """Return the scores of a run in words under the key `score`: the latest of each labelled file."""
    lines = ["outdated, as the run continued: score it again"] if scores.outdated else []
    for score in scores.latest:
        when = score.scored.astimezone().isoformat(" ", "seconds")
        lines += [
            f"{score.dataset}, {when}, quaestor {score.version}",
            *(f"  {line}" for line in _metric_lines(score.metrics)),
            f"  {score.mean_turns:.1f} turns per conversation, {score.mean_tool_calls:.2f} tool calls per turn, "
            f"{score.unanswered} without an answer",
        ]
    return {"score": "\n".join(lines)} if lines else {}


def verdict_words(verdict: "Verdict | None") -> str | None:
    """Return a verdict in words, or None."""
    if verdict is None:
        return None
    words = "correct" if verdict.correct else "wrong"
    if verdict.program_correct is None:
        return words
    return f"{words}, its program {('right' if verdict.program_correct else 'wrong')}"


def _metric_lines(metrics: "Mapping[str, JsonValue]") -> list[str]:
    from quaestor.cli.render_runs import figure_cells
    from quaestor.core import serial
    from quaestor.scoring.scorers import SCORERS
    from quaestor.scoring.statistics import Proportion

    lines = []
    for name, figure in metrics.items():
        correct, total, percent, interval = figure_cells(serial.restore(Proportion, figure))
        if percent:
            title = SCORERS[name].title if name in SCORERS else name
            between = f", 95 % interval {interval}" if interval else ""
            lines.append(f"{title}: {correct} of {total} ({percent} %{between})")
    return lines
