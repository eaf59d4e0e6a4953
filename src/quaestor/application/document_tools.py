"""Document tools besides questions: find places, query the graph, check a number, calculate.

In a server, work that depends on the size of the document runs in the worker processes. All calls must come from one
event loop.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from quaestor.application.answer_workers import AnswerWorkers, Work, WorkerPage
from quaestor.application.ask_service import AskRequest, make_excerpts
from quaestor.application.file_cache import search_document
from quaestor.application.graph_query import QueryAnswer, query_graph
from quaestor.application.named_values import NamedValue
from quaestor.application.number_check import NumberCheck, check_number
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.datasets.dataset import check_question
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.evaluation.context_selection import ContextSelector
from quaestor.graph.sparql import Limits
from quaestor.questions.question import read_question
from quaestor.retrieval.place import Place
from quaestor.solvers.answering import asks_beyond_numbers
from quaestor.solvers.base import TurnContext

R = TypeVar("R")

_PAGES = 8
"""The number of documents cached with their derived data if there are no workers."""

_QUERIES_AT_ONCE = 2
"""Queries wait in threads of the shared pool for a single query process, so only a few may wait at once."""


@dataclass(frozen=True, slots=True)
class PlanningPrompt:
    """The prompt for writing a plan, as the workflow sends it to a model."""

    system: str
    page: str


def calculation_fault(formula: str | None, plan: object, question: str | None) -> str | None:
    """Return the error in the arguments of a calculation, or None: give a formula, or a plan with its question."""
    if (formula is None) == (plan is None):
        return "give either `formula` or `plan`"
    return "`plan` requires `question`" if plan is not None and question is None else None


class DocumentTools:
    """Runs the tools on documents, with the settings of a request."""

    def __init__(self, request: AskRequest, workers: AnswerWorkers | None = None) -> None:
        self._request, self._workers = request, workers
        self._pages = BoundedCache[str, WorkerPage](_PAGES)
        self._querying = asyncio.Semaphore(_QUERIES_AT_ONCE)

    async def find(
        self, page: DocumentInCorpus, question: str, earlier: Sequence[str] = (), most: int = 5
    ) -> tuple[Place, ...]:
        """Return the tables and passages likely to contain the answer, best first; empty if nothing matches."""
        check_question(question, "the question")
        return await self._do(page, partial(_find, [*earlier, question], most))

    async def query(self, page: DocumentInCorpus, sparql: str, limits: Limits | None = None) -> QueryAnswer:
        """Run a query over the graph of a whole document."""
        async with self._querying:
            return await self._do(page, partial(_query, sparql, limits))

    async def check_number(self, document: Document, number: str, most: int = 10) -> NumberCheck:
        """Find the places that support a number; see `number_check.check_number`."""
        return await compute(check_number, document, number, most)

    async def calculate(
        self,
        page: DocumentInCorpus,
        turns: Sequence[Turn],
        formula: str | None,
        values: Mapping[str, NamedValue],
        plan: Mapping[str, object] | None,
        question: str | None,
    ) -> Turn:
        """Compute a formula over named values, or a plan that answers a question; see `calculating`."""
        if fault := calculation_fault(formula, plan, question):
            raise InputError(fault)
        if formula is not None:
            from quaestor.application.calculating import calculate_formula

            return await compute(calculate_formula, page.document, formula, values, turns)
        assert plan is not None
        assert question is not None
        check_question(question, "the question")
        return await self._do(page, partial(_plan, plan, question, tuple(turns)))

    async def planning_prompt(
        self, page: DocumentInCorpus, question: str, turns: Sequence[Turn] = ()
    ) -> PlanningPrompt:
        """Return the prompt for writing the plan of a question."""
        check_question(question, "the question")
        return await self._do(page, partial(_planning_prompt, question, tuple(turns)))

    async def _do(self, page: DocumentInCorpus, work: Work[R]) -> R:
        if self._workers is not None:
            return await self._workers.do(page, self._request, work)
        return await work(self._pages.get(page.document.digest, lambda: WorkerPage(page, self._request)))


async def _find(questions: Sequence[str], most: int, here: WorkerPage) -> tuple[Place, ...]:
    return await compute(search_document, here.page.document, questions, most, here.request.cache)


async def _query(sparql: str, limits: Limits | None, here: WorkerPage) -> QueryAnswer:
    graph = await compute((await here.get_graphs()).graph, here.page.document)
    return await asyncio.to_thread(query_graph, graph, sparql, limits)


async def _plan(plan: Mapping[str, object], question: str, turns: tuple[Turn, ...], here: WorkerPage) -> Turn:
    from quaestor.application.calculating import calculate_plan, read_plan

    written = read_plan(plan)
    return await compute(calculate_plan, written, await _context(question, turns, here))


async def _planning_prompt(question: str, turns: tuple[Turn, ...], here: WorkerPage) -> PlanningPrompt:
    from quaestor.solvers.workflow.solver import rendered_prompt, rendered_system

    context = await _context(question, turns, here)
    beyond = asks_beyond_numbers(context.question)
    return PlanningPrompt(rendered_system(beyond), await compute(rendered_prompt, question, context, beyond))


async def _context(question: str, turns: tuple[Turn, ...], here: WorkerPage) -> TurnContext:
    """Return the context that a solver would get for a question."""
    graphs, parsed_question, memory = await here.get_graphs(), read_question(question), Memory(turns)
    excerpts = await compute(make_excerpts, here.page.document, here.request)
    shown = await compute(
        lambda: ContextSelector(here.page.document, graphs, excerpts, None).select(parsed_question, memory)
    )
    return TurnContext(
        shown.excerpt.document,
        memory,
        shown.graph,
        graphs.ontology,
        question=parsed_question,
        references=resolve(parsed_question, memory),
        search=shown.search,
    )
