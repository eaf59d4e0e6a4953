"""Reads single turns of stored runs by the names that users give."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from quaestor.application.resolve import match_id
from quaestor.application.run_service import find_run
from quaestor.conversation.answer import Answer
from quaestor.conversation.events import load_events
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Correction, ToolCall, Turn, active_corrections, apply_change, apply_corrections
from quaestor.core import serial
from quaestor.documents.document import Document
from quaestor.errors import InputError, StoreError
from quaestor.evaluation.recording import correction_of_record
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.repair.numbers import Numbers, corrected_document
from quaestor.store.base import RunStore
from quaestor.store.records import PromptRecord, RunRecord, TurnRecord


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A stored turn, with the graph that names its sources."""

    run: RunRecord
    record: TurnRecord
    turn: Turn
    graph: KnowledgeGraph | None
    corrected: Turn | None


async def find_conversation(store: RunStore, run: str, name: str) -> str:
    """Return the id of a conversation of a run, given its id or that of its page."""
    examples = await store.examples(run)
    by_page: dict[str, list[str]] = {}
    for example in examples:
        by_page.setdefault(example.document, []).append(example.conversation)
    ids = {example.conversation for example in examples}
    found = match_id(name, [*ids, *by_page], f"run {run}") if examples else name
    on_page = by_page.get(found, [found])
    if found in ids or len(on_page) == 1:
        return found if found in ids else on_page[0]
    raise InputError(f"{found} has {len(on_page)} conversations in run {run}: name one of {', '.join(on_page[:5])}")


async def read_stored_turn(
    store: RunStore, run: str, conversation: str, number: int, attempt: int | None = None
) -> StoredTurn:
    """Read one turn, counted from 1."""
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    found = await _turn(store, record.id, name, number, attempt)
    corrections = await stored_corrections(store, record.id, name, attempt)
    graph = await stored_graph(store, record.id, name)
    return StoredTurn(record, found, turn_of_record(found), graph, corrected_turn(found, corrections))


def corrected_turn(record: TurnRecord, corrections: Sequence[Correction]) -> Turn | None:
    """Return a stored turn with a person's corrections, or None if there are none or all are undone."""
    mine = [change for correction in corrections for change in correction.changes if change.turn == record.index]
    if not mine or mine[-1].answer.corrected is None:
        return None
    return apply_change(turn_of_record(record), mine[-1])


def kind_objects(record: TurnRecord | None) -> dict[str, JsonValue]:
    """Return the kind and the answerability of a stored answer; the kind is `none` for a missing turn.

    Units: `answerable` is a probability from 0 to 1, or null if the solver gives none.
    """
    answer = serial.restore(Answer, record.answer) if record is not None and record.answer else Answer(value=None)
    return {"kind": answer.kind, "answerable": answer.answerable}


async def stored_corrections(
    store: RunStore, run: str, conversation: str, attempt: int | None = None
) -> tuple[Correction, ...]:
    """Return the corrections of a conversation in order."""
    return tuple(map(correction_of_record, await store.corrections(run, conversation, attempt)))


async def stored_graph(store: RunStore, run: str, conversation: str) -> KnowledgeGraph | None:
    """Return the graph that a run stored for a conversation's page, or None."""
    try:
        return graph_from_triples(await store.load_graph(run, conversation))
    except StoreError:
        return None


async def read_exchanges(
    store: RunStore, run: str, conversation: str, number: int, attempt: int | None = None
) -> tuple[PromptRecord, ...]:
    """Return all requests of a turn to its model; empty if no model was asked."""
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    found = tuple(await store.prompts(record.id, name, number - 1, attempt))
    if not found:
        # If the turn is missing, raise the error for that.
        await _turn(store, record.id, name, number, attempt)
    return found


async def _turn(store: RunStore, run: str, conversation: str, number: int, attempt: int | None) -> TurnRecord:
    try:
        return await store.turn(run, conversation, number - 1, attempt)
    except StoreError as error:
        if turns := await store.turns(run, conversation, attempt):
            why = f"it has {len(turns)}"
        elif attempt is not None and (others := await store.turns(run, conversation)):
            why = f"attempt {attempt} is not stored; the latest is {others[0].attempt}"
        else:
            why = "none of its turns were run"
        raise InputError(f"run {run!r} has no turn {number} of conversation {conversation!r}: {why}") from error


async def read_graph(store: RunStore, run: str, conversation: str) -> KnowledgeGraph:
    """Return the knowledge graph that a conversation was answered with."""
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    return graph_from_triples(await store.load_graph(record.id, name), f"the graph of {name}")


async def answers_about(store: RunStore, run: str, document: Document) -> tuple[Document, list[tuple[int, Turn]]]:
    """Return a document and the turns of a run about it, conversation by conversation, with corrections applied.

    Each turn comes with its index in its conversation, from 0; the document has the corrected numbers.
    """
    record = await find_run(store, run)
    found: list[tuple[int, Turn]] = []
    active: list[Correction] = []
    for example in await store.examples(record.id):
        if example.document == document.id:
            turns = await store.turns(record.id, example.conversation)
            corrections = await stored_corrections(store, record.id, example.conversation)
            now = apply_corrections(tuple(map(turn_of_record, turns)), corrections)
            found += [(stored.index, turn) for stored, turn in zip(turns, now, strict=True)]
            active += active_corrections(corrections)
    if not found:
        raise InputError(f"run {record.id} has no questions about {document.id}")
    return corrected_document(document, Numbers.of(active)), found


def turn_of_record(record: TurnRecord) -> Turn:
    """Restore a turn from its record, as it was answered."""
    return Turn(
        question=record.question,
        answer=serial.restore(Answer, record.answer),
        verified=record.verified,
        started=record.started,
        finished=record.finished or record.started,
        events=load_events(record.events),
        references=serial.restore(References, record.references),
        tool_calls=tuple(map(ToolCall.of_record, record.tool_calls)),
        usage=Usage.of_counts(record.usage),
        error=record.error,
        registers=tuple(serial.restore(StepResult, register) for register in record.registers),
    )
