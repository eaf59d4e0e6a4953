"""Text for runs and turns on the pages."""

from datetime import UTC, datetime
from pathlib import PurePath

from quaestor.application.run_figures import duration_words
from quaestor.core import serial
from quaestor.scores import ScoreRecord
from quaestor.scoring.scorers import SCORERS
from quaestor.scoring.statistics import Proportion
from quaestor.store.records import RunRecord

BREAKDOWN_WORDS = {
    "index": "turn number",
    "operation": "operation",
    "origin": "source of the numbers",
    "kind": "kind of answer",
}
KIND_WORDS = {"yes_no": "yes or no", "none": "no answer"}


def dataset_name(dataset: str) -> str:
    """Return the file name of a dataset, without its folders.

    >>> dataset_name("/home/me/data/pages.json")
    'pages.json'
    """
    return PurePath(dataset.replace("\\", "/")).name or dataset


def answerer(run: RunRecord) -> str:
    """Return the name of the solver, or of the program whose answers were imported."""
    options = run.spec.get("solver_options")
    if run.kind == "import" and isinstance(options, dict):
        return f"{options.get('name')}, imported"
    return str(run.spec.get("solver", ""))


def model_name(run: RunRecord) -> str:
    """Return the model of a run as `provider:model`, or ""."""
    model = run.spec.get("model")
    return f"{model.get('provider')}:{model.get('model')}" if isinstance(model, dict) else ""


def moment(at: datetime) -> str:
    """Format a time in UTC.

    >>> moment(datetime(2026, 1, 5, 9, 30, tzinfo=UTC))
    '5 Jan 2026, 09:30'
    """
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M}"


def duration(start: datetime, end: datetime | None) -> str:
    """Format a duration; "" without an end, 0 if the clock was set back meanwhile."""
    if end is None:
        return ""
    seconds = max(0.0, (end - start).total_seconds())
    if seconds < 60:
        return duration_words(seconds)
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def figures(score: ScoreRecord) -> list[tuple[str, Proportion]]:
    """Return the metrics of a score with their titles; metrics without turns are omitted."""
    found = []
    for name, stored in score.metrics.items():
        figure = serial.restore(Proportion, stored)
        if figure.total:
            found.append((SCORERS[name].title if name in SCORERS else name, figure))
    return found
