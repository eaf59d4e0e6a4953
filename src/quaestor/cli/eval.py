"""`quaestor eval`: run, then score, with the same code as the two."""

import asyncio

from quaestor.cli.options import (
    DatasetArgument,
    JsonOption,
    LimitOption,
    OntologyOption,
    OutputOption,
    PolicyOption,
    ResumeOption,
    SolverOption,
    StoreOption,
    WeightsOption,
    WorkersOption,
)


def evaluate(
    dataset: DatasetArgument,
    solver: SolverOption = None,
    limit: LimitOption = None,
    resume: ResumeOption = None,
    store: StoreOption = None,
    output: OutputOption = None,
    json: JsonOption = False,
    weights: WeightsOption = None,
    workers: WorkersOption = None,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
) -> None:
    """Answer every conversation of a dataset, then score the answers."""
    import sys

    from quaestor.cli.judging import Judged, judge
    from quaestor.cli.playing import Order, play, read_playable
    from quaestor.cli.progress import watched
    from quaestor.cli.results import deliver
    from quaestor.scoring.gold import read_gold
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    settings = load_settings({"solver": solver, "store": store, "workers": workers})
    pages = read_playable(dataset, limit)
    gold = read_gold(dataset)
    order = Order(settings, limit, weights, resume, ontology, policy)

    async def play_and_judge() -> Judged:
        async with open_store(settings.store) as opened:
            with watched(pages, gold) as watcher:
                record = await play(pages, order, opened, watcher)
            print(f"run {record.id}", file=sys.stderr)
            return await judge(opened, record, pages, gold)

    deliver(asyncio.run(play_and_judge()), pages, output, json)
