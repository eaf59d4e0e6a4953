"""What is asked, as a model says it: in a request of its own before anything is looked up, or with its first calls.

A model that does not say how it understands may still answer: that is not an error here.
"""

import json
from collections.abc import Sequence

from quaestor.conversation.events import JsonObject, NotUnderstood, Understood, as_object
from quaestor.core.computing import compute_little
from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import initial_messages, read_json
from quaestor.llm.structured.request import request_structured
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.agent.messages import UNDERSTAND, Understanding
from quaestor.solvers.base import TurnContext

PHASE = "UNDERSTAND"


async def understand(
    connection: Connection, question: str, context: TurnContext, system: str, repairs: int
) -> Understanding | None:
    """Return how the model understands a question; None if it does not say within the bound.

    Args:
        context: The turn; what is understood, or why nothing is, goes to its trace.
        repairs: How many more replies are asked for when one cannot be used.

    Raises:
        OutageError: The model cannot be asked.
    """
    prompt = await compute_little(lambda: render("agent/understand", **page_variables(question, context)))
    try:
        reply = await request_structured(
            connection,
            Understanding,
            initial_messages(system, prompt),
            name=UNDERSTAND,
            description="Say how you understand the question.",
            phase=PHASE,
            attempts=repairs + 1,
            on_rejected=context.note_rejected,
        )
    except ModelReplyError as error:
        context.trace.append(NotUnderstood(str(error)))
        return None
    context.trace.append(Understood(reading(reply.value)))
    return reply.value


def page_variables(question: str, context: TurnContext) -> dict[str, object]:
    """Return what prompts are told: the page, the conversation, the text that the question is near to."""
    sentences = [sentence.text for sentence in briefing.near_sentences(question, context)]
    page = briefing.outline(context)
    return {
        "page": page,
        "whole": page["whole"],
        "sentences": sentences,
        **briefing.prompt_variables(question, context),
    }


def state(context: TurnContext, said: object, lookups: Sequence[JsonObject]) -> Understanding:
    """Return the understanding that a model states along with its first calls, and puts it on record.

    Args:
        lookups: The queries that it makes along with it: they say type, property and filters.

    Raises:
        ModelReplyError: It is none.
    """
    found = read_json(Understanding, said)
    read = reading(found)
    context.trace.append(Understood({**read, "lookups": list(lookups)} if lookups else read))
    return found


def reading(understanding: Understanding) -> JsonObject:
    """Return what an understanding says, without what it leaves empty."""
    return {name: value for name, value in as_object(understanding).items() if value not in ("", [], {})}


def written(understanding: Understanding) -> str:
    """Return an understanding as the second phase is told it, as JSON text."""
    return json.dumps(reading(understanding), ensure_ascii=False)
