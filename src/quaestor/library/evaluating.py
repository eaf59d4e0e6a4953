"""Evaluation of a solver on a labelled dataset, as a plain function and as a coroutine."""

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
    """Evaluate a solver like `evaluate`, without blocking the event loop."""
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
    """Answer every conversation of a labelled dataset with a solver, and score the answers.

    Works in scripts and in notebooks; `evaluate_async` takes the same arguments and raises the same errors.

    Args:
        solver: Name of the solver; by default the configured one, else `embedded`.
        model: The model for solvers that use one, such as `anthropic:NAME`.
        options: Options of the solver, such as `{"abstain_below": 0.5}`.
        limit: Use only the first N conversations; None uses all. Excludes `conversations` and `sample`.
        conversations: Use only these, each given by its id or that of its page.
        sample: Use N randomly drawn conversations.
        seed: Random seed for `sample`.
        workers: Number of conversations to answer at once; None lets the solver choose. More than one starts
            processes if the solver uses no model.
        store: URI of the store for the run; in memory by default.
        settings: By default those of the environment and quaestor.toml.

    Raises:
        DatasetError: The file cannot be read, or has no reference answers.
        InputError: A conversation does not exist, or several of `limit`, `conversations` and `sample` are given.
        SettingsError: The solver or an option does not exist, or the solver needs a model.
        RunStoppedError: The model is not available, or the budget is exhausted; the run can be resumed if it is stored.

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
