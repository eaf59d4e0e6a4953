"""How a solver does on a labelled dataset, in one call: plain, and `_async` for a running loop."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quaestor.application.conversation_filter import ConversationFilter, read_filtered
from quaestor.application.resolve import dataset_path
from quaestor.application.run_service import RunRequest, start_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.library.asking import Options, overrides, settings_with
from quaestor.library.waiting import run_sync
from quaestor.scoring.gold import read_gold
from quaestor.settings import Settings
from quaestor.store.base import open_store


async def evaluate_async(
    dataset: str | Path,
    *,
    solver: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    limit: int | None = None,
    conversations: Sequence[str] = (),
    sample: int | None = None,
    seed: int | None = None,
    workers: int | None = 1,
    store: str = "sqlite://",
    settings: Settings | None = None,
) -> ScoredRun:
    """Return how a solver does on a labelled dataset, as `evaluate`, while the caller's event loop goes on."""
    path = dataset_path(dataset)
    (pages, selection), gold = (
        read_filtered(path, ConversationFilter(limit, conversations, sample, seed)),
        read_gold(path),
    )
    request = RunRequest(
        settings_with(settings, solver=solver, model=model, store=store, workers=workers), limit, overrides(options)
    )
    request = replace(request, model_named=model is not None, selection=selection)
    async with open_store(request.settings.store) as opened:
        record = await start_run(pages, request, opened)
        return await score_run(opened, record, pages, gold, request.settings.store)


def evaluate(
    dataset: str | Path,
    *,
    solver: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    limit: int | None = None,
    conversations: Sequence[str] = (),
    sample: int | None = None,
    seed: int | None = None,
    workers: int | None = 1,
    store: str = "sqlite://",
    settings: Settings | None = None,
) -> ScoredRun:
    """Return how a solver does on a labelled dataset: every conversation answered, then scored.

    Works in scripts and in notebooks; `evaluate_async` takes the same arguments and raises the same errors.

    Args:
        solver: Its name; by default the one that is set, else `embedded`.
        model: The model that a solver asks, such as `anthropic:NAME`.
        limit: Only the first so many conversations; instead of it `conversations` or `sample`. None is all.
        conversations: Only these, each by its id or its page's.
        sample: Only so many, drawn.
        seed: What decides the draw.
        workers: How many conversations at once; None leaves it to the solver. More than one starts processes, if
            the solver asks no model.
        store: Where the run is kept; by default nowhere.
        settings: By default those of the environment and of quaestor.toml.

    Raises:
        DatasetError: The file cannot be read, or has no reference answers.
        InputError: A conversation does not exist, or several of `limit`, `conversations` and `sample` are given.
        SettingsError: There is no such solver or option, or it needs a model.
        RunStoppedError: The model cannot be asked, or the budget is used up; the run can be resumed if it is kept.

    >>> from quaestor import evaluate
    >>> evaluate("sample", limit=1).report.score.execution.total
    4
    """
    return run_sync(
        evaluate_async(
            dataset,
            solver=solver,
            model=model,
            options=options,
            limit=limit,
            conversations=conversations,
            sample=sample,
            seed=seed,
            workers=workers,
            store=store,
            settings=settings,
        )
    )
