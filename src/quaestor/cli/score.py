"""`quaestor score`: a stored run beside the reference answers of its dataset."""

import asyncio

from quaestor.cli.options import DatasetArgument, JsonOption, OutputOption, RunArgument, StoreOption


def score(
    run: RunArgument,
    dataset: DatasetArgument,
    output: OutputOption = None,
    json: JsonOption = False,
    store: StoreOption = None,
) -> None:
    """Score a run against the reference answers of its dataset."""
    from quaestor.cli.judging import Judged, judge
    from quaestor.cli.playing import find_run
    from quaestor.cli.results import deliver
    from quaestor.datasets.dataset import Dataset
    from quaestor.datasets.formats import read_dataset
    from quaestor.evaluation.spec import RunSpec
    from quaestor.scoring.gold import read_gold
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    gold = read_gold(dataset)
    settings = load_settings({"store": store})

    async def judge_run() -> tuple[Judged, Dataset]:
        async with open_store(settings.store, create=False) as opened:
            record = await find_run(opened, run)
            pages = read_dataset(dataset, RunSpec.of_run(record).limit)
            return await judge(opened, record, pages, gold), pages

    judged, pages = asyncio.run(judge_run())
    deliver(judged, pages, output, json)
