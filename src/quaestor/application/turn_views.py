"""One turn of a run in full: its answer, how it was found, the requests to models, its reference.

Combines the data in the store, the scores and the file of the run; references are shown only if the run was scored.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from quaestor.application.plan_steps import PlanNode, turn_nodes
from quaestor.application.run_references import find_run_file, reference_of, verdicts_on
from quaestor.application.run_views import RunTurn, RunView, RunViews
from quaestor.application.stored_turns import (
    StoredTurn,
    corrected_turn,
    stored_corrections,
    stored_graph,
    turn_of_record,
)
from quaestor.conversation.answer import Answer
from quaestor.core import serial
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.errors import UnknownConversationError
from quaestor.llm.messages import Message, read_request, read_response
from quaestor.scores.records import Verdict
from quaestor.scoring.figures import Score, score_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.base import RunStore
from quaestor.store.records import PromptRecord

_FIGURES: BoundedCache[tuple[str, int, int], Score] = BoundedCache(32)


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """A request to a model and its reply; the first `repeated` pieces equal those of the previous request."""

    prompt: PromptRecord
    repeated: int
    request: tuple[Message, ...]
    reply: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class TurnDetail(StoredTurn):
    """A stored turn in full; the reference only if the run was scored and its file is available."""

    view: RunView
    conversation: tuple[RunTurn, ...]
    nodes: tuple[PlanNode, ...]
    exchanges: tuple[ExchangeView, ...]
    document: Document | None
    reference: TurnScore | None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the turn, if it is scored."""
        return next((one.verdict for one in self.conversation if one.number == self.record.index + 1), None)


async def read_turn_detail(views: RunViews, store: RunStore, run: str, conversation: str, number: int) -> TurnDetail:
    """Return a turn of a run in full."""
    view = await views.run(run)
    records = await store.turns(run, conversation)
    record = next((one for one in records if one.index == number - 1), None)
    if record is None:
        raise UnknownConversationError(f"run {run} has no turn {number} of a conversation {conversation!r:.80}")
    listed = await views.neighbours(view, conversation)
    prompts = await store.prompts(run, conversation, record.index)
    graph = await stored_graph(store, run, conversation)
    corrections = await stored_corrections(store, run, conversation)
    file = await asyncio.to_thread(find_run_file, view.run)

    def detail() -> TurnDetail:
        turn, found = turn_of_record(record), file.conversations.get(conversation) if file else None
        earlier = [serial.restore(Answer, one.answer) for one in records if one.index < record.index]
        return TurnDetail(
            view.run,
            record,
            turn,
            graph,
            corrected_turn(record, corrections),
            view=view,
            conversation=listed,
            nodes=turn_nodes(turn, earlier),
            exchanges=exchange_views(prompts),
            document=found.document if found else None,
            reference=reference_of(file, records, record.index) if file and view.score else None,
        )

    return await compute(detail)


async def read_references(views: RunViews, store: RunStore, run: str) -> tuple[RunView, Score | None]:
    """Return a run and its figures by its references, or None if it was not scored or its labelled file has changed."""
    view = await views.run(run)
    file = await asyncio.to_thread(find_run_file, view.run) if view.score else None
    if file is None or not file.gold or view.score is None:
        return view, None
    key = (view.score.id, *file.stamp)
    try:
        return view, _FIGURES.get(key, _refuse_to_compute)
    except LookupError:
        verdicts = await compute(verdicts_on, file, await store.turns(run))
    return view, _FIGURES.get(key, lambda: score_of(TurnFrame.of(verdicts))) if verdicts else None


def _refuse_to_compute() -> Score:
    raise LookupError("not reviewed yet")


def exchange_views(prompts: Sequence[PromptRecord], *, raw: bool = False) -> tuple[ExchangeView, ...]:
    """Return exchanges in pieces; pieces repeated from the previous request are only counted."""
    found: list[ExchangeView] = []
    known: tuple[Message, ...] = ()
    for prompt in prompts:
        request = (Message("request", prompt.prompt),) if raw else read_request(prompt.prompt)
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(known, request, strict=False))))
        reply: tuple[Message, ...] = ()
        if prompt.response is not None:
            reply = (Message("reply", prompt.response),) if raw else read_response(prompt.response)
        found.append(ExchangeView(prompt, same, request[same:], reply))
        known = request
    return tuple(found)
