"""`quaestor ask`: questions about one page of a dataset, in one conversation."""

import asyncio
from typing import Annotated

import typer

from quaestor.cli.options import OntologyOption, PageArgument, PolicyOption, SolverOption, StoreOption, WeightsOption


def ask(
    page: PageArgument,
    questions: Annotated[list[str], typer.Argument(metavar="QUESTION...", help="In their order.")],
    solver: SolverOption = None,
    weights: WeightsOption = None,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
) -> None:
    """Answer questions about one page, each with its formula and sources."""
    from rich.console import Console

    from quaestor.cli.knowing import find_page, knowledge_for
    from quaestor.cli.playing import has_numbers
    from quaestor.cli.showing import show_turn
    from quaestor.documents.convfinqa import Conversation
    from quaestor.errors import InputError
    from quaestor.evaluation.runner import check_questions, play_conversation
    from quaestor.settings import load_settings
    from quaestor.solvers.registry import make_solver

    dataset, document = find_page(page)
    if not has_numbers(document):
        raise InputError(f"{document.id} has no number in its tables or its text: nothing can be answered from it")
    conversation = Conversation(document.id, document, tuple(questions))
    check_questions(conversation)
    settings = load_settings({"solver": solver, "store": store})
    options = {"weights": str(weights)} if weights else {}
    knowledge = knowledge_for(dataset, ontology, policy, settings.store)
    turns = asyncio.run(play_conversation(conversation, make_solver(settings.solver, options), knowledge))
    console = Console(highlight=False)
    for number, turn in enumerate(turns, start=1):
        show_turn(console, number, turn, document)
