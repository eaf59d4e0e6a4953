"""What can be done with a document besides asking: find places, query its graph, check a number, calculate with it.

Owns what of a document is held for that, the index of its places and its knowledge, so that it is made once. All calls
are made from one event loop; what computes does so off it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quaestor.application.file_cache import kept_knowledge
from quaestor.application.graph_query import QueryAnswer, query_graph
from quaestor.application.named_values import NamedValue
from quaestor.application.number_check import NumberCheck, check_number
from quaestor.application.place_service import places_by_index
from quaestor.application.resolve import CorpusPage
from quaestor.conversation.memory import Memory
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.evaluation.checked_questions import check_question
from quaestor.evaluation.excerpting import ShownParts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.places import PlaceExcerpts
from quaestor.graph.sparql import Limits
from quaestor.questions.question import read_question
from quaestor.readers.cache import ByteCache
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.keeping import kept_index
from quaestor.retrieval.place import Place
from quaestor.settings import Settings
from quaestor.solvers.answer_kinds import asks_beyond_numbers
from quaestor.solvers.base import TurnContext

_HELD = 8
"""Documents that are held."""

_QUERIES_AT_ONCE = 2
"""Large queries wait for one process, each in a thread that others want too."""


@dataclass(frozen=True, slots=True)
class PlanningPrompt:
    """What whoever is to write a plan is told, as the workflow tells a model.

    Attributes:
        system: The rules, and the form of a plan.
        page: The part of the document that the question is answered from, the conversation, the question.
    """

    system: str
    page: str


@dataclass(frozen=True, slots=True)
class _Held:
    """What is made of a document."""

    index: PlaceIndex
    knowledge: GraphProvider


class Workbench:
    """Works with documents of a place, by the settings in force."""

    def __init__(self, settings: Settings, cache: ByteCache | None = None) -> None:
        """Takes what documents are read with.

        Args:
            settings: Ontology, policy, and how large the part of a long document is that a question is answered from.
            cache: Where indexes and ontologies of files are kept, or None.
        """
        self._settings, self._cache = settings, cache
        self._held: OrderedDict[str, asyncio.Future[_Held]] = OrderedDict()
        self._querying = asyncio.Semaphore(_QUERIES_AT_ONCE)

    async def find(
        self, page: CorpusPage, question: str, earlier: Sequence[str] = (), most: int = 5
    ) -> tuple[Place, ...]:
        """Returns the tables and passages where an answer would stand, best first; none where nothing fits.

        Args:
            page: The document.
            question: What is asked, or words.
            earlier: Questions of a conversation that it goes on with.
            most: How many places at most.

        Raises:
            QuestionError: It cannot be asked.
        """
        check_question(question, "the question")
        held = await self._of(page)
        return await compute(places_by_index, held.index, [*earlier, question], most)

    async def query(self, page: CorpusPage, sparql: str, limits: Limits | None = None) -> QueryAnswer:
        """Returns what a query over the graph of a whole document gives.

        Args:
            page: The document.
            sparql: SELECT or ASK.
            limits: Of rows and seconds.

        Raises:
            QueryError: It is refused, malformed, too slow, or has too many rows.
            GapError: Under the policy `strict`, where the ontology has no property for a label.
        """
        held = await self._of(page)
        graph = await compute(held.knowledge.graph, page.document)
        async with self._querying:
            return await asyncio.to_thread(query_graph, graph, sparql, limits)

    async def check_number(self, document: Document, number: str, most: int = 10) -> NumberCheck:
        """Returns where a number stands, as `number_check.check_number`.

        Args:
            document: The document.
            number: As a table would print it.
            most: How many places at most.

        Raises:
            QuantityError: It is not one number.
        """
        return await compute(check_number, document, number, most)

    async def formula(
        self, document: Document, formula: str, values: Mapping[str, NamedValue], turns: Sequence[Turn] = ()
    ) -> Turn:
        """Returns what a formula comes to, as `calculating.calculate_formula`.

        Args:
            document: Where the values stand.
            formula: The arithmetic over their names.
            values: What each name stands for.
            turns: The conversation so far.

        Raises:
            InputError: A name is none, or what it stands for is not there, or is not one number.
            PlanError: It is no formula, or has no result.
        """
        from quaestor.application.calculating import calculate_formula

        return await compute(calculate_formula, document, formula, values, turns)

    async def plan(
        self, page: CorpusPage, plan: Mapping[str, object], question: str, turns: Sequence[Turn] = ()
    ) -> Turn:
        """Returns what a plan comes to that answers a question, as `calculating.calculate_plan`.

        Args:
            page: The document.
            plan: As the planning prompt asks for it, as JSON.
            question: What it answers.
            turns: The conversation so far.

        Raises:
            QuestionError: The question cannot be asked.
            InputError: It is no plan, or its words find nothing, or more than one number.
            PlanError: It has no result.
        """
        from quaestor.application.calculating import calculate_plan, read_plan

        written, context = read_plan(plan), await self._context(page, question, turns)
        return await compute(calculate_plan, written, context)

    async def planning_prompt(self, page: CorpusPage, question: str, turns: Sequence[Turn] = ()) -> PlanningPrompt:
        """Returns what whoever is to write the plan of a question is told.

        Args:
            page: The document.
            question: What is asked.
            turns: The conversation so far.

        Raises:
            QuestionError: The question cannot be asked.
            SettingsError: The extra that templates need is not installed.
        """
        from quaestor.solvers.workflow.briefing import rendered_prompt, rendered_system

        context = await self._context(page, question, turns)
        beyond = asks_beyond_numbers(context.question)
        return PlanningPrompt(rendered_system(beyond), await compute(rendered_prompt, question, context, beyond))

    async def _context(self, page: CorpusPage, question: str, turns: Sequence[Turn]) -> TurnContext:
        check_question(question, "the question")
        return await compute(self._shown, await self._of(page), page, question, tuple(turns))

    async def close(self) -> None:
        """Ends what is under way."""
        for made in self._held.values():
            made.cancel()
        await asyncio.gather(*self._held.values(), return_exceptions=True)
        self._held.clear()

    def _shown(self, held: _Held, page: CorpusPage, question: str, turns: tuple[Turn, ...]) -> TurnContext:
        document, asked, memory = page.document, read_question(question), Memory(turns)
        excerpts = None if document.is_page else PlaceExcerpts(held.index, self._settings.excerpt_tokens)
        shown = ShownParts(document, held.knowledge, excerpts, None).of(asked, memory)
        return TurnContext(
            shown.excerpt.document,
            memory,
            shown.graph,
            held.knowledge.ontology,
            question=asked,
            references=resolve(asked, memory),
            weights=shown.excerpt.weights,
            search=shown.search,
        )

    async def _of(self, page: CorpusPage) -> _Held:
        """Returns what is held of a document, made by whoever comes first."""
        key = page.document.digest
        made = self._held.get(key)
        if made is None:
            made = self._held[key] = asyncio.ensure_future(self._make(page))
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        try:
            return await asyncio.shield(made)
        except Exception:
            self._held.pop(key, None)
            raise

    async def _make(self, page: CorpusPage) -> _Held:
        document = page.document
        index = await compute(kept_index, document, None if document.is_page else self._cache)
        return _Held(index, await kept_knowledge(page.corpus, self._settings, self._cache))
