"""What every store refuses, each in one wording."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import process

from quaestor.errors import ClaimedError, DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.records import (
    MOST_SECONDS,
    Claim,
    ConversationRecord,
    CorrectionRecord,
    GraphKey,
    PromptRecord,
    TurnRecord,
)


@dataclass(frozen=True, slots=True)
class ExistingConversation:
    """What a store has of a conversation that is to be begun.

    Attributes:
        attempt: Which attempt at it was begun last.
        owner: Who has claimed it, or None.
        until: For how long, in seconds by the clock that claims go by.
    """

    attempt: int
    status: str
    owner: str | None = None
    until: float = 0.0


def unknown_run(store: str, run: str, ids: Sequence[str]) -> UnknownRunError:
    """Return the error for a run that is not there.

    Args:
        ids: All runs, the latest first.
    """
    near = [match[0] for match in process.extract(run, ids, limit=3, score_cutoff=75)]
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"the latest are {', '.join(ids[:3])}" if ids else "it is empty"
    return UnknownRunError(f"{store} does not contain run {run!r}; {hint}")


def run_taken(store: str, run: str) -> DuplicateRecordError:
    """Return the error for a run whose id is taken."""
    return DuplicateRecordError(f"{store} already contains a run {run!r}")


def complete_already(store: str, example: ConversationRecord) -> DuplicateRecordError:
    """Return the error for a conversation that may not be played again."""
    return DuplicateRecordError(
        f"conversation {example.conversation!r} of run {example.run!r} is already complete ({store}); "
        "is another process finishing this run?"
    )


def claimed_already(store: str, example: ConversationRecord, owner: str | None = None) -> ClaimedError:
    """Return the error for a conversation that another runner plays, or has played.

    Args:
        owner: Who plays it; None if it came to its end.
    """
    what = "is being run by another process" if owner else "has been run by another process"
    return ClaimedError(f"conversation {example.conversation!r} of run {example.run!r} {what} ({store})", owner)


def check_claim(store: str, example: ConversationRecord, claim: Claim, found: ExistingConversation, now: float) -> bool:
    """Return whether a conversation that was begun before is begun already by the very claim.

    Args:
        now: The time by the clock that claims go by, in seconds.

    Raises:
        ClaimedError: Another runner holds it, or has played it since.
    """
    if found.status != "pending":
        if found.attempt > claim.seen:
            raise claimed_already(store, example)
        return False
    if found.owner == claim.owner:
        return True
    if found.owner not in (None, claim.over) and now < found.until <= now + MOST_SECONDS:
        raise claimed_already(store, example, found.owner)
    return False


def never_begun(store: str, record: TurnRecord | CorrectionRecord) -> StoreError:
    """Return the error for what belongs to a conversation that was never begun."""
    return StoreError(
        f"{store} does not contain conversation {record.conversation!r} of run {record.run!r}; begin it first"
    )


def correction_taken(store: str, correction: CorrectionRecord) -> DuplicateRecordError:
    """Return the error for a correction whose key is taken."""
    return DuplicateRecordError(
        f"{store} already contains correction {correction.number} of conversation {correction.conversation!r} in run "
        f"{correction.run!r}; is another process correcting it?"
    )


def prompt_taken(store: str, prompt: PromptRecord) -> DuplicateRecordError:
    """Return the error for a prompt whose key is taken."""
    return DuplicateRecordError(
        f"{store} already contains prompt {prompt.number} of turn {prompt.turn} of conversation "
        f"{prompt.conversation!r} in run {prompt.run!r}; is another process running this conversation?"
    )


def no_graph(store: str, run: str, conversation: str) -> StoreError:
    """Return the error for a graph that is not kept."""
    return StoreError(f"{store} does not contain a graph of conversation {conversation!r} in run {run!r}")


def no_frozen_graph(store: str, key: GraphKey) -> StoreError:
    """Return the error for a page whose graph is not frozen."""
    return StoreError(f"{store} does not contain a frozen graph of {key.document} with ontology {key.ontology[:12]}")


def no_ontology(store: str, digest: str, known: Sequence[str]) -> StoreError:
    """Return the error for an ontology that is not kept."""
    hint = f"the latest are {', '.join(known)}" if known else "it contains no ontologies"
    return StoreError(f"{store} does not contain ontology {digest!r}; {hint}")


def check_turns(example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
    """Make sure that turns are of that conversation, each index once.

    Raises:
        DuplicateRecordError: They are not.
    """
    seen: set[int] = set()
    for turn in turns:
        where = f"turn {turn.index} of conversation {turn.conversation!r} in run {turn.run!r}"
        if (turn.run, turn.conversation) != (example.run, example.conversation):
            raise DuplicateRecordError(f"{where} does not belong to conversation {example.conversation!r}")
        if turn.attempt != example.attempt:
            raise DuplicateRecordError(
                f"{where} is of attempt {turn.attempt}, but the conversation is at attempt {example.attempt}"
            )
        if turn.index in seen:
            raise DuplicateRecordError(f"{where} occurs twice")
        seen.add(turn.index)


def pick_turn(turns: Sequence[TurnRecord], run: str, conversation: str, index: int) -> TurnRecord:
    """Return the turn with that index.

    Args:
        run: The run's id, for the error.
        conversation: The conversation's id, for the error.
        index: The turn's place in the conversation, from 0.

    Raises:
        StoreError: There is none.
    """
    for turn in turns:
        if turn.index == index:
            return turn
    kept = f"it has {len(turns)} turns, counted from 0" if turns else "it has no turns"
    raise StoreError(f"turn {index} of conversation {conversation!r} does not exist in run {run!r}; {kept}")
