"""Run any solver on a page of the sample with a scripted model behind HTTP."""

import asyncio
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from model_server import ModelServer, Script
from toolboxes import CASH_FLOWS, sample_knowledge, sample_pages

from quaestor.conversation.turn import Memory, Turn
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.models import connect
from quaestor.llm.naming import PROFILES, ModelSpec, find_model
from quaestor.llm.session import ModelSession
from quaestor.llm.transcript import Exchange
from quaestor.solvers.base import Excerpts, Solver, TurnContext
from quaestor.testing.models import Protocol, ReceivedRequest


@dataclass(frozen=True)
class SolverRun:
    """The result of a run.

    Attributes:
        exchanges: Exchanges with the model in order.
    """

    turns: tuple[Turn, ...]
    exchanges: tuple[Exchange, ...]
    requests: tuple[ReceivedRequest, ...]

    @property
    def turn(self) -> Turn:
        (turn,) = self.turns
        return turn

    @property
    def phases(self) -> list[str]:
        return [exchange.phase for exchange in self.exchanges]

    @property
    def last_request_text(self) -> str:
        """The text of the last request to the model."""
        request = self.requests[-1]
        return "\n".join((*request.results, *request.prompts))


def context_of(page: str | Document = CASH_FLOWS, memory: Memory | None = None) -> TurnContext:
    document, knowledge = _document_and_graphs(page)
    return TurnContext(document, memory or Memory(), knowledge.graph(document), knowledge.ontology)


def spec_for(server: ModelServer, protocol: Protocol = "openai", native: bool = True) -> ModelSpec:
    spec = find_model(f"{protocol}:scripted@{server.url}" + ("/v1" if protocol == "openai" else ""))
    return spec if native else replace(spec, profile=PROFILES["plain"])


def run_with_script(
    solver: Solver,
    script: Script,
    questions: Sequence[str],
    page: str | Document = CASH_FLOWS,
    protocol: Protocol = "openai",
    native: bool = True,
    excerpts: Excerpts | None = None,
    roles: Sequence[str] = (),
    **spec: Any,
) -> SolverRun:
    """Ask questions about a page, or about excerpts of a long document, without pauses between attempts.

    Args:
        roles: Roles that have their own model, which replies by the same script.
    """
    document, knowledge = _document_and_graphs(page)
    conversation = Conversation("made up", document, tuple(questions))
    exchanges: list[Exchange] = []
    requests: list[ReceivedRequest] = []

    async def run() -> tuple[Turn, ...]:
        with ModelServer(script) as server:
            model = replace(spec_for(server, protocol, native), **spec)
            async with connect(model, sinks=[exchanges], sleep=at_once) as connection:
                session = ModelSession(connection, roles={role: copy(connection) for role in roles})
                turns = await answer_conversation(conversation, solver, knowledge, session, excerpts)
            requests.extend(server.requests)
            return turns

    turns = asyncio.run(run())
    return SolverRun(turns, tuple(exchanges), tuple(requests))


async def at_once(_seconds: float) -> None:
    pass


def _document_and_graphs(page: str | Document) -> tuple[Document, GraphProvider]:
    if isinstance(page, Document):
        return page, GraphProvider.of([page])
    return sample_pages()[page], sample_knowledge()
