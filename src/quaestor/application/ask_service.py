"""Answers questions about a page or files in one conversation."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import JsonValue

from quaestor.application.ask_run_writer import AskRunWriter, OntologySnapshot
from quaestor.application.file_cache import load_graphs
from quaestor.application.models import NO_CASSETTE, CassetteOptions, model_access, solver_access
from quaestor.application.resolve import DocumentInCorpus, require_askable
from quaestor.application.solver_options import NO_OVERRIDES, SolverOverrides, interactive_options, named_model
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute, computing_limit
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.evaluation.checked_questions import check_questions
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.conversation_result import ConversationResult
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
    from quaestor.application.live_traces import TraceFile, TraceOptions
    from quaestor.application.remote_runner import RemoteRunner


@dataclass(frozen=True, slots=True)
class AskRequest:
    """Settings for answering questions.

    Attributes:
        settings: Solver, model, store, ontology and policy; without a policy, labels that the ontology does not have
            become properties.
        model_named: Whether the caller named the model, so that it is used even if the solver can do without.
        solver: The solver to use instead of the one in the settings.
        session: An open session of the model, which several requests share; None opens one if the solver uses a model.
        keep: Whether to store the answers as a run.
        get_graphs: Returns the ontology and the graphs of the document; None loads them for each request.
        on_start: Called with the id of the run once it is stored.
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
    get_graphs: Callable[[], Awaitable[GraphProvider]] | None = None
    on_start: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class AskResult:
    """The turns of some questions, the id of the stored run, and the error if storing failed (`unkept`)."""

    turns: tuple[Turn, ...]
    run: str | None = None
    unkept: str | None = None


async def answer_questions(
    page: DocumentInCorpus, questions: Sequence[str], request: AskRequest, *, chained: bool = True
) -> AskResult:
    """Answer questions about a document, one turn each; later ones may refer to earlier ones.

    Args:
        chained: Whether the questions form one conversation; if not, each is independent of the others.
    """
    document, settings = page.document, request.settings
    require_askable(document)
    # A shared model session counts usage by conversation, and may serve one page twice.
    name = document.id if request.session is None else f"{document.id}#{uuid4().hex[:8]}"
    conversation = Conversation(name, document, tuple(questions), chained=chained)
    check_questions(conversation)
    seconds = settings.question_seconds
    async with resolve_solver(request) as active:
        graphs, excerpts = await load_knowledge(page, request)
        with request.traces.opened([name]) if request.traces else nullcontext() as traces:
            writer = None
            if request.keep:
                writer = set_up_ask_run(page, conversation, active, OntologySnapshot.of(graphs))
                await writer.begin(settings.store)
            run = writer.run if writer else None
            try:
                trace = traces.observe(TurnPlace(run or "", name)) if traces else None
            except BaseException:
                if writer is not None:
                    await writer.end(None)
                raise
            if run is not None and request.on_start is not None:
                request.on_start(run)
            runner = make_runner(conversation, active, graphs, excerpts, _watchers(writer, trace), seconds)
            turns = await _run_recorded(runner, writer, trace)
    return AskResult(turns, run, writer.unkept if writer else None)


@dataclass(frozen=True, slots=True)
class ActiveSolver:
    """The solver in use, with its name and options, and the session of its model."""

    solver: Solver
    name: str
    options: dict[str, JsonValue] = field(default_factory=dict)
    session: ModelSession | None = None
    config: ModelConfig | None = None


@asynccontextmanager
async def resolve_solver(request: AskRequest, used: Usage | None = None) -> AsyncIterator[ActiveSolver]:
    """Yield the solver of a request, with a session of its model if it uses one."""
    settings = request.settings
    options = interactive_options(settings, request.overrides)
    given = request.solver
    if request.session is not None:
        solver = given or registry.make_solver(settings.solver, options)
        yield ActiveSolver(solver, solver.name, {} if given else options, request.session)
    elif given is not None:
        if not request.model_named:
            yield ActiveSolver(given, given.name)
            return
        with model_access(settings, request.cassette) as config:
            async with open_session(config, used) as session:
                yield ActiveSolver(given, given.name, {}, session, config)
    else:
        with solver_access(settings, options, request.cassette, model_named=request.model_named) as found:
            named = named_model(options, found)
            solver = registry.make_solver(settings.solver, named)
            if found is None:
                yield ActiveSolver(solver, settings.solver, named)
                return
            async with open_session(found, used) as session:
                yield ActiveSolver(solver, settings.solver, named, session, found)


async def load_knowledge(page: DocumentInCorpus, request: AskRequest) -> tuple[GraphProvider, PlaceExcerpts | None]:
    """Return the ontology and the graphs of a document, and its excerpts."""
    with computing_limit(request.settings.question_seconds):
        if request.get_graphs is not None:
            graphs = await request.get_graphs()
        else:
            graphs = await load_graphs(page.corpus, request.settings, request.cache)
        return graphs, await compute(make_excerpts, page.document, request)


def make_runner(
    conversation: Conversation,
    active: ActiveSolver,
    graphs: GraphProvider | None,
    excerpts: PlaceExcerpts | None,
    watcher: Watcher | None,
    seconds: float | None = None,
) -> ConversationRunner:
    """Return the runner of a conversation."""
    solver = active.solver
    if files_of(conversation.document):
        from quaestor.solvers.restatements import RestatementResolver

        solver = RestatementResolver(solver)
    cache = None if excerpts is None else excerpts.cache
    return ConversationRunner(
        conversation, solver, graphs, active.session, watcher, excerpts=excerpts, seconds=seconds, cache=cache
    )


def set_up_ask_run(
    page: DocumentInCorpus, conversation: Conversation, active: ActiveSolver, ontology: OntologySnapshot
) -> AskRunWriter:
    """Return the writer of a run over a dataset of one conversation."""
    dataset = Dataset.of(page.name or page.document.id, "asked", [conversation])
    model = active.config.fingerprint if active.config else None
    spec = RunSpec.of(dataset, active.name, active.options, None, ontology.digest, ontology.policy, model)
    return AskRunWriter(spec, conversation, ontology, live=active.session is not None)


def make_excerpts(document: Document, request: AskRequest) -> PlaceExcerpts | None:
    """Return the excerpts of a document, whose index is loaded later; None for a page, which is read whole."""
    if document.is_page:
        return None
    return PlaceExcerpts.of_file(document, request.settings.excerpt_tokens, request.cache)


def _watchers(writer: AskRunWriter | None, trace: "TraceFile | None") -> Watcher | None:
    watchers: list[Watcher] = [watcher for watcher in (writer, trace) if watcher is not None]
    return Watchers(watchers) if watchers else None


async def result_after(
    runner: "ConversationRunner | RemoteRunner", failure: BaseException | None
) -> ConversationResult | None:
    """Return the result of a conversation that has ended or failed, or None if it was interrupted."""
    if failure is None or isinstance(failure, Exception):
        return await runner.result(failure)
    return None


async def _run_recorded(
    runner: ConversationRunner, writer: AskRunWriter | None, trace: "TraceFile | None"
) -> tuple[Turn, ...]:
    """Run a conversation, and record how it ended, even if it fails."""
    failure: BaseException | None = None
    try:
        return await runner.run_all_turns()
    except BaseException as error:
        failure = error
        raise
    finally:
        if writer is not None or trace is not None:
            result = await result_after(runner, failure)
            if writer is not None:
                await writer.end(result)
            if trace is not None and result is not None:
                await trace.on_end(result.status, result.error)
