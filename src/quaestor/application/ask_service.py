"""Questions about a page or about files, answered in one conversation."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import JsonValue

from quaestor.application.asked import AskedRun, Known
from quaestor.application.file_cache import load_knowledge
from quaestor.application.models import NO_CASSETTE, CassetteOptions, model_access, solver_access
from quaestor.application.resolve import CorpusPage, require_askable
from quaestor.application.solver_options import (
    NO_OVERRIDES,
    SolverOverrides,
    interactive_options,
    named_model,
)
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute, computing_limit
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.evaluation.checked_questions import check_questions
from quaestor.evaluation.excerpting import PlaceExcerpts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.watchers import Watcher, Watchers
from quaestor.llm.session import ModelConfig, ModelSession, open_session
from quaestor.llm.usage import Usage
from quaestor.readers.cache import ByteCache
from quaestor.settings import Settings
from quaestor.solvers import registry
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from quaestor.application.live_traces import TraceFile, TraceFolder, TraceOptions


@dataclass(frozen=True, slots=True)
class AskRequest:
    """How questions are to be answered.

    Attributes:
        settings: Solver, model, store, ontology and policy in force; without a policy labels that the ontology does not
            have become properties.
        model_named: Whether the caller names a model, so that one that is not asked is a mistake.
        solver: A solver that is there already, instead of the one that the settings name.
        session: A model that can be asked already, instead of the one that the settings name.
        traces: Where a trace is written while they are answered, or None.
        cache: Where indexes and ontologies of files are kept, or None.
        knowledge: Gives what the document is read with, where the caller holds it; None finds it for each request.
        on_begun: Is told the id of the run that they are kept as, before the first is answered.
    """

    settings: Settings
    overrides: SolverOverrides = NO_OVERRIDES
    cassette: CassetteOptions = NO_CASSETTE
    model_named: bool = False
    solver: Solver | None = None
    session: ModelSession | None = None
    keep: bool = False
    traces: "TraceOptions | None" = None
    cache: ByteCache | None = None
    knowledge: Callable[[], Awaitable[GraphProvider]] | None = None
    on_begun: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions with their answers.

    Attributes:
        run: The id of the run that they are kept as; None if they are not.
        unkept: Why they are not kept, or not all of them, though they were to be.
    """

    turns: tuple[Turn, ...]
    run: str | None = None
    unkept: str | None = None


async def answer_questions(
    page: CorpusPage, questions: Sequence[str], request: AskRequest, *, chained: bool = True
) -> Asked:
    """Return a turn for each question; later ones may refer to earlier ones.

    Args:
        chained: Whether it is one conversation; where not, each question is asked by itself.

    Raises:
        InputError: The page has no number, or there is no such model or ontology.
        QuestionError: A question cannot be asked; nothing was.
        SettingsError: Options do not fit the solver, or each other.
        OutageError: A service that the solver needs does not answer.
    """
    document, settings = page.document, request.settings
    require_askable(document)
    # Who shares a model may ask a page twice: what each time has used is counted by the conversation.
    name = document.id if request.session is None else f"{document.id}#{uuid4().hex[:8]}"
    conversation = Conversation(name, document, tuple(questions), chained=chained)
    check_questions(conversation)
    seconds = settings.question_seconds
    async with resolve_solver(request) as who:
        with computing_limit(seconds):
            knowledge, excerpts = await knowledge_for(page, request), await compute(excerpts_of, document, request)
        with _trace_folder(request, name) as traces:
            asked = None
            if request.keep:
                asked = run_of_asking(page, conversation, who, Known.of(knowledge))
                await asked.begin(settings.store)
            run = asked.run if asked else None
            try:
                trace = traces.observe(TurnPlace(run or "", name)) if traces else None
            except BaseException:
                if asked is not None:
                    await asked.end(None)
                raise
            if run is not None and request.on_begun is not None:
                request.on_begun(run)
            play = play_of(conversation, who, knowledge, excerpts, _watchers(asked, trace), seconds)
            turns = await _record_turns(play, asked, trace)
    return Asked(turns, run, asked.unkept if asked else None)


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers, and the model that it asks.

    Attributes:
        config: The way to that model, where it was opened for these questions.
    """

    solver: Solver
    name: str
    options: dict[str, JsonValue] = field(default_factory=dict)
    session: ModelSession | None = None
    config: ModelConfig | None = None


@asynccontextmanager
async def resolve_solver(request: AskRequest, already: Usage | None = None) -> AsyncIterator[Answering]:
    """Give who answers, and the model that it asks.

    Args:
        already: What of the budget is used up.

    Raises:
        SettingsError: There is no such solver or model, or options do not fit the solver, or each other.
    """
    settings = request.settings
    options = interactive_options(settings, request.overrides)
    given = request.solver
    if request.session is not None:
        solver = given or registry.make_solver(settings.solver, options)
        yield Answering(solver, solver.name, {} if given else options, request.session)
    elif given is not None:
        if not request.model_named:
            yield Answering(given, given.name)
            return
        with model_access(settings, request.cassette) as config:
            async with open_session(config, already) as session:
                yield Answering(given, given.name, {}, session, config)
    else:
        with solver_access(settings, options, request.cassette, model_named=request.model_named) as found:
            named = named_model(options, found)
            solver = registry.make_solver(settings.solver, named)
            if found is None:
                yield Answering(solver, settings.solver, named)
                return
            async with open_session(found, already) as session:
                yield Answering(solver, settings.solver, named, session, found)


async def knowledge_for(page: CorpusPage, request: AskRequest) -> GraphProvider:
    """Return what a page is read with.

    Raises:
        InputError: There is no such ontology.
        StoreError: The store does not have it.
    """
    if request.knowledge is not None:
        return await request.knowledge()
    return await load_knowledge(page.corpus, request.settings, request.cache)


def _trace_folder(request: AskRequest, conversation: str) -> "AbstractContextManager[TraceFolder | None]":
    return request.traces.opened([conversation]) if request.traces else nullcontext()


def play_of(
    conversation: Conversation,
    who: Answering,
    knowledge: GraphProvider | None,
    excerpts: PlaceExcerpts | None,
    watcher: Watcher | None,
    seconds: float | None = None,
) -> ConversationRunner:
    """Return a conversation to be played.

    Args:
        seconds: How long a turn may compute; None means no limit.
    """
    solver = who.solver
    if files_of(conversation.document):
        from quaestor.solvers.restatements import RestatementResolver

        solver = RestatementResolver(solver)
    return ConversationRunner(conversation, solver, knowledge, who.session, watcher, excerpts=excerpts, seconds=seconds)


def run_of_asking(page: CorpusPage, conversation: Conversation, who: Answering, knowledge: Known) -> AskedRun:
    """Return what keeps the answers: as a run over a dataset that has one conversation."""
    dataset = Dataset.of(page.name or page.document.id, "asked", [conversation])
    model = who.config.fingerprint if who.config else None
    spec = RunSpec.of(dataset, who.name, who.options, None, knowledge.digest, knowledge.policy, model)
    return AskedRun(spec, conversation, knowledge, live=who.session is not None)


def excerpts_of(document: Document, request: AskRequest) -> PlaceExcerpts | None:
    """Return what finds the parts of a document that questions are about; a benchmark's page is read whole."""
    if document.is_page:
        return None
    return PlaceExcerpts.of_file(document, request.settings.excerpt_tokens, request.cache)


def _watchers(asked: AskedRun | None, trace: "TraceFile | None") -> Watcher | None:
    watchers: list[Watcher] = [watcher for watcher in (asked, trace) if watcher is not None]
    return Watchers(watchers) if watchers else None


async def _record_turns(
    play: ConversationRunner, asked: AskedRun | None, trace: "TraceFile | None"
) -> tuple[Turn, ...]:
    """Return the turns, once how they went is on record; the same where they did not come to their end."""
    failure: BaseException | None = None
    try:
        return await play.turns_to_end()
    except BaseException as error:
        failure = error
        raise
    finally:
        if asked is not None or trace is not None:
            interrupted = failure is not None and not isinstance(failure, Exception)
            played = None if interrupted else await play.result(failure if isinstance(failure, Exception) else None)
            if asked is not None:
                await asked.end(played)
            if trace is not None and played is not None:
                await trace.on_end(played.status, played.error)
