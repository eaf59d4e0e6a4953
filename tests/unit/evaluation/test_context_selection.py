"""Excerpts of a long document that each turn is shown, the sources of answers, and the stored graph."""

import asyncio
from pathlib import Path

from long_filing import a_long_filing
from scripted import ScriptedSolver, a_document, answered
from word_excerpts import WordExcerpts

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.writing import RunWriter
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.solvers.base import Excerpt, TurnContext
from quaestor.store.base import open_store
from quaestor.store.records import RunRecord, now

SALES, TAXES, DEBT = (
    "what were total net sales?",
    "what were deferred foreign and federal taxes?",
    "debt due thereafter?",
)


class FirstCell:
    """Answers with the first number of the last table shown; widens the excerpt if the question starts with "find"."""

    name = "first cell"

    def __init__(self) -> None:
        self.shown: list[tuple[int, ...]] = []
        self.graphs: list[KnowledgeGraph] = []

    async def solve(self, question: str, context: TurnContext) -> Answer:
        if question.startswith("find "):
            context.widen(question)
        self.shown.append(tuple(table.index for table in context.document.tables))
        self.graphs.append(context.graph)
        cell = next(cell for cell in context.document.tables[-1].body() if cell.quantities)
        plan = Plan((Extract(1, cell.ref, "first", cell.quantities[0]),))
        return answered(plan, context)


def run_conversation(*questions: str, solver: FirstCell) -> ConversationRunner:
    filing = a_long_filing()
    conversation = Conversation("c", filing, questions)
    play = ConversationRunner(conversation, solver, GraphProvider.of([filing], "extend"), excerpts=WordExcerpts(filing))
    asyncio.run(play.run_all_turns())
    return play


def test_turn_sees_its_own_excerpt_and_those_of_earlier_answers() -> None:
    solver = FirstCell()
    run_conversation(SALES, TAXES, DEBT, solver=solver)
    assert solver.shown == [(0,), (0, 4), (0, 4, 5)]
    assert [[table.index for table in graph.tables] for graph in solver.graphs] == [[0], [0, 4], [0, 4, 5]]


def test_sources_and_values_refer_to_the_whole_document() -> None:
    filing = a_long_filing()
    play = run_conversation(SALES, TAXES, solver=FirstCell())
    turns = asyncio.run(play.result()).turns
    assert [turn.answer.sources for turn in turns] == [(CellRef(filing.id, 0, 2, 1),), (CellRef(filing.id, 4, 1, 1),)]
    assert all(turn.verified for turn in turns)
    printed = [filing.cell(s).text for turn in turns for s in turn.answer.sources if isinstance(s, CellRef)]
    assert printed == ["$ 640", "$ 15"]


def test_graph_of_the_result_covers_all_tables_shown() -> None:
    filing = a_long_filing()
    result = asyncio.run(run_conversation(SALES, DEBT, solver=FirstCell()).result())
    graph = graph_from_triples(result.graph, "kept")
    assert [table.index for table in graph.tables] == [0, 5]
    orders = [b.order for b in filing.blocks if b.content in (filing.tables[0], filing.tables[5])]
    assert result.graph_of == filing.excerpt(orders).digest


def test_solver_can_widen_the_excerpt() -> None:
    solver = FirstCell()
    result = asyncio.run(run_conversation(SALES, "find deferred foreign federal state", solver=solver).result())
    assert solver.shown == [(0,), (0, 4)]
    assert [table.index for table in graph_from_triples(result.graph, "kept").tables] == [0, 4]


def test_short_page_is_shown_whole_without_search() -> None:
    seen: list[TurnContext] = []

    class WideningSolver(ScriptedSolver):
        async def solve(self, question: str, context: TurnContext) -> Answer:
            seen.append(context)
            assert list(context.widen("anything")) == []
            return await super().solve(question, context)

    page = a_document("NORD/2012/page_41.pdf")
    asyncio.run(ConversationRunner(Conversation("c", page, ("cell 0 1",)), WideningSolver()).run_all_turns())
    assert seen[0].document is page
    assert seen[0].search is None


def test_failed_first_selection_leaves_no_graph() -> None:
    filing = a_long_filing()
    play = ConversationRunner(
        Conversation("c", filing, (SALES,)), FirstCell(), GraphProvider.of([filing]), excerpts=_FailingExcerpts()
    )
    try:
        asyncio.run(play.run_all_turns())
    except KeyError as failure:
        result = asyncio.run(play.result(failure))
    assert (result.status, result.graph, result.graph_of) == ("failed", (), None)


class _FailingExcerpts(WordExcerpts):
    is_long = True

    def __init__(self) -> None:
        super().__init__(a_long_filing())

    def select(self, question: Question, memory: Memory) -> Excerpt:
        raise KeyError("a defect")


def test_stored_graph_covers_all_tables_shown(tmp_path: Path) -> None:
    filing = a_long_filing()
    conversation = Conversation("c", filing, (SALES, TAXES, f"find {DEBT}"))

    async def stored_tables() -> list[int]:
        async with open_store(str(tmp_path / "runs.db")) as store:
            dataset = Dataset.of("filing", "asked", [conversation])
            spec = RunSpec.of(dataset, "scripted")
            await store.create_run(RunRecord("r", {}, spec.digest, "filing", dataset.digest, 1, started=now()))
            writer = RunWriter(store, "r")
            watcher = await writer.begin(conversation)
            knowledge = GraphProvider.of([filing], "extend")
            play = ConversationRunner(
                conversation, FirstCell(), knowledge, None, watcher, excerpts=WordExcerpts(filing)
            )
            await play.run_all_turns()
            await writer.on_finish(conversation, await play.result())
            graph = graph_from_triples(await store.load_graph("r", "c"), "kept")
            return [table.index for table in graph.tables]

    assert asyncio.run(stored_tables()) == [0, 4, 5]
