"""The run store of a command, and the saved scores of runs as text and JSON."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import JsonValue

    from quaestor.application.files import OutputFile
    from quaestor.application.saved_scores import RunScores
    from quaestor.scores.records import ScoreRecord, Verdict
    from quaestor.store.base import RunStore
    from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

T = TypeVar("T")


def store_uri(store: str | None) -> str:
    """Return the URI of the configured store."""
    from quaestor.settings import load_settings

    return load_settings({"store": store}).store


def labelled_file(dataset: str | None) -> Path | None:
    """Return the path of the labelled file given on the command line, or None."""
    from quaestor.application.resolve import dataset_path

    return dataset_path(dataset) if dataset else None


def read_store(store: str | None, read: "Callable[[RunStore], Awaitable[T]]") -> T:
    """Open the existing store, and return the result of `read`."""
    from quaestor.store.base import open_store

    async def open_and_read() -> T:
        async with open_store(store_uri(store), create=False) as found:
            return await read(found)

    return asyncio.run(open_and_read())


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
    from quaestor.application.saved_scores import read_run_scores

    return asyncio.run(read_run_scores(store_uri(store), run, figures_only=figures_only))


def scores_of_runs(store: str | None, runs: "Sequence[RunRecord]") -> "Mapping[str, ScoreRecord]":
    """Return the latest score of each run by its id."""
    from quaestor.application.saved_scores import read_latest_scores

    return asyncio.run(read_latest_scores(store_uri(store), runs))


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


def example_objects(examples: "Sequence[ConversationRecord]", scores: "RunScores") -> "list[dict[str, JsonValue]]":
    """Return the conversations of a run as JSON, each with its score, null if not scored."""
    from quaestor.core import serial

    return [
        {**serial.dump(example), "score": serial.dump(scores.conversations.get(example.conversation))}
        for example in examples
    ]


def verdict_on(store: str | None, run: "RunRecord", turn: "TurnRecord") -> "Verdict | None":
    """Return the verdict on a turn from the latest score of its run, or None."""
    return scores_of_run(store, run).verdicts.get((turn.conversation, turn.index))


def verdict_words(verdict: "Verdict | None") -> str | None:
    """Return a verdict in words, or None."""
    if verdict is None:
        return None
    words = "correct" if verdict.correct else "wrong"
    if verdict.program_correct is None:
        return words
    return f"{words}, its program {('right' if verdict.program_correct else 'wrong')}"


def _metric_lines(metrics: "Mapping[str, JsonValue]") -> list[str]:
    from quaestor.cli.results import figure_cells
    from quaestor.core import serial
    from quaestor.scoring.bootstrap import Proportion
    from quaestor.scoring.scorers import SCORERS

    lines = []
    for name, figure in metrics.items():
        correct, total, percent, interval = figure_cells(serial.restore(Proportion, figure))
        if percent:
            title = SCORERS[name].title if name in SCORERS else name
            between = f", 95 % interval {interval}" if interval else ""
            lines.append(f"{title}: {correct} of {total} ({percent} %{between})")
    return lines
