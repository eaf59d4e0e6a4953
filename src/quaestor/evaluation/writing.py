"""Writes a run into its store, as the listener of an engine, and claims its conversations among several runners.

`recording` creates the records. Results are not buffered: if the process dies, only work in progress is lost. Claims of
a runner that died are free when the lease expires; on the same machine, as soon as its process has ended.
"""

import asyncio
import os
import platform
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from quaestor.conversation.events import Event
from quaestor.conversation.turn import Correction, ToolCall, Turn
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import ClaimedError, DuplicateRecordError, QuaestorError, StoreError
from quaestor.evaluation.recording import (
    ConversationResult,
    TurnPlace,
    correction_record,
    prompt_record,
    replace_surrogates,
    serialize_graph,
    storable_triple,
    stored_counts,
    turn_record,
    turn_records,
    turn_status,
)
from quaestor.evaluation.watchers import Observer, ObserverFactory, TurnBegun, Watcher, Watchers, replay_events
from quaestor.llm.usage import Usage
from quaestor.store.base import RunStore
from quaestor.store.records import Claim, ConversationRecord, TurnRecord, TurnStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange


LEASE_SECONDS = 30.0
"""Seconds until a claim expires that is not renewed; claims are renewed three times in this period."""


def _this_machine() -> str:
    """Return an id of the boot and process namespace, within which process ids can be compared."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def _start_time(process: int) -> str:
    """Return the start time of a process in ticks, as process ids are reused; "" if unknown."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _new_owner() -> str:
    return "/".join((_this_machine(), str(os.getpid()), _start_time(os.getpid()), uuid4().hex[:12]))


def has_ended(owner: str) -> bool:
    """Return whether an owner was a process of this machine that has ended."""
    machine, process, started, _ = owner.split("/") if owner.count("/") == 3 else ("", "", "", "")
    if machine != _this_machine() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _start_time(int(process)) != started


@dataclass(frozen=True, slots=True)
class Lease:
    """A runner's identity and claim duration."""

    seconds: float = LEASE_SECONDS
    owner: str = field(default_factory=_new_owner)

    @asynccontextmanager
    async def renew_until_end(self, store: RunStore, run: str) -> AsyncIterator[None]:
        """Renew the claims on conversations of a run until the block ends, then release the remaining ones.

        If the store is unreachable, the claims expire; the next write reports the error.
        """
        ended = asyncio.Event()
        renewal = asyncio.create_task(self._renew(store, run, ended))
        try:
            yield
        finally:
            # The event is set in case the driver swallows a cancellation that coincides with a reply (Python 3.11).
            ended.set()
            renewal.cancel()
            with suppress(asyncio.CancelledError):
                await renewal
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, 0)

    async def _renew(self, store: RunStore, run: str, ended: asyncio.Event) -> None:
        while not ended.is_set():
            await asyncio.sleep(self.seconds / 3)
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, self.seconds)


_LOST = "EngineError: the worker process that ran it died"

OnConversation = Callable[[Conversation, tuple[Turn, ...]], None]


class Journal(Watcher):
    """Watcher that writes to a store; `graph_of` is the digest of the document whose graph is stored."""

    def __init__(self, store: RunStore, place: TurnPlace, *, live: bool) -> None:
        """Set the store, the run and the conversation; `live` also stores unfinished turns."""
        self.place, self.was_notified = place, False
        self.graph_of: str | None = None
        self._store, self._live = store, live
        self._begun: TurnBegun | None = None
        self._events: list[Event] = []
        self._calls: list[ToolCall] = []
        self._exchanges: deque[Exchange] = deque()
        self._logged: set[tuple[int, int]] = set()
        self._changed = False
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Store the question, and before it the graph unless it is already stored."""
        self._loop = asyncio.get_running_loop()
        if begun.graph is not None and begun.graph_of != self.graph_of:
            written = await compute(serialize_graph, begun.graph)
            await self._store.save_graph(self.place.run, self.place.conversation, written)
            self.graph_of = begun.graph_of
        self.was_notified, self._begun, self._events, self._calls = True, begun, [], []
        if self._live:
            await self._store.save_turn(self._snapshot())

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Schedule storing of the unfinished turn."""
        self._events.append(event)
        if call is not None:
            self._calls.append(call)
        self._changed = True
        if self._live and self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Schedule storing of a request and its reply."""
        self._exchanges.append(exchange)
        self._wake()

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Store the turn, and wait until everything is written."""
        await self._save(index, turn, "complete")

    async def on_broken(self, index: int, turn: Turn) -> None:
        """Store a failed turn as far as it got, and wait until everything is written."""
        await self._save(index, turn, turn_status(turn.events))

    async def _save(self, index: int, turn: Turn, status: TurnStatus) -> None:
        history = self._begun.history if self._begun is not None else ()
        await self.settle()
        await self._store.save_turn(turn_record(self.place.at(index), turn, history, status))

    async def settle(self) -> None:
        """Wait for pending writes; later events of the turn are part of its final record."""
        while self._writing is not None:
            writing, self._writing = self._writing, None
            await writing
        self._begun = None

    async def keep(self, exchange: "Exchange") -> None:
        """Store a request and its reply, unless already stored."""
        key = (exchange.place.turn, exchange.number)
        if key not in self._logged:
            self._logged.add(key)
            record = prompt_record(exchange, self.place.attempt)
            # The session may lack a run id, such as for interactive questions.
            await self._store.log_prompt(replace(record, run=self.place.run, conversation=self.place.conversation))

    def _wake(self) -> None:
        # A failed task is left for `settle`, which raises its error.
        if self._writing is None or (self._writing.done() and not _has_failed(self._writing)):
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._exchanges or self._changed:
            while self._exchanges:
                await self.keep(self._exchanges.popleft())
            # Exchanges are not part of the turn, so it is stored only if there are events.
            changed, self._changed = self._changed, False
            if changed and self._live and self._begun is not None:
                await self._store.save_turn(self._snapshot())

    def _snapshot(self) -> TurnRecord:
        """Return the unfinished turn; not in another thread, which would block the event loop as long."""
        begun = self._begun
        assert begun is not None
        turn = begun.unanswered(None, self._events, self._calls)
        record = turn_record(self.place.at(begun.index), turn, begun.history, turn_status(self._events))
        return replace(record, finished=None)


def _has_failed(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or task.exception() is not None


class RunWriter:
    """RunListener that writes a run into its store."""

    def __init__(
        self,
        store: RunStore,
        run: str,
        on_conversation: OnConversation | None = None,
        used: Mapping[str, Usage] | None = None,
        *,
        live: bool = False,
        observing: ObserverFactory | None = None,
        lease: Lease | None = None,
        seen: Mapping[str, int] | None = None,
    ) -> None:
        """Set the store and the run.

        Args:
            seen: The last attempt at each conversation when this runner started.
        """
        self._store, self._run, self._on_conversation, self._live = store, run, on_conversation, live
        self._observing = observing
        self._observers: dict[str, Observer] = {}
        self._used = defaultdict(Usage, used or {})
        self._journals: dict[str, Journal] = {}
        self._lease, self._seen = lease, dict(seen or {})
        self.elsewhere: set[str] = set()
        self.end: QuaestorError | None = None

    async def on_start(self, conversation: Conversation) -> Watcher | Literal[False]:
        """Begin a conversation; return False if another process runs it or has run it."""
        try:
            return await self.begin(conversation)
        except ClaimedError as error:
            if error.owner is not None:
                self.elsewhere.add(conversation.id)
            return False
        except DuplicateRecordError:
            if self._lease is None:
                raise
            return False

    async def begin(self, conversation: Conversation) -> Watcher:
        """Store the start of a conversation, and return the watcher that writes its turns."""
        example = self._example(conversation, self._used[conversation.id], started=now())
        attempt = await self._begin_attempt(example, self._lease, self._seen.get(conversation.id, 0))
        place = TurnPlace(self._run, conversation.id, attempt=attempt)
        journal = self._journals[conversation.id] = Journal(self._store, place, live=self._live)
        if self._observing is None:
            return journal
        observer = self._observers[conversation.id] = self._observing(place)
        return Watchers([journal, observer])

    def _example(self, conversation: Conversation, used: Usage, **fields: Any) -> ConversationRecord:
        return ConversationRecord(
            self._run, conversation.id, conversation.document.id, usage=stored_counts(used), **fields
        )

    async def _begin_attempt(self, example: ConversationRecord, lease: Lease | None, seen: int) -> int:
        if lease is None:
            return await self._store.begin_example(example)
        claim = Claim(lease.owner, lease.seconds, seen)
        try:
            return await self._store.begin_example(example, claim)
        except ClaimedError as error:
            if error.owner is None or not has_ended(error.owner):
                raise
            return await self._store.begin_example(example, replace(claim, over=error.owner))

    async def copy_turns(self, conversation: Conversation, turns: Sequence[Turn]) -> None:
        """Store turns answered elsewhere as the beginning of the current attempt."""
        for record in await compute(turn_records, self._journals[conversation.id].place, turns):
            await self._store.save_turn(record)

    async def on_correction(self, conversation: Conversation, correction: Correction) -> None:
        """Store a person's correction in the current attempt."""
        place = self._journals[conversation.id].place
        await self._store.add_correction(await compute(correction_record, place, correction))

    async def on_broken(self, conversation: Conversation, index: int, turn: Turn) -> None:
        """Store a failed turn; the conversation may continue in another attempt."""
        if (journal := self._journals.get(conversation.id)) is not None:  # else it was stopped before it began
            await journal.on_broken(index, turn)

    async def restart(self, conversation: Conversation, turns: Sequence[Turn], used: Usage) -> Watcher:
        """Continue from some of the turns in a new attempt; the stored turns remain as an earlier attempt."""
        if (journal := self._journals.pop(conversation.id, None)) is not None:  # else a restart was interrupted
            await journal.settle()
        self._used[conversation.id] += used
        watcher = await self.begin(conversation)
        await self.copy_turns(conversation, turns)
        return watcher

    async def on_finish(self, conversation: Conversation, result: ConversationResult) -> None:
        """Store the end of the conversation, and everything not stored yet."""
        self.end = self.end or result.end
        journal = self._journals.pop(conversation.id, None)
        if journal is None:  # it was stopped while an attempt was being begun
            return
        await journal.settle()
        for exchange in result.exchanges:
            await journal.keep(exchange)
        if result.graph and journal.graph_of != result.graph_of:
            await self._store.save_graph(self._run, conversation.id, map(storable_triple, result.graph))
        turns = await compute(_unstored_turns, conversation, result, journal)
        example = self._example(
            conversation,
            self._used[conversation.id] + result.usage,
            status=result.status,
            turns=len(result.turns),
            started=result.started,
            finished=result.finished,
            error=replace_surrogates(result.error),
            kg_stats=dict(result.kg_stats),
            attempt=journal.place.attempt,
        )
        try:
            await self._store.complete_example(example, turns)
        except DuplicateRecordError:
            # This runner seemed to be gone, and another one has completed the conversation with the same results.
            if self._lease is None:
                raise
            self._observers.pop(conversation.id, None)
            return
        if observer := self._observers.pop(conversation.id, None):
            if not journal.was_notified:
                await replay_events(
                    observer, result.turns, result.broken, result.exchanges, chained=conversation.chained
                )
            await observer.on_end(result.status, result.error)
        if self._on_conversation:
            # A conversation that ended with an outage is run again, and reported then.
            self._on_conversation(conversation, () if result.status == "outage" else result.turns)

    async def on_lost(self, conversation: Conversation, used: Usage) -> None:
        """End the attempt at a conversation whose process has died; its records remain as that attempt."""
        journal = self._journals.pop(conversation.id)
        await journal.settle()
        self._used[conversation.id] += used
        attempt = self._seen[conversation.id] = journal.place.attempt
        lost: dict[str, Any] = {"status": "outage", "started": now(), "finished": now(), "error": _LOST}
        example = self._example(conversation, self._used[conversation.id], **lost, attempt=attempt)
        await self._store.complete_example(example, ())
        if observer := self._observers.pop(conversation.id, None):
            await observer.on_end("outage", _LOST)


def _unstored_turns(conversation: Conversation, result: ConversationResult, journal: Journal) -> tuple[TurnRecord, ...]:
    """Return the turns that are not stored until the end of their conversation."""
    place, chained = journal.place, conversation.chained
    turns = () if journal.was_notified else turn_records(place, result.turns, chained=chained)
    if result.broken is None:
        return turns
    index, history = len(result.turns), result.turns if chained else ()
    status = turn_status(result.broken.events)
    return (*turns, turn_record(place.at(index), result.broken, history, status))
