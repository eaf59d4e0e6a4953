"""Questions about one page, answered in one conversation."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from quaestor.application.models import NO_CASSETTE, CassetteOptions, model_access, solver_access
from quaestor.application.resolve import CorpusPage, find_knowledge, has_numbers
from quaestor.application.solver_options import NO_OVERRIDES, SolverOverrides, named_model, solver_options
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError
from quaestor.evaluation.runner import check_questions, play_conversation
from quaestor.graph.knowledge_graph import Policy
from quaestor.llm.session import ModelSession, open_session
from quaestor.settings import Settings
from quaestor.solvers import registry
from quaestor.solvers.base import Solver


@dataclass(frozen=True, slots=True)
class AskRequest:
    """How questions are to be answered.

    Attributes:
        settings: Solver, model and store in force.
        overrides: Options of the solver above its settings.
        ontology: A Turtle file or a digest, or None for that of the dataset's own documents.
        policy: What becomes of labels that the ontology does not have; by default they become properties.
        cassette: Recording or replay of the exchanges with a model.
        model_named: Whether the caller names a model, so that one that is not asked is a mistake.
        solver: A solver that is there already, instead of the one that the settings name.
        session: A model that can be asked already, instead of the one that the settings name.
    """

    settings: Settings
    overrides: SolverOverrides = NO_OVERRIDES
    ontology: str | None = None
    policy: Policy | None = None
    cassette: CassetteOptions = NO_CASSETTE
    model_named: bool = False
    solver: Solver | None = None
    session: ModelSession | None = None


async def answer_questions(page: CorpusPage, questions: Sequence[str], request: AskRequest) -> tuple[Turn, ...]:
    """Returns a turn for each question, in their order; later ones may refer to earlier ones. Stores nothing.

    Args:
        page: What is asked about.
        questions: As a person puts them.
        request: Who answers, and how.

    Raises:
        InputError: The page has no number, or there is no such model or ontology.
        QuestionError: A question cannot be asked; nothing was.
        SettingsError: Options do not fit the solver, or each other.
        OutageError: A service that the solver needs does not answer.
    """
    document, settings = page.document, request.settings
    if not has_numbers(document):
        raise InputError(f"{document.id} has no number in its tables or its text: nothing can be answered from it")
    # Who shares a model may ask a page twice: what each time has used is counted by the conversation.
    name = document.id if request.session is None else f"{document.id}#{uuid4().hex[:8]}"
    conversation = Conversation(name, document, tuple(questions))
    check_questions(conversation)
    async with _asked(request) as (solver, session):
        knowledge = await find_knowledge(page.corpus, request.ontology, request.policy, settings.store)
        return await play_conversation(conversation, solver, knowledge, session)


@asynccontextmanager
async def _asked(request: AskRequest) -> AsyncIterator[tuple[Solver, ModelSession | None]]:
    """Gives who answers, and the model that it asks."""
    settings, options = request.settings, solver_options(request.settings, request.overrides)
    if request.session is not None:
        yield request.solver or registry.make_solver(settings.solver, options), request.session
    elif request.solver is not None:
        if not request.model_named:
            yield request.solver, None
            return
        with model_access(settings, request.cassette) as config:
            async with open_session(config) as session:
                yield request.solver, session
    else:
        with solver_access(settings, options, request.cassette, model_named=request.model_named) as found:
            solver = registry.make_solver(settings.solver, named_model(options, found))
            if found is None:
                yield solver, None
                return
            async with open_session(found) as session:
                yield solver, session
