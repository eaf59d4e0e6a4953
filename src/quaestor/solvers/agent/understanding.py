"""The first phase: what is asked, before anything is looked up.

Owns the bound on attempts. A model that does not say how it understands may still answer: that is no error here.
"""

import json

from pydantic_ai.direct import model_request

from quaestor.core import serial
from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.transcript import phase
from quaestor.prompts import render
from quaestor.solvers.agent import briefing
from quaestor.solvers.agent.messages import UNDERSTAND, Understanding, read_json
from quaestor.solvers.agent.protocol import answered, kept, opening, read_reply, understanding_request
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.schema import plain_schema

PHASE = "UNDERSTAND"


async def understand(
    connection: Connection, question: str, context: TurnContext, system: str, repairs: int
) -> Understanding | None:
    """Returns how the model understands a question; None where it does not say within the bound.

    Raises:
        ModelReplyError: The server does not take the request.
        OutageError: The model cannot be asked.
    """
    native = connection.spec.profile.tools
    told = {"native": native, "tool": UNDERSTAND}
    prompt = render(
        "agent/understand",
        question=question,
        history=briefing.history(context),
        page=briefing.outline(context),
        schema=json.dumps(plain_schema(Understanding)),
        **told,
    )
    messages = opening(system, prompt)
    for attempt in range(1, repairs + 2):
        with phase(PHASE):
            response = await model_request(
                connection.model, messages, model_request_parameters=understanding_request(native)
            )
        reading = read_reply(response)
        said = next((call.arguments for call in reading.calls if call.tool == UNDERSTAND), reading.text)
        try:
            return read_json(Understanding, said)
        except ModelReplyError as fault:
            context.trace.append(f"not understood, attempt {attempt}: {fault}")
            if reading.calls or reading.text:
                messages.append(kept(response))
            repair = render(
                "agent/repair", fault=f"This cannot be used: {fault}.", last=False, phase="understand", **told
            )
            messages.append(answered([(call, "not used") for call in reading.calls], repair))
    return None


def written(understanding: Understanding) -> str:
    """Returns an understanding as JSON, as it is kept and as the second phase is told it."""
    said = {
        name: value for name, value in serial.dump(understanding, compact=True).items() if value not in ("", [], {})
    }
    return json.dumps(said, ensure_ascii=False)
