"""The workflow on a page of the sample, its model a script behind HTTP; and steps as a model writes them."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agent_bench import Played, at_once, spec_for
from model_replies import Asked, Protocol, Reply, structured
from model_server import ModelServer, Script
from toolboxes import CASH_FLOWS, sample_knowledge, sample_pages

from quaestor.conversation.memory import Memory
from quaestor.conversation.turn import Turn
from quaestor.documents.convfinqa import Conversation
from quaestor.evaluation.line import ModelLine
from quaestor.evaluation.runner import play_conversation
from quaestor.llm.models import connect
from quaestor.llm.transcript import Exchange
from quaestor.solvers.base import TurnContext
from quaestor.solvers.workflow.planning import Bounds
from quaestor.solvers.workflow.solver import WorkflowSolver

Json = dict[str, Any]

QUESTION = "what was the net cash from operating activities in 2008?"
OPERATING = "net cash from operating activities"


def table(step: int, row: str, column: str, reading: str = "signed") -> Json:
    params = {"row_query": row, "col_query": column}
    return {"step_id": step, "tool": "extract_value", "source": "table", "params": params, "reading": reading}


def text(step: int, sought: str, context: str, unit: str = "any", period: str = "any") -> Json:
    params = {"sought": sought, "value_context": context, "unit": unit, "period": period}
    return {"step_id": step, "tool": "extract_value", "source": "text", "params": params, "reading": "signed"}


def compute(step: int, operation: str, *operands: int | list[float]) -> Json:
    """Operands are references, or literals in a list of one."""
    return {
        "step_id": step,
        "tool": "compute",
        "operation": operation,
        "operands": [
            {"type": "literal", "value": operand[0]}
            if isinstance(operand, list)
            else {"type": "reference", "step_ref": operand}
            for operand in operands
        ],
    }


def plan(*steps: Json) -> Json:
    return {"thought_process": "as asked", "steps": list(steps)}


def change(later: str = "2009", earlier: str = "2008") -> Json:
    return plan(table(1, OPERATING, later), table(2, OPERATING, earlier), compute(3, "percentage_change", 1, 2))


def saying(said: Sequence[Json | Reply]) -> Script:
    """A server that gives plans (or any replies) in order."""
    left = iter(said)

    def answer(asked: Asked) -> Reply:
        following = next(left, Reply("no reply left", status=400))
        return following if isinstance(following, Reply) else structured(asked, following)

    return answer


def play(
    script: Script,
    *questions: str,
    page: str = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    bounds: Bounds | None = None,
    **spec: Any,
) -> Played:
    """Plays questions on a page of the sample."""
    conversation = Conversation("made up", sample_pages()[page], questions or (QUESTION,))
    exchanges: list[Exchange] = []
    asked: list[Asked] = []

    async def run() -> tuple[Turn, ...]:
        with ModelServer(script) as server:
            model = replace(spec_for(server, protocol, native), **spec)
            async with connect(model, sinks=[exchanges], sleep=at_once) as connection:
                line = ModelLine(connection, exchanges)
                turns = await play_conversation(conversation, WorkflowSolver(bounds), sample_knowledge(), line)
            asked.extend(server.asked)
            return turns

    turns = asyncio.run(run())
    return Played(turns, tuple(exchanges), tuple(asked))


def context_of(page: str = CASH_FLOWS, memory: Memory | None = None) -> TurnContext:
    knowledge, document = sample_knowledge(), sample_pages()[page]
    return TurnContext(document, memory or Memory(), knowledge.graph(document), knowledge.ontology)
