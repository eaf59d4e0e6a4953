"""`quaestor run`: plays the conversations of a dataset into the run store, and scores nothing."""

import asyncio

from quaestor.cli.options import (
    AbstainOption,
    DatasetArgument,
    ExpertOption,
    LimitOption,
    MaxCostOption,
    MaxRequestsOption,
    MaxTokensOption,
    ModelOption,
    OntologyOption,
    PolicyOption,
    RecordOption,
    ReplayOption,
    ResumeOption,
    SolverOption,
    StoreOption,
    WeightsOption,
    WorkersOption,
)


def run(
    dataset: DatasetArgument,
    solver: SolverOption = None,
    expert: ExpertOption = None,
    limit: LimitOption = None,
    resume: ResumeOption = None,
    store: StoreOption = None,
    weights: WeightsOption = None,
    abstain_below: AbstainOption = None,
    workers: WorkersOption = None,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    model: ModelOption = None,
    record: RecordOption = None,
    replay: ReplayOption = None,
    max_requests: MaxRequestsOption = None,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
) -> None:
    """Answer every conversation of a dataset, with or without reference answers. Prints the run's id."""
    from quaestor.cli.access import Tapes
    from quaestor.cli.playing import Order, Said, play, read_playable
    from quaestor.cli.progress import watched
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    limits = {"max_requests": max_requests, "max_tokens": max_tokens, "max_cost": max_cost}
    settings = load_settings({"solver": solver, "store": store, "workers": workers, "model": model, **limits})
    pages = read_playable(dataset, limit)
    tapes, named = Tapes(record, replay), model is not None
    said = Said(weights, abstain_below, expert)
    order = Order(settings, limit, said, resume, ontology, policy, tapes, named=named)

    async def play_all() -> str:
        async with open_store(settings.store) as opened:
            with watched(pages) as watcher:
                return (await play(pages, order, opened, watcher)).id

    print(asyncio.run(play_all()))
