"""A model's replies to each prompt of a dataset, right or wrong, so that equal requests get equal replies.

    replies = recorded_replies(conversations, golds)
    with ModelServer(answering(replies)) as server: ...

Most plans are those of a perfect model. In some turns the operands are swapped, and in some the reply is unusable.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from zlib import crc32

from model_replies import broken, garbled, say, too_many
from model_server import ModelServer, Script
from oracle import oracle_of

from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import ReceivedRequest, Reply

Replies = Mapping[str, Reply]
Golds = Mapping[str, Sequence[GoldTurn]]

USELESS = say("I would rather not say.")


def _key(request: ReceivedRequest) -> str:
    return json.dumps(request.prompts)


class _Recording:
    """The workflow solver, with the replies of its model recorded by request."""

    name = "recording"

    def __init__(self, solver: Solver, server: ModelServer, golds: Golds, kept: dict[str, Reply]) -> None:
        self._solver, self._server, self._golds, self._kept = solver, server, golds, kept
        self.conversation = ""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        golds = self._golds[self.conversation][: len(context.memory.turns) + 1]
        perfect = oracle_of("workflow")(context, golds)
        draw = crc32(f"{self.conversation} {question}".encode()) % 8

        def script(request: ReceivedRequest) -> Reply:
            try:
                reply = USELESS if draw == 0 else perfect(request)
            except Exception:  # noqa: BLE001 - the reference needs an earlier answer that is missing
                reply = USELESS
            return self._kept.setdefault(_key(request), _swapped(reply) if draw == 1 else reply)

        self._server.script = script
        return await self._solver.solve(question, context)


def _swapped(reply: Reply) -> Reply:
    """Return a plan with the operands of its calculations reversed."""
    calls = []
    for call in reply.calls:
        arguments = json.loads(call.text)
        for step in arguments.get("steps", ()):
            if step["tool"] == "compute":
                step["operands"] = step["operands"][::-1]
        calls.append(type(call)(call.tool, arguments))
    return Reply(reply.text, tuple(calls))


def recorded_replies(conversations: Sequence[Conversation], golds: Golds, read: Sequence[Conversation] = ()) -> Replies:
    """Return the model's replies by request; the ontology is built from `read`, by default `conversations`."""
    replies: dict[str, Reply] = {}

    async def record() -> None:
        graphs = GraphProvider.of({one.document.id: one.document for one in read or conversations}.values())
        with ModelServer(lambda request: USELESS) as server:
            async with open_session(ModelConfig(find_model(f"openai:scripted@{server.url}/v1"))) as session:
                solver = _Recording(make_solver("workflow"), server, golds, replies)
                for conversation in conversations:
                    solver.conversation = conversation.id
                    await answer_conversation(conversation, solver, graphs, session)

    asyncio.run(record())
    return replies


def answering(replies: Replies) -> Script:
    """Return a script that gives the recorded replies; an unknown request is answered with 501."""
    return lambda request: replies.get(_key(request), Reply("nobody asked that before", status=501))


def faulty(script: Script) -> Script:
    """Return a script with the same replies, of which a third come only after a fault."""
    faults: Iterator[Reply] = cycle([broken(503), too_many("0"), garbled(), say("cut in its middle", cut=20)])
    seen: set[str] = set()

    def answer(request: ReceivedRequest) -> Reply:
        key = _key(request)
        if crc32(key.encode()) % 3 == 0 and key not in seen:
            seen.add(key)
            return next(faults)
        return script(request)

    return answer
