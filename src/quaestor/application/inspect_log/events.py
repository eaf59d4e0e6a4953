"""The events of a turn for an Inspect log: a span, each exchange with a model, and the result."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.application.inspect_log.samples import turn_facts
from quaestor.llm.messages import Message, read_request, read_response
from quaestor.llm.usage import Usage
from quaestor.store.records import PromptRecord, TurnRecord

if TYPE_CHECKING:
    from inspect_ai.event import Event, ModelEvent
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelUsage

_CALL = "call "


def turn_events(
    index: int, turn: TurnRecord | None, prompts: Sequence[PromptRecord], model: Callable[[str], str], begun: datetime
) -> "Iterator[Event]":
    """Yield the events of a turn."""
    from inspect_ai.event import InfoEvent, SpanBeginEvent, SpanEndEvent

    exchanges = sorted(prompts, key=lambda prompt: prompt.number)
    first = turn.started if turn else exchanges[0].started
    last = (turn.finished or turn.started) if turn else exchanges[-1].finished
    span, name = f"turn-{index + 1}", f"turn {index + 1}"

    def since(moment: datetime) -> float:
        return max(0.0, (moment - begun).total_seconds())

    yield SpanBeginEvent(id=span, name=name, span_id=span, timestamp=first, working_start=since(first))
    for prompt in exchanges:
        yield model_event(prompt, model, span, since(prompt.started))
    if turn is not None:
        facts = turn_facts(turn)
        yield InfoEvent(source="quaestor", data=facts, span_id=span, timestamp=last, working_start=since(last))
    yield SpanEndEvent(id=span, span_id=span, timestamp=last, working_start=since(last))


def model_event(prompt: PromptRecord, model: Callable[[str], str], span: str, working_start: float) -> "ModelEvent":
    """Return an exchange with a model as an event of Inspect, with the bodies verbatim."""
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelCall, ModelOutput

    response = () if prompt.response is None else read_response(prompt.response)
    failed = prompt.error or next((message.text for message in response if message.who == "error"), None)
    reply = _assistant(response)
    calls = bool(reply.tool_calls)
    choice = ChatCompletionChoice(message=reply, stop_reason="tool_calls" if calls else "stop")
    seconds = (prompt.finished - prompt.started).total_seconds()
    usage = model_usage(Usage.of_counts(prompt.usage))
    return ModelEvent(
        model=model(prompt.model),
        input=_messages(read_request(prompt.prompt)),
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput(model=model(prompt.model), choices=[] if failed else [choice], usage=usage, time=seconds),
        error=failed,
        call=ModelCall(request=_body(prompt.prompt), response=_body(prompt.response or ""), time=seconds),
        completed=prompt.finished,
        working_time=seconds,
        span_id=span,
        metadata={"phase": prompt.phase},
        timestamp=prompt.started,
        working_start=working_start,
    )


def model_usage(usage: Usage) -> "ModelUsage":
    """Return usage as Inspect counts it: tokens read from a cache are not input tokens."""
    from inspect_ai.model import ModelUsage

    return ModelUsage(
        input_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        total_cost=None if usage.cost is None else float(usage.cost),
    )


def _messages(messages: Sequence[Message]) -> "list[ChatMessage]":
    """Return the messages of a request; consecutive texts and calls of the model become one message."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser

    found: list[ChatMessage] = []
    own: list[Message] = []
    for message in (*messages, Message("", "")):
        if message.who == "assistant" or message.who.startswith(_CALL):
            own.append(message)
            continue
        if own:
            found.append(_assistant(own))
            own = []
        if message.who == "system":
            found.append(ChatMessageSystem(content=message.text))
        elif message.who == "result":
            found.append(ChatMessageTool(content=message.text))
        elif message.who in ("user", "body"):
            found.append(ChatMessageUser(content=message.text))
    return found


def _assistant(pieces: Sequence[Message]) -> "ChatMessageAssistant":
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.tool import ToolCall

    calls = [piece for piece in pieces if piece.who.startswith(_CALL)]
    return ChatMessageAssistant(
        content="\n".join(piece.text for piece in pieces if piece.who in ("assistant", "body")),
        tool_calls=[
            ToolCall(id=f"call-{number}", function=call.who.removeprefix(_CALL), arguments=_body(call.text))
            for number, call in enumerate(calls, start=1)
        ]
        or None,
    )


def _body(text: str) -> dict[str, JsonValue]:
    """Parse a body as a JSON object; if it is anything else, wrap it as text."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": text}
