"""Answers questions about a page or files in one conversation, and writes them into the store as a run of kind `ask`.

If the store fails, the answers are still returned; after the first error nothing more is written.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import JsonValue

from quaestor.application.file_cache import load_graphs
from quaestor.application.resolve import DocumentInCorpus, require_askable
from quaestor.application.solver_options import (
    NO_CASSETTE,
    NO_OVERRIDES,
    CassetteOptions,
    SolverOverrides,
    interactive_options,
    model_access,
    named_model,
    solver_access,
)
from quaestor.conversation.events import Event
from quaestor.conversation.turn import Correction, ToolCall, Turn
from quaestor.core.computing import compute, computing_limit
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation, Dataset, check_questions
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.errors import SettingsError, StoreError
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import ConversationResult, TurnPlace
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.watchers import TurnBegun, Watcher, Watchers
from quaestor.evaluation.writing import RunWriter
from quaestor.graph.knowledge_graph import Policy
from quaestor.llm.session import ModelConfig, ModelSession, open_session
from quaestor.llm.usage import Usage
from quaestor.readers.cache import ByteCache
from quaestor.settings import Settings
from quaestor.solvers import registry
from quaestor.solvers.base import Solver
from quaestor.store.base import RunStore, open_store, time_of_new_run
from quaestor.store.records import ExampleStatus, RunStatus, now

if TYPE_CHECKING:
    from quaestor.application.answer_workers import RemoteRunner
    from quaestor.application.live_traces import TraceFile, TraceOptions
    from quaestor.llm.transcript import Exchange


_RUN_STATUS: Mapping[ExampleStatus, RunStatus] = {"complete": "complete", "failed": "failed"}
"""The status of a run whose conversation has ended; any other run is stopped."""


@dataclass(frozen=True, slots=True)
class OntologySnapshot:
    """An ontology as it is stored with a run."""

    digest: str
    policy: Policy
    triples: tuple[Triple, ...]

    @classmethod
    def of(cls, graphs: GraphProvider) -> "OntologySnapshot":
        """Return the snapshot of the ontology that graphs are built with."""
        return cls(graphs.ontology.digest, graphs.policy, tuple(graphs.ontology.triples))


class AskRunWriter(Watcher):
    """Watcher that writes a run of kind `ask`, over a dataset of one conversation, until the store fails."""

    def __init__(
        self, page: DocumentInCorpus, conversation: Conversation, active: "ActiveSolver", ontology: OntologySnapshot
    ) -> None:
        self.run: str | None = None
        self.unkept: str | None = None
        self._conversation, self._ontology, self._live = conversation, ontology, active.session is not None
        dataset = Dataset.of(page.name or page.document.id, "asked", [conversation])
        model = active.config.fingerprint if active.config else None
        self._spec = RunSpec.of(dataset, active.name, active.options, None, ontology.digest, ontology.policy, model)
        self._open = AsyncExitStack()
        self._store: RunStore | None = None
        self._writer: RunWriter | None = None
        self._watcher = Watcher()

    async def begin(self, store: str, turns: Sequence[Turn] = (), corrections: Sequence[Correction] = ()) -> None:
        """Create the run, with earlier turns and corrections."""
        try:
            await self._try_to_store(lambda: self._begin(store, turns))
            await self.add_corrections(*corrections)
        except BaseException:
            await self._abandon()
            raise

    async def _abandon(self) -> None:
        """Finish a run whose creation was interrupted; the next question creates another."""
        with suppress(StoreError):
            if self._store is not None and self.run is not None:
                await self._store.finish_run(self.run, "stopped", now())
        with suppress(StoreError):
            await self._open.aclose()
        self.run = self._store = self._writer = None
        self._watcher = Watcher()

    async def add_corrections(self, *corrections: Correction) -> None:
        """Store a person's corrections."""
        if (writer := self._writer) is not None:
            for correction in corrections:
                await self._try_to_store(partial(writer.on_correction, self._conversation, correction))

    async def restart(self, turns: Sequence[Turn], used: Usage, corrections: Sequence[Correction] = ()) -> None:
        """Start a new attempt with the given turns; the stored turns remain as an earlier attempt."""
        if (writer := self._writer) is not None:

            async def restart() -> None:
                self._watcher = await writer.restart(self._conversation, turns, used)

            await self._try_to_store(restart)
            await self.add_corrections(*corrections)

    async def add_broken_turn(self, index: int, turn: Turn) -> None:
        """Store a turn that was interrupted or failed."""
        if (writer := self._writer) is not None:
            await self._try_to_store(lambda: writer.on_broken(self._conversation, index, turn))

    async def _begin(self, store: str, turns: Sequence[Turn]) -> None:
        opened = await self._open.enter_async_context(open_store(store))
        run = self._spec.new_run(await time_of_new_run(opened), 1, "ask")
        # Set before the run is created, so that an interrupt during its creation also finishes it.
        self.run, self._store = run.id, opened
        try:
            await opened.create_run(run)
        except StoreError:
            self.run = self._store = None
            raise
        await opened.save_ontology(self._ontology.digest, self._ontology.triples)
        self._writer = RunWriter(opened, run.id, live=self._live)
        self._watcher = await self._writer.begin(self._conversation)
        await self._writer.copy_turns(self._conversation, turns)

    async def end(self, result: ConversationResult | None) -> None:
        """Store how the conversation ended, and close the store."""
        await self._try_to_store(lambda: self._end(result))
        await self._try_to_store(self._open.aclose, after_error=True)

    async def _end(self, result: ConversationResult | None) -> None:
        if self._writer is None or self._store is None or self.run is None:
            return
        if result is not None:
            await self._writer.on_finish(self._conversation, result)
        await self._store.finish_run(
            self.run, _RUN_STATUS.get(result.status, "stopped") if result else "stopped", now()
        )

    async def on_turn(self, begun: TurnBegun) -> None:
        """Store the start of a turn."""
        await self._try_to_store(lambda: self._watcher.on_turn(begun))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Store an event of a turn."""
        if self.unkept is None:
            self._watcher.on_event(index, event, call)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Store an exchange with the model."""
        if self.unkept is None:
            self._watcher.on_exchange(exchange)

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Store the end of a turn."""
        await self._try_to_store(lambda: self._watcher.on_answer(index, turn))

    async def _try_to_store(self, work: Callable[[], Awaitable[object]], *, after_error: bool = False) -> None:
        if self.unkept is None or after_error:
            try:
                await work()
            except (StoreError, SettingsError) as error:
                self.unkept = self.unkept or str(error)


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
    """Answer questions about a document, one turn each; later ones may refer to earlier ones."""
    document, settings = page.document, request.settings
    require_askable(document)
    # A shared model session counts usage by conversation, and may serve one page twice.
    name = document.id if request.session is None else f"{document.id}#{uuid4().hex[:8]}"
    conversation = Conversation(name, document, tuple(questions), chained=chained)
    check_questions(conversation)
    seconds = settings.question_seconds
    async with resolve_solver(request) as active:
        graphs, excerpts = await load_knowledge(page, request)
        with request.traces.opened([name]) if request.traces else nullcontext() as observe:
            writer = None
            if request.keep:
                writer = AskRunWriter(page, conversation, active, OntologySnapshot.of(graphs))
                await writer.begin(settings.store)
            run = writer.run if writer else None
            try:
                trace = observe(TurnPlace(run or "", name)) if observe else None
            except BaseException:
                if writer is not None:
                    await writer.end(None)
                raise
            if run is not None and request.on_start is not None:
                request.on_start(run)
            watchers = [watcher for watcher in (writer, trace) if watcher is not None]
            watcher = Watchers(watchers) if watchers else None
            runner = make_runner(conversation, active, graphs, excerpts, watcher, seconds)
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
    settings, given = request.settings, request.solver
    options = interactive_options(settings, request.overrides)
    async with AsyncExitStack() as stack:
        config, session = None, request.session
        if session is None and given is None:
            access = solver_access(settings, options, request.cassette, model_named=request.model_named)
            config = stack.enter_context(access)
            options = named_model(options, config)
        elif session is None and request.model_named:
            config = stack.enter_context(model_access(settings, request.cassette))
        solver = given or registry.make_solver(settings.solver, options)
        if config is not None:
            session = await stack.enter_async_context(open_session(config, used))
        name, used_options = (given.name, {}) if given else (settings.solver, options)
        yield ActiveSolver(solver, name, used_options, session, config)


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


def make_excerpts(document: Document, request: AskRequest) -> PlaceExcerpts | None:
    """Return the excerpts of a document, whose index is loaded later; None for a page, which is read whole."""
    if document.is_page:
        return None
    return PlaceExcerpts.of_file(document, request.settings.excerpt_tokens, request.cache)


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
