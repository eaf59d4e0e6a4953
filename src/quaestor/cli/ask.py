"""`quaestor ask`: questions about one page of a dataset, in one conversation."""

import asyncio
from typing import Annotated

import typer

from quaestor.cli.options import (
    AbstainOption,
    ExpertOption,
    MaxCostOption,
    MaxRequestsOption,
    MaxTokensOption,
    ModelOption,
    OntologyOption,
    PageArgument,
    PolicyOption,
    RecordOption,
    ReplayOption,
    SolverOption,
    StoreOption,
    WeightsOption,
)


def ask(
    page: PageArgument,
    questions: Annotated[list[str], typer.Argument(metavar="QUESTION...", help="In their order.")],
    solver: SolverOption = None,
    expert: ExpertOption = None,
    weights: WeightsOption = None,
    abstain_below: AbstainOption = None,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
    model: ModelOption = None,
    record: RecordOption = None,
    replay: ReplayOption = None,
    max_requests: MaxRequestsOption = None,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
) -> None:
    """Answer questions about one page, each with its formula and sources."""
    from rich.console import Console

    from quaestor.cli.access import Tapes, solver_access
    from quaestor.cli.knowing import find_page, knowledge_for
    from quaestor.cli.playing import Said, has_numbers, named_model, solver_options
    from quaestor.cli.showing import show_turn
    from quaestor.conversation.turn import Turn
    from quaestor.datasets.dataset import Conversation
    from quaestor.errors import InputError
    from quaestor.evaluation.line import ModelAccess, open_line
    from quaestor.evaluation.runner import check_questions, play_conversation
    from quaestor.settings import load_settings
    from quaestor.solvers.registry import make_solver

    dataset, document = find_page(page)
    if not has_numbers(document):
        raise InputError(f"{document.id} has no number in its tables or its text: nothing can be answered from it")
    conversation = Conversation(document.id, document, tuple(questions))
    check_questions(conversation)
    limits = {"max_requests": max_requests, "max_tokens": max_tokens, "max_cost": max_cost}
    settings = load_settings({"solver": solver, "store": store, "model": model, **limits})

    async def play(access: ModelAccess | None) -> tuple[Turn, ...]:
        answering = make_solver(settings.solver, named_model(options, access))
        if access is None:
            return await play_conversation(conversation, answering, knowledge)
        async with open_line(access) as line:
            return await play_conversation(conversation, answering, knowledge, line)

    options = solver_options(settings, Said(weights, abstain_below, expert))
    with solver_access(settings, options, Tapes(record, replay), named=model is not None) as access:
        knowledge = knowledge_for(dataset, ontology, policy, settings.store)
        turns = asyncio.run(play(access))
    console = Console(highlight=False)
    for number, turn in enumerate(turns, start=1):
        show_turn(console, number, turn, document)
