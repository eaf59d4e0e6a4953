"""`quaestor eval`: run, then score, with the same code as the two."""

import asyncio

from quaestor.cli.options import (
    AbstainOption,
    DatasetArgument,
    ExpertOption,
    JsonOption,
    LimitOption,
    MaxCostOption,
    MaxRequestsOption,
    MaxTokensOption,
    ModelOption,
    OntologyOption,
    OutputOption,
    PolicyOption,
    RecordOption,
    ReplayOption,
    ResumeOption,
    SolverOption,
    StoreOption,
    WeightsOption,
    WorkersOption,
)


def evaluate(
    dataset: DatasetArgument,
    solver: SolverOption = None,
    expert: ExpertOption = None,
    limit: LimitOption = None,
    resume: ResumeOption = None,
    store: StoreOption = None,
    output: OutputOption = None,
    json: JsonOption = False,
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
    """Answer every conversation of a dataset, then score the answers."""
    import sys

    from quaestor.cli.access import Tapes
    from quaestor.cli.judging import Judged, judge
    from quaestor.cli.playing import Order, Said, play, read_playable
    from quaestor.cli.progress import watched
    from quaestor.cli.results import deliver
    from quaestor.scoring.gold import read_gold
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    limits = {"max_requests": max_requests, "max_tokens": max_tokens, "max_cost": max_cost}
    settings = load_settings({"solver": solver, "store": store, "workers": workers, "model": model, **limits})
    pages = read_playable(dataset, limit)
    gold = read_gold(dataset)
    tapes, named = Tapes(record, replay), model is not None
    said = Said(weights, abstain_below, expert)
    order = Order(settings, limit, said, resume, ontology, policy, tapes, named=named)

    async def play_and_judge() -> Judged:
        async with open_store(settings.store) as opened:
            with watched(pages, gold) as watcher:
                run = await play(pages, order, opened, watcher)
            print(f"run {run.id}", file=sys.stderr)
            return await judge(opened, run, pages, gold)

    deliver(asyncio.run(play_and_judge()), pages, output, json)
