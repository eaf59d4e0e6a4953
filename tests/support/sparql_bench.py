"""The two-phase solver on a page, its model a script behind HTTP."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_bench import Played, Step, at_once, spec_for
from model_replies import Asked, Reply, structured
from model_server import ModelServer, Script
from toolboxes import CASH_FLOWS, sample_knowledge, sample_pages

from quaestor.conversation.memory import Memory
from quaestor.conversation.turn import Turn
from quaestor.documents.convfinqa import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import Knowledge
from quaestor.evaluation.line import ModelLine
from quaestor.evaluation.runner import play_conversation
from quaestor.llm.models import connect
from quaestor.llm.transcript import Exchange
from quaestor.solvers.base import TurnContext
from quaestor.solvers.sparql.retrieval import Retrieval
from quaestor.solvers.sparql.solver import Bounds, SparqlSolver

QUESTION = "what was the net cash from operating activities in 2008?"
CASH_2008 = "SELECT ?value WHERE { kg:CashFlow_2008 kg:net_cash_from_operating_activities ?value }"
CASH_2009 = CASH_2008.replace("2008", "2009")


def context_of(page: str | Document = CASH_FLOWS, memory: Memory | None = None) -> TurnContext:
    document = page if isinstance(page, Document) else sample_pages()[page]
    knowledge = sample_knowledge() if isinstance(page, str) else Knowledge.of([document])
    return TurnContext(document, memory or Memory(), knowledge.graph(document), knowledge.ontology)


def retrieval(page: str | Document = CASH_FLOWS, question: str = QUESTION, memory: Memory | None = None) -> Retrieval:
    return Retrieval(question, context_of(page, memory))


def values(**named: str | float | Mapping[str, Any]) -> dict[str, Any]:
    """What the model replies in the first phase."""
    return {"values": named, "reasoning": "these are needed"}


def formula(text: str | None) -> dict[str, Any]:
    """What the model replies in the second phase."""
    return {"formula": text, "reasoning": "by the rule"}


def is_calculation(asked: Asked) -> bool:
    return "The values that you named" in asked.prompts[0]


def scripted(first: Sequence[Step | dict[str, Any]], second: Sequence[Step | dict[str, Any]]) -> Script:
    """Replies to the phases in order."""
    planned: Iterator[Step | dict[str, Any]] = iter(first)
    calculated: Iterator[Step | dict[str, Any]] = iter(second)

    def answer(asked: Asked) -> Reply:
        step = next(calculated if is_calculation(asked) else planned, Reply("no reply left", status=400))
        if isinstance(step, dict):
            return structured(asked, step)
        return step if isinstance(step, Reply) else step(asked)

    return answer


def play(
    script: Script,
    *questions: str,
    page: str | Document = CASH_FLOWS,
    native: bool = True,
    bounds: Bounds | None = None,
) -> Played:
    """Plays questions on a page; nothing is slept between attempts."""
    context = context_of(page)
    conversation = Conversation("made up", context.document, questions or (QUESTION,))
    knowledge = Knowledge(context.ontology, "strict")
    exchanges: list[Exchange] = []
    asked: list[Asked] = []

    async def run() -> tuple[Turn, ...]:
        with ModelServer(script) as server:
            async with connect(spec_for(server, native=native), sinks=[exchanges], sleep=at_once) as connection:
                solver = SparqlSolver(bounds)
                turns = await play_conversation(conversation, solver, knowledge, ModelLine(connection, []))
            asked.extend(server.asked)
            return turns

    turns = asyncio.run(run())
    return Played(turns, tuple(exchanges), tuple(asked))
