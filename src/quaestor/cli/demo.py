"""`quaestor demo`: show two conversations of the bundled sample in full, then score all of it.

Stores nothing.
"""

import asyncio

from quaestor.cli.options import JsonOption
from quaestor.cli.printing import make_console, print_json
from quaestor.cli.stored import use_store
from quaestor.settings import load_settings

# One page for each kind of source: table cells and sentences.
SHOWN = ("Single_QUIL/2007/page_88.pdf-1", "Single_LUMI/2018/page_35.pdf-1")


def demo(json: JsonOption = False) -> None:
    """Answer the questions of the bundled sample, show the work, and score the answers."""
    from dataclasses import replace

    from quaestor.application.ask_service import AskRequest, answer_questions
    from quaestor.application.reports import score_json
    from quaestor.application.resolve import DocumentInCorpus, read_answerable
    from quaestor.application.run_service import RunRequest, start_run
    from quaestor.application.score_service import ScoredRun, score_run
    from quaestor.cli.progress import show_progress
    from quaestor.cli.render import show_turn
    from quaestor.cli.render_documents import show_tables
    from quaestor.cli.render_runs import show_score
    from quaestor.sample import sample_path
    from quaestor.scoring.gold import read_gold
    from quaestor.store.base import RunStore

    console = make_console()
    # In memory and in this process: the sample is done before worker processes would have started.
    settings = replace(load_settings(), store="sqlite://", workers=1, ontology=None, policy=None)
    pages = read_answerable(sample_path())
    gold = read_gold(sample_path())
    for identity in () if json else SHOWN:
        conversation = pages.conversation(identity)
        show_tables(console, conversation.document)
        page = DocumentInCorpus.of_dataset(pages, conversation.document)
        result = asyncio.run(answer_questions(page, conversation.questions, AskRequest(settings)))
        for number, turn in enumerate(result.turns, start=1):
            show_turn(console, number, turn, conversation.document)
        console.print()

    async def answer_and_score(opened: RunStore) -> ScoredRun:
        with show_progress(pages, gold) as progress:
            run = await start_run(pages, RunRequest(settings), opened, progress)
        return await score_run(opened, run, pages, gold)

    scored = use_store(settings.store, answer_and_score, create=True)
    if json:
        print_json(score_json(scored))
        return
    console.print(
        f"All {len(pages.conversations)} conversations of the sample, answered by the {settings.solver} solver:"
    )
    show_score(console, scored.report.score)
    console.print()
    score = scored.report.score
    console.print(
        f"{score.execution.correct} of {score.execution.total} questions have the right number; a conversation "
        "counts only if all of its questions do. The sample has questions of every kind, including hard ones, and "
        "the solver is uncertain about many of them: each answer above shows its confidence. Next, ask a question "
        "of your own about a page of the sample or a filing:",
        soft_wrap=True,
    )
    question = "what was the net cash from operations in 2009?"
    console.print(f'  quaestor ask sample#HALC/2009/page_52.pdf "{question}"', soft_wrap=True)
    console.print("  quaestor ask FILE", soft_wrap=True)
    console.print("  quaestor chat FILE", soft_wrap=True)
