"""`quaestor run`: plays the conversations of a dataset into the run store, and scores nothing."""

import asyncio

from quaestor.cli.options import (
    DatasetArgument,
    LimitOption,
    OntologyOption,
    PolicyOption,
    ResumeOption,
    SolverOption,
    StoreOption,
    WeightsOption,
    WorkersOption,
)


def run(
    dataset: DatasetArgument,
    solver: SolverOption = None,
    limit: LimitOption = None,
    resume: ResumeOption = None,
    store: StoreOption = None,
    weights: WeightsOption = None,
    workers: WorkersOption = None,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
) -> None:
    """Answer every conversation of a dataset, with or without reference answers. Prints the run's id."""
    from quaestor.cli.playing import Order, play, read_playable
    from quaestor.cli.progress import watched
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    settings = load_settings({"solver": solver, "store": store, "workers": workers})
    pages = read_playable(dataset, limit)
    order = Order(settings, limit, weights, resume, ontology, policy)

    async def play_all() -> str:
        async with open_store(settings.store) as opened:
            with watched(pages) as watcher:
                record = await play(pages, order, opened, watcher)
        return record.id

    print(asyncio.run(play_all()))
