"""`quaestor demo`: the bundled sample, two conversations shown in full, then all of it scored.

Leaves nothing behind.
"""

import asyncio

# One page for each kind of source: cells of a table, and spans of a sentence.
SHOWN = ("Single_QUIL/2007/page_88.pdf-1", "Single_LUMI/2018/page_35.pdf-1")


def demo() -> None:
    """Answer the bundled sample, show how, and score it."""
    from rich.console import Console

    from quaestor.cli.judging import Judged, judge
    from quaestor.cli.playing import Order, play, read_playable
    from quaestor.cli.progress import watched
    from quaestor.cli.results import show_score
    from quaestor.cli.showing import show_page, show_turn
    from quaestor.evaluation.runner import play_conversation
    from quaestor.sample import sample_path
    from quaestor.scoring.gold import read_gold
    from quaestor.settings import Settings
    from quaestor.solvers.registry import make_solver
    from quaestor.store.base import open_store

    console = Console(highlight=False)
    # In memory and in this process: the sample is done before worker processes would have started.
    settings = Settings(store="sqlite://", workers=1)
    pages = read_playable(sample_path())
    gold = read_gold(sample_path())
    solver = make_solver(settings.solver, {})
    for identity in SHOWN:
        conversation = pages.conversation(identity)
        show_page(console, conversation.document)
        for number, turn in enumerate(asyncio.run(play_conversation(conversation, solver)), start=1):
            show_turn(console, number, turn, conversation.document)
        console.print()

    async def play_and_judge() -> Judged:
        async with open_store(settings.store) as opened:
            with watched(pages, gold) as watcher:
                return await judge(opened, await play(pages, Order(settings), opened, watcher), pages, gold)

    judged = asyncio.run(play_and_judge())
    console.print(f"All {len(pages.conversations)} conversations of the sample, by the solver {settings.solver!r}:")
    show_score(console, judged.report.score)
