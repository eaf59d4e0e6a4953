"""One typed object from a model, asked for until it can be used.

What is in the object is for `check` to judge.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart

from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.structured.modes import OutputMode, choose_output_mode
from quaestor.llm.structured.replies import ParsedReply, answered, kept, read_json, read_reply
from quaestor.llm.transcript import phase as named
from quaestor.prompts import render

T = TypeVar("T")

_MOST_FAULTS = 12


@dataclass(frozen=True, slots=True)
class Rejection:
    """A reply that could not be used.

    Attributes:
        phase: What the first request is on record as.
        wanted: The name of the object that was to be returned.
        number: Which reply, from 1.
        faults: What was wrong with it, in sentences that the model was told.
    """

    phase: str
    wanted: str
    number: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StructuredReply(Generic[T]):
    """An object from a model.

    Attributes:
        attempts: How many replies it took: 1 where the first could be used.
        messages: What was said, and the reply; not the replies between, which could not be used. `going_on` asks more.
    """

    value: T
    attempts: int
    messages: tuple[ModelMessage, ...] = ()


async def request_structured(
    connection: Connection,
    kind: type[T],
    messages: Sequence[ModelMessage],
    *,
    name: str,
    description: str,
    phase: str,
    attempts: int,
    on_rejected: Callable[[Rejection], None],
    check: Callable[[T], Sequence[str]] | None = None,
    doubt: Callable[[T], Sequence[str]] | None = None,
    salvage: Callable[[str], T | None] | None = None,
    told: type | None = None,
) -> StructuredReply[T]:
    """Return an object of a type, as a model says it, and how many replies it took.

    How to reply is added to the last message, so that prompts need not know whether the model replies with a tool
    call, with JSON that its server holds to a schema, or with JSON in text.

    Args:
        kind: A frozen dataclass that `core.serial` reads. Types without free keys (`dict`) can be held to the letter.
        messages: What was said so far, the user's side last (see `initial_messages`). They are not changed.
        name: Of the output tool and the schema, such as `describe_understanding`.
        description: What the object says, in a sentence.
        phase: What the first request is on record as; the next ones are `PHASE_repair_1`, `PHASE_repair_2`, ...
        attempts: Replies in all, at least 1.
        on_rejected: Is told of each reply that cannot be used.
        check: Returns what is wrong with an object, in sentences that the model can act on.
        doubt: Returns what a model is told once of an object that can be used, unless the object is in its last reply.
        salvage: Reads a reply that is not JSON of the type, or was cut off; None if that cannot be done without
            guessing.
        told: The type whose schema the model is told, where that is a part of what can be read: every word of a schema
            is paid for. None if it is told all.

    Raises:
        ModelReplyError: No reply could be used, or the server does not take the request.
        OutageError: The model cannot be asked.
    """
    mode = choose_output_mode(connection, told or kind, name, description)
    asked = _told_how(messages, mode)
    said = list(asked)
    faults: list[str] = []
    doubted = doubt is None
    for attempt in range(1, attempts + 1):
        with named(phase if attempt == 1 else f"{phase}_repair_{attempt - 1}"):
            response = await model_request(connection.model, said, model_request_parameters=mode.parameters)
        reading = read_reply(response)
        try:
            found = _read(kind, name, reading, salvage)
            # A check looks numbers up and runs queries: other conversations go on meanwhile.
            found_wrong = await asyncio.to_thread(check, found) if check else ()
            if doubt and not (found_wrong or doubted or attempt == attempts):
                found_wrong = await asyncio.to_thread(doubt, found)
                doubted = bool(found_wrong)
            faults = [sentence.rstrip(".") for sentence in found_wrong]
        except ModelReplyError as error:
            faults = [str(error)]
        else:
            if not faults:
                return StructuredReply(found, attempt, (*asked, kept(response)))
        on_rejected(Rejection(phase, name, attempt, tuple(faults[:_MOST_FAULTS])))
        said += _repair(response, reading, mode, faults)
    raise ModelReplyError(f"after {attempts} replies that could not be used: {'; '.join(faults[:_MOST_FAULTS])}")


def _read(kind: type[T], name: str, reading: ParsedReply, salvage: Callable[[str], T | None] | None) -> T:
    """Return the object in a reply: of the output tool's call, else of the text, whatever was asked for."""
    said = next((call.arguments for call in reading.calls if call.tool == name), reading.text)
    try:
        if not said and not isinstance(said, dict):
            others = ", ".join(dict.fromkeys(call.tool[:60] for call in reading.calls))
            raise ModelReplyError(f"there is no tool {others}" if others else "the reply was empty")
        return read_json(kind, said)
    except ModelReplyError:
        if salvage and not reading.refused:
            found = salvage(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
            if found is not None:
                return found
        # A reply that was cut off after its object is as good as any.
        reading.require_whole()
        raise


def _told_how(messages: Sequence[ModelMessage], mode: OutputMode) -> list[ModelMessage]:
    """Return the messages with the way to reply at the end of the prompt, in one message with it.

    A schema that the model has to read stands once: at the end of the system's instructions, so that it is the same at
    the head of every request; in a talk that has begun without it, in the prompt.
    """
    schema = mode.shown
    if schema and any(schema in text for text in _texts(messages)):
        schema = None
    elif schema and (headed := _headed(messages, render("structured/schema", schema=schema))):
        messages, schema = headed, None
    *before, last = messages
    how = render("structured/reply", way=mode.way, tool=mode.name, schema=schema)
    assert isinstance(last, ModelRequest)
    *parts, prompt = last.parts
    if isinstance(prompt, UserPromptPart) and isinstance(prompt.content, str):
        told = [*parts, replace(prompt, content=f"{prompt.content}\n\n{how}")]
    else:
        told = [*last.parts, UserPromptPart(how)]
    return [*before, replace(last, parts=told)]


def _headed(messages: Sequence[ModelMessage], schema: str) -> list[ModelMessage] | None:
    """Return the first request of a talk with a schema after the system's instructions; None if it has none."""
    first, *rest = messages
    if rest or not isinstance(first, ModelRequest):
        return None
    place = next((i for i, part in enumerate(first.parts) if isinstance(part, SystemPromptPart)), None)
    if place is None:
        return None
    parts = list(first.parts)
    system = parts[place]
    assert isinstance(system, SystemPromptPart)
    parts[place] = replace(system, content=f"{system.content}\n\n{schema}")
    return [replace(first, parts=parts)]


def _texts(messages: Sequence[ModelMessage]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart | SystemPromptPart) and isinstance(part.content, str):
                yield part.content


def _repair(
    response: ModelResponse, reading: ParsedReply, mode: OutputMode, faults: Sequence[str]
) -> list[ModelMessage]:
    """Return what the model is told about a reply: the reply itself where it said anything, and what is wrong."""
    note = render("structured/repair", faults=faults[:_MOST_FAULTS], way=mode.way, tool=mode.name)
    own: list[ModelMessage] = [kept(response)] if reading.calls or reading.text else []
    return [*own, answered([(call, "not used") for call in reading.calls], note)]
