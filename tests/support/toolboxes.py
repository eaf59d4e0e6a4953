"""Toolboxes on the pages of the sample, and a solver that makes the tool calls written in its question."""

import asyncio
import re
from functools import lru_cache

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.sample import sample_path
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.toolbox import Toolbox

OPTIONS = "QUIL/2007/page_88.pdf"
CASH_FLOWS = "HALC/2009/page_52.pdf"

_CALL = re.compile(r"TOOL: (\w+)\((.*?)\)(?=\s*(?:TOOL:|->|$))", re.DOTALL)


@lru_cache(maxsize=1)
def sample_pages() -> dict[str, Document]:
    return {c.document.id: c.document for c in read_dataset(sample_path()).conversations}


@lru_cache(maxsize=1)
def sample_knowledge() -> GraphProvider:
    return GraphProvider.of(sample_pages().values())


def toolbox(page: str = OPTIONS, memory: Memory | None = None) -> Toolbox:
    knowledge = sample_knowledge()
    return Toolbox(knowledge.graph(sample_pages()[page]), knowledge.ontology, memory or Memory())


def after(page: str, *questions: str) -> Toolbox:
    """Return a toolbox after some turns of the tool user."""
    conversation = Conversation("made up", sample_pages()[page], questions)
    turns = asyncio.run(answer_conversation(conversation, ToolUser(), sample_knowledge()))
    assert all(turn.verified for turn in turns), turns
    return toolbox(page, Memory(turns))


class ToolUser:
    """Make the calls `TOOL: name({...})` of a question in order; answer with the text after `->`, or the last step."""

    name = "tool user"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        box = Toolbox(context.graph, context.ontology, context.memory, context.note_call)
        for name, arguments in _CALL.findall(question):
            box.call(name, arguments)
        answer = question.partition("->")[2].strip()
        plan = box.draft.plan_of(a_value(answer))[0] if answer else box.draft.plan()
        return answer_from_plan(plan, context)
