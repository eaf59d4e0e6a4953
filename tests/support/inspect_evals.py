"""Run evaluations with Inspect in this process, and read the figures from their logs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recorded_replies import Golds, Replies, recorded_replies

from quaestor import evaluate
from quaestor.application.score_service import ScoredRun
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.figures import Score
from quaestor.scoring.gold import read_gold

CONVERSATIONS = 5


def few() -> tuple[Dataset, Sequence[Conversation], Golds]:
    """Return the bundled sample, its first conversations, and its references."""
    dataset = read_dataset(sample_path())
    return dataset, dataset.conversations[:CONVERSATIONS], read_gold(sample_path())


def replies_for_few() -> Replies:
    """Return the model's replies for the first conversations of the sample; the graphs use the whole file."""
    dataset, conversations, golds = few()
    return recorded_replies(conversations, golds, dataset.conversations)


def run_ours(model: str, store: str = "sqlite://", **more: Any) -> ScoredRun:
    """Return the run of the same conversations by quaestor's own `evaluate`."""
    _, conversations, _ = few()
    named = [one.id for one in conversations]
    return evaluate("sample", solver="workflow", model=model, conversations=named, store=store, **more)


def run_theirs(model: str, logs: Path, address: str | None = None, **more: Any) -> Any:
    """Return the log of `inspect eval quaestor/convfinqa` over the first conversations."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.log import read_eval_log

    _, conversations, _ = few()
    more = {"task_args": {"solver": "workflow"}} | more
    arguments = {"model_args": {"responses_api": False}} if model.startswith("openai/") else {}
    (log,) = inspect_eval(
        "quaestor/convfinqa",
        model=model,
        model_base_url=address,
        sample_id=[one.id for one in conversations],
        log_dir=str(logs),
        display="none",
        **{**arguments, **more},
    )
    return read_eval_log(log.location)


def figures(log: Any) -> Mapping[str, tuple[float, float, float, float, float]]:
    """Return the share, the interval, the number of right turns and the total of each scorer of a log."""
    parts = ("accuracy", "interval_low", "interval_high", "turns_right", "turns_all")
    found = {}
    for score in log.results.scores:
        share, low, high, right, whole = (score.metrics[f"quaestor/{part}"].value for part in parts)
        found[score.name] = (share, low, high, right, whole)
    return found


def figures_of_score(score: Score) -> Mapping[str, tuple[float, float, float, float, float]]:
    """Return the same figures of a score of quaestor."""
    return {
        name: (found.value, found.low, found.high, found.correct, found.total) for name, found in score.results.items()
    }
