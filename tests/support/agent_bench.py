"""The agent on a page of the sample, its model a script behind HTTP."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from model_replies import Asked, Call, Protocol, Reply, structured
from model_server import ModelServer, Script
from toolboxes import CASH_FLOWS, sample_knowledge, sample_pages

from quaestor.conversation.turn import Turn
from quaestor.documents.convfinqa import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import Knowledge
from quaestor.evaluation.line import ModelLine
from quaestor.evaluation.runner import play_conversation
from quaestor.llm.models import connect
from quaestor.llm.naming import ModelSpec, find_model
from quaestor.llm.profiles import PROFILES
from quaestor.llm.transcript import Exchange
from quaestor.solvers.agent.answering import Bounds
from quaestor.solvers.agent.solver import AgentSolver

QUESTION = "what was the net cash from operating activities in 2008?"
CASH = "net_cash_from_operating_activities"
UNDERSTOOD = {"description": "net cash from operating activities in 2008", "entityType": "CashFlow", "property": CASH}

Step = Reply | Callable[[Asked], Reply]


def query(year: int, property: str = CASH, entity: str = "CashFlow") -> Call:
    return Call("query_kg", {"entityType": entity, "filters": {"year": str(year)}, "property": property})


def final(answer: object, **more: Any) -> Call:
    return Call("final_answer", {"answer": answer, **more})


def reply(*calls: Call) -> Reply:
    return Reply(calls=calls)


LOOKED_UP = (reply(query(2008)), reply(final(181001, steps=[1])))
"""What a model replies that makes no fault."""


def is_understanding(asked: Asked) -> bool:
    return "Before anything is looked up" in asked.prompts[0]


def scripted(steps: Sequence[Step], understanding: Sequence[Step] = ()) -> Script:
    """Replies to the phases in order; without a script of its own the first phase is understood at once."""
    first: Iterator[Step] = iter(understanding)
    second: Iterator[Step] = iter(steps)

    def answer(asked: Asked) -> Reply:
        if is_understanding(asked):
            step = next(first, lambda asked: structured(asked, UNDERSTOOD))
        else:
            step = next(second, Reply("no reply left", status=400))
        return step if isinstance(step, Reply) else step(asked)

    return answer


@dataclass(frozen=True)
class Played:
    """What came of it.

    Attributes:
        turns: As played.
        exchanges: With the model, in order.
        asked: What the server was asked.
    """

    turns: tuple[Turn, ...]
    exchanges: tuple[Exchange, ...]
    asked: tuple[Asked, ...]

    @property
    def turn(self) -> Turn:
        (turn,) = self.turns
        return turn

    @property
    def phases(self) -> list[str]:
        return [exchange.phase for exchange in self.exchanges]

    @property
    def last_told(self) -> str:
        """What the model was told last."""
        said = self.asked[-1]
        return "\n".join((*said.results, *said.prompts))


def spec_for(server: ModelServer, protocol: Protocol = "openai", native: bool = True) -> ModelSpec:
    spec = find_model(f"{protocol}:scripted@{server.url}" + ("/v1" if protocol == "openai" else ""))
    return spec if native else replace(spec, profile=PROFILES["plain"])


def play(
    script: Script,
    *questions: str,
    page: str | Document = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    bounds: Bounds | None = None,
    **spec: Any,
) -> Played:
    """Plays questions on a page; nothing is slept between attempts."""
    document = page if isinstance(page, Document) else sample_pages()[page]
    knowledge = sample_knowledge() if isinstance(page, str) else Knowledge.of([document])
    conversation = Conversation("made up", document, questions or (QUESTION,))
    exchanges: list[Exchange] = []

    async def run() -> tuple[Turn, ...]:
        with ModelServer(script) as server:
            model = replace(spec_for(server, protocol, native), **spec)
            async with connect(model, sinks=[exchanges], sleep=at_once) as connection:
                line = ModelLine(connection, [])
                turns = await play_conversation(conversation, AgentSolver(bounds), knowledge, line)
            asked.extend(server.asked)
            return turns

    asked: list[Asked] = []
    turns = asyncio.run(run())
    return Played(turns, tuple(exchanges), tuple(asked))


async def at_once(_seconds: float) -> None:
    pass
