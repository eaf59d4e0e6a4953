"""A conversation as a sample of Inspect: its questions, the answers as text, and the stored turns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from quaestor.conversation.answer import Answer, show_confidence
from quaestor.conversation.display import show_number, show_source
from quaestor.core import serial
from quaestor.documents.document import Document
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

TURNS = "quaestor:turns"
"""The key of the turns in the store of a sample."""
BROKEN = "quaestor:broken"
"""The key of the error that ended a conversation early."""


def answer_of(turn: TurnRecord) -> Answer:
    """Return the answer of a stored turn."""
    return serial.restore(Answer, turn.answer)


def sample_input(questions: Sequence[str]) -> str:
    """Return the questions of a conversation as the input of a sample, one per line."""
    return "\n".join(f"{number}. {' '.join(question.split())}" for number, question in enumerate(questions, start=1))


def show_answer(turn: TurnRecord, document: Document | None) -> str:
    """Return an answer as text: the number, its formula and sources, or why there is no answer."""
    answer = answer_of(turn)
    if answer.value is None:
        return f"no answer: {turn.error or answer.reason or 'none was given'}"
    lines = [show_number(answer)]
    if answer.formula:
        lines.append(f"= {answer.formula}")
    shown = [show_source(source, document) for source in answer.sources] if document else []
    lines += [f"- {source.place}: {source.span}" for source in shown]
    if answer.confidence is not None:
        lines.append(f"confidence {show_confidence(answer.confidence)}")
    return "\n".join(lines)


def turn_messages(turns: Sequence[TurnRecord], document: Document | None) -> "list[ChatMessage]":
    """Return turns as messages of a user and an assistant."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    messages: list[ChatMessage] = []
    for turn in turns:
        messages.append(ChatMessageUser(content=turn.question))
        messages.append(ChatMessageAssistant(content=show_answer(turn, document)))
    return messages


def turn_facts(turn: TurnRecord) -> dict[str, JsonValue]:
    """Return the data of a turn for the transcript."""
    answer = answer_of(turn)
    return {
        "turn": turn.index + 1,
        "question": turn.question,
        "answer": show_number(answer),
        "value": turn.number,
        "formula": answer.formula or None,
        "program": turn.program,
        "verified": turn.verified,
        "error": turn.error,
        "reason": answer.reason,
        "sources": turn.sources,
    }


def dump_turns(turns: Sequence[TurnRecord]) -> list[dict[str, Any]]:
    """Return turns for the store of a sample, with the fields that scoring needs but no events or registers."""
    bare = (replace(turn, events=[], references={}, tool_calls=[], history=[], registers=[]) for turn in turns)
    return [serial.dump(turn) for turn in bare]


def turns_of_sample(dumped: object) -> tuple[TurnRecord, ...]:
    """Restore the turns that `dump_turns` wrote; empty if there are none."""
    return tuple(serial.restore(TurnRecord, turn) for turn in dumped) if isinstance(dumped, list) else ()
