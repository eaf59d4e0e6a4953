"""The run store of a command, its output file, and the saved scores of a run."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from quaestor.application.files import OutputFile
    from quaestor.application.score_service import RunScores
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
