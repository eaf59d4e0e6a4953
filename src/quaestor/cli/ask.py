"""`quaestor ask`: questions about one page of a dataset, in one conversation."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import SolverOption, WeightsOption

if TYPE_CHECKING:
    from quaestor.documents.document import Document


def ask(
    page: Annotated[
        str,
        typer.Argument(metavar="DATASET#ID", help="A file, and the id of a conversation or a page in it."),
    ],
    questions: Annotated[list[str], typer.Argument(metavar="QUESTION...", help="In their order.")],
    solver: SolverOption = None,
    weights: WeightsOption = None,
) -> None:
    """Answer questions about one page, each with its formula and sources."""
    from rich.console import Console

    from quaestor.cli.playing import has_numbers
    from quaestor.cli.showing import show_turn
    from quaestor.documents.convfinqa import Conversation
    from quaestor.errors import InputError
    from quaestor.evaluation.runner import check_questions, play_conversation
    from quaestor.settings import load_settings
    from quaestor.solvers.registry import make_solver

    document = _find_page(page)
    if not has_numbers(document):
        raise InputError(f"{document.id} has no number in its tables or its text: nothing can be answered from it")
    conversation = Conversation(document.id, document, tuple(questions))
    check_questions(conversation)
    settings = load_settings({"solver": solver})
    options = {"weights": str(weights)} if weights else {}
    turns = asyncio.run(play_conversation(conversation, make_solver(settings.solver, options)))
    console = Console(highlight=False)
    for number, turn in enumerate(turns, start=1):
        show_turn(console, number, turn, document)


def _find_page(page: str) -> "Document":
    from pathlib import Path

    from quaestor.documents.convfinqa import read_dataset
    from quaestor.errors import InputError

    path, separator, identity = page.rpartition("#")
    if not separator or not path or not identity:
        raise InputError(f"{page!r} names no page: write DATASET#ID, such as pages.json#AAPL/2009/page_32.pdf")
    dataset = read_dataset(Path(path))
    documents = {conversation.document.id: conversation.document for conversation in dataset.conversations}
    return documents[identity] if identity in documents else dataset.conversation(identity).document
