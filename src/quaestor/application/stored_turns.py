"""One turn of a stored run, by the names that a person gives it."""

from dataclasses import dataclass

from quaestor.application.resolve import match_id
from quaestor.application.run_service import find_run
from quaestor.conversation.answer import Answer
from quaestor.conversation.corrections import Correction, changed_turn
from quaestor.conversation.events.kinds import load_events
from quaestor.conversation.references.resolved import References
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core import serial
from quaestor.errors import InputError, StoreError
from quaestor.evaluation.recording import correction_of_record
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.loading import graph_from_triples
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.store.base import RunStore
from quaestor.store.records import PromptRecord, RunRecord, TurnRecord


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it was stored, and what its sources are named by.

    Attributes:
        run: The run that it is of.
        turn: The turn.
        graph: The page's graph; None where the page had none.
        corrected: The turn as a person corrected it; None where nobody did.
    """

    run: RunRecord
    turn: TurnRecord
    graph: KnowledgeGraph | None
    corrected: Turn | None = None


async def find_conversation(store: RunStore, run: str, name: str) -> str:
    """Returns the id of the conversation of a run that a person means: by its own id, or by that of its page.

    Args:
        store: Where the run is kept.
        run: The run's id.
        name: As given.

    Raises:
        InputError: Several conversations are about the page.
        UnknownConversationError: The run has no such conversation or page.
    """
    examples = await store.examples(run)
    by_page: dict[str, list[str]] = {}
    for example in examples:
        by_page.setdefault(example.document, []).append(example.conversation)
    ids = {example.conversation for example in examples}
    found = match_id(name, [*ids, *by_page], f"run {run}") if examples else name
    about = by_page.get(found, [found])
    if found in ids or len(about) == 1:
        return found if found in ids else about[0]
    raise InputError(f"{found} has {len(about)} conversations in run {run}: name one of {', '.join(about[:5])}")


async def read_stored_turn(
    store: RunStore, run: str, conversation: str, number: int, attempt: int | None = None
) -> StoredTurn:
    """Returns one turn.

    Args:
        store: Where the run is kept.
        run: Its id, the beginning of one, or `latest`.
        conversation: The conversation's id, or that of its page.
        number: The turn's place in the conversation, from 1.
        attempt: Which attempt at the conversation, from 1; None is the one that counts.

    Raises:
        StoreError: There is no such run, or nothing is stored of the conversation.
        InputError: There is no such conversation or turn.
    """
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    found = await _turn(store, record.id, name, number, attempt)
    corrections = await stored_corrections(store, record.id, name, attempt)
    mine = [change for made in corrections for change in made.changes if change.turn == found.index]
    now = changed_turn(turn_of_record(found), mine[-1]) if mine else None
    graph = await stored_graph(store, record.id, name)
    return StoredTurn(record, found, graph, now if now is not None and now.answer.corrected is not None else None)


async def stored_corrections(
    store: RunStore, run: str, conversation: str, attempt: int | None = None
) -> tuple[Correction, ...]:
    """Returns what a person corrected in a conversation, in order.

    Args:
        store: Where the run is kept.
        run: Its id.
        conversation: The conversation's id.
        attempt: Which attempt at it, from 1; None is the one that counts.
    """
    return tuple(map(correction_of_record, await store.corrections(run, conversation, attempt)))


async def stored_graph(store: RunStore, run: str, conversation: str) -> KnowledgeGraph | None:
    """Returns the graph of a conversation's page as a run has it; None where the page had none.

    Args:
        store: Where the run is kept.
        run: Its id.
        conversation: The conversation's id.
    """
    try:
        return graph_from_triples(await store.load_graph(run, conversation))
    except StoreError:
        return None


async def read_exchanges(
    store: RunStore, run: str, conversation: str, number: int, attempt: int | None = None
) -> tuple[PromptRecord, ...]:
    """Returns every request of a turn to its model; none where no model was asked.

    Args:
        store: Where the run is kept.
        run: Its id, the beginning of one, or `latest`.
        conversation: The conversation's id, or that of its page.
        number: The turn's place in the conversation, from 1.
        attempt: Which attempt at the conversation, from 1; None is the one that counts.

    Raises:
        StoreError: There is no such run, or nothing is stored of the conversation.
        InputError: There is no such conversation or turn.
    """
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    found = tuple(await store.prompts(record.id, name, number - 1, attempt))
    if not found:
        # A turn that was not played asks nothing either: let the store say so.
        await _turn(store, record.id, name, number, attempt)
    return found


async def _turn(store: RunStore, run: str, conversation: str, number: int, attempt: int | None) -> TurnRecord:
    try:
        return await store.turn(run, conversation, number - 1, attempt)
    except StoreError as error:
        if turns := await store.turns(run, conversation, attempt):
            kept = f"it has {len(turns)}"
        elif attempt is not None and (others := await store.turns(run, conversation)):
            kept = f"nothing is kept of attempt {attempt}; the latest is {others[0].attempt}"
        else:
            kept = "none of it is played"
        raise InputError(f"run {run!r} has no turn {number} of conversation {conversation!r}: {kept}") from error


async def read_graph(store: RunStore, run: str, conversation: str) -> KnowledgeGraph:
    """Returns the knowledge graph that a conversation was played on.

    Args:
        store: Holds the run.
        run: The run's id.
        conversation: The conversation's id.

    Raises:
        StoreError: There is no such run, or no graph.
        InputError: There is no such conversation.
    """
    record = await find_run(store, run)
    name = await find_conversation(store, record.id, conversation)
    return graph_from_triples(await store.load_graph(record.id, name), f"the graph of {name}")


async def turns_about(store: RunStore, run: str, document: str) -> tuple[TurnRecord, ...]:
    """Returns the turns of a run that are about a document, conversation by conversation.

    Args:
        store: Where the run is kept.
        run: Its id, the beginning of one, or `latest`.
        document: The document's id.

    Raises:
        StoreError: There is no such run.
        InputError: The run has no turn about the document.
    """
    record = await find_run(store, run)
    about = [example.conversation for example in await store.examples(record.id) if example.document == document]
    found = [turn for conversation in about for turn in await store.turns(record.id, conversation)]
    if not found:
        raise InputError(f"run {record.id} has no question about {document}")
    return tuple(found)


def turn_of_record(record: TurnRecord) -> Turn:
    """Returns a turn as it was answered, from what is stored of it: what later questions may refer to.

    Args:
        record: Of a turn that came to its end.
    """
    return Turn(
        question=record.question,
        answer=serial.load(Answer, record.answer),
        verified=record.verified,
        started=record.started,
        finished=record.finished or record.started,
        events=load_events(record.events),
        references=serial.load(References, record.references),
        tool_calls=tuple(map(ToolCall.of_record, record.tool_calls)),
        usage=Usage.of_counts(record.usage),
        error=record.error,
        registers=tuple(serial.load(StepResult, register) for register in record.registers),
    )
