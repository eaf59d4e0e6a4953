"""The first phase: what is asked, before anything is looked up.

A model that does not say how it understands may still answer: that is no error here.
"""

import json

from quaestor.core import serial
from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.agent.messages import UNDERSTAND, Understanding
from quaestor.solvers.asking.ask import ask
from quaestor.solvers.asking.replies import opening
from quaestor.solvers.base import TurnContext

PHASE = "UNDERSTAND"


async def understand(
    connection: Connection, question: str, context: TurnContext, system: str, repairs: int
) -> Understanding | None:
    """Returns how the model understands a question; None where it does not say within the bound.

    Raises:
        OutageError: The model cannot be asked.
    """
    prompt = render("agent/understand", page=briefing.outline(context), **briefing.asked(question, context))
    try:
        return await ask(
            connection,
            Understanding,
            opening(system, prompt),
            name=UNDERSTAND,
            description="Say how you understand the question.",
            phase=PHASE,
            attempts=repairs + 1,
            trace=context.trace,
        )
    except ModelReplyError as error:
        context.trace.append(f"not understood: {error}")
        return None


def written(understanding: Understanding) -> str:
    """Returns an understanding as JSON, as it is kept and as the second phase is told it."""
    said = {
        name: value for name, value in serial.dump(understanding, compact=True).items() if value not in ("", [], {})
    }
    return json.dumps(said, ensure_ascii=False)
