"""What is stored of a conversation: turns into records.

Owns the benchmark's form of an answer, its number and its program. Decides nothing about an answer.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quaestor.conversation.events.kinds import dump_events
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.answer_value import value_to_text
from quaestor.core.computing import compute
from quaestor.core.triples import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.errors import PlanError, QuaestorError
from quaestor.evaluation.runner import ConversationResult
from quaestor.llm.usage import Usage
from quaestor.plan.program import to_program
from quaestor.plan.steps import Plan
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, PromptRecord, TurnRecord, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

OnConversation = Callable[[Conversation, tuple[Turn, ...]], None]


class RunWriter:
    """The Listener that writes: when a conversation begins, and when it ends its graph and prompts, then how it went.

    Attributes:
        end: What ends the run, once there is anything.
    """

    def __init__(
        self,
        store: RunStore,
        run: str,
        on_conversation: OnConversation | None = None,
        used: Mapping[str, Usage] | None = None,
    ) -> None:
        """Takes where to write, and what earlier attempts at the conversations have used."""
        self._store, self._run, self._on_conversation = store, run, on_conversation
        self._used = dict(used or {})
        self.end: QuaestorError | None = None

    async def on_start(self, conversation: Conversation) -> None:
        """Notes that the conversation is being played."""
        used = _counts(self._used.get(conversation.id, Usage()))
        await self._store.begin_example(
            ConversationRecord(self._run, conversation.id, conversation.document.id, started=now(), usage=used)
        )

    async def on_finish(self, conversation: Conversation, played: ConversationResult) -> None:
        """Keeps how the conversation went, and all its turns."""
        self.end = self.end or played.end
        turns = await compute(turn_records, self._run, conversation.id, played.turns)
        used = self._used.get(conversation.id, Usage()) + played.usage
        example = ConversationRecord(
            run=self._run,
            conversation=conversation.id,
            document=conversation.document.id,
            status=played.status,
            turns=len(turns),
            started=played.started,
            finished=played.finished,
            error=_storable(played.error),
            kg_stats=dict(played.kg_stats),
            usage=_counts(used),
        )
        if played.graph:
            await self._store.save_graph(self._run, conversation.id, map(_storable_triple, played.graph))
        for exchange in played.exchanges:
            await self._store.log_prompt(await compute(_prompt_record, exchange))
        await self._store.complete_example(example, turns)
        if self._on_conversation:
            self._on_conversation(conversation, played.turns)


def _counts(usage: Usage) -> dict[str, int]:
    return usage.counts() if usage != Usage() else {}


def _prompt_record(exchange: "Exchange") -> PromptRecord:
    error = exchange.error
    if error is None and exchange.status is not None and exchange.status >= 400:
        error = f"status {exchange.status}"
    return PromptRecord(
        run=exchange.place.run,
        conversation=exchange.place.conversation,
        turn=exchange.place.turn,
        number=exchange.number,
        phase=exchange.phase,
        model=exchange.model,
        prompt=_storable(exchange.request),
        response=_storable(exchange.response),
        started=exchange.started,
        finished=exchange.finished,
        usage=exchange.usage.counts(),
        error=_storable(error),
    )


def turn_records(run: str, conversation: str, turns: Sequence[Turn]) -> tuple[TurnRecord, ...]:
    """Returns the turns of one whole conversation as they are stored.

    Args:
        run: The run's id.
        conversation: The conversation's id.
        turns: All its turns, in their order.
    """
    records: list[TurnRecord] = []
    plans: list[Plan | None] = []
    for index, turn in enumerate(turns):
        plan = turn.answer.plan if turn.answer.value is not None else None
        answer = _storable(serial.dump(turn.answer))
        record = TurnRecord(
            run=run,
            conversation=conversation,
            index=index,
            question=turn.question,
            answer=answer,
            program=_program(plan, plans),
            number=None if turn.answer.value is None else value_to_text(turn.answer.value),
            verified=turn.verified,
            started=turn.started,
            finished=turn.finished,
            error=_storable(turn.error),
            sources=answer["sources"],
            events=_storable(dump_events(turn.events)),
            references=_storable(serial.dump(turn.references)),
            tool_calls=_storable([serial.dump(call) for call in turn.tool_calls]),
            usage=_counts(turn.usage),
        )
        plans.append(plan)
        records.append(record)
    return tuple(records)


def _program(plan: Plan | None, history: Sequence[Plan | None]) -> str | None:
    try:
        return _storable(to_program(plan, history)) if plan else None
    except PlanError:
        # Program text has no word for some plans (the smaller of two); their number counts all the same.
        return None


def _storable_triple(triple: Triple) -> Triple:
    return triple if triple.o.isascii() else Triple(triple.s, triple.p, _storable(triple.o))


def _storable(value: Any) -> Any:
    """Returns JSON whose texts every store can hold: half a surrogate pair becomes a question mark."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
