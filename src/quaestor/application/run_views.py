"""Views of runs for browsing: the list, one run with its counts, its turns, one turn in full, two runs side by side.

Lists are read in pages from the stores; only `read_references` reads a whole run. Verdicts are the saved ones, and are
ignored if the run continued after it was scored; references are shown only if the run was scored.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import takewhile
from typing import Self

from quaestor.application.judged_runs import find_run_file, verdicts_on
from quaestor.application.plan_steps import PlanNode, turn_nodes
from quaestor.application.run_service import require_same_questions
from quaestor.application.score_service import is_score_of
from quaestor.application.stored_turns import (
    StoredTurn,
    corrected_turn,
    stored_corrections,
    stored_graph,
    turn_of_record,
)
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.core import serial
from quaestor.core.answer_value import print_value, value_from_text
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.core.serial import Value
from quaestor.documents.document import Document
from quaestor.errors import InputError, UnknownConversationError
from quaestor.llm.messages import Message, read_request, read_response
from quaestor.scores import (
    JudgedTurn,
    PairCounts,
    PairFilter,
    ScoreRecord,
    ScoreStore,
    Tally,
    Verdict,
    VerdictFilter,
    open_scores,
)
from quaestor.scoring.figures import Score, score_of
from quaestor.scoring.metrics import are_same_answer
from quaestor.scoring.statistics import mcnemar
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPage, ListPart, RunChoices, RunFilter, TurnClass, TurnFilter, TurnListing
from quaestor.store.records import ExampleStatus, PromptRecord, RunRecord, TurnStatus

BREAKDOWNS: tuple[TurnClass, ...] = ("index", "operation", "origin", "kind")
"""The properties that the turns of a run are counted by."""


class RunTurn(Value):
    """A turn of a run without its trace.

    Attributes:
        number: Its number in the conversation, from 1.
        display: The answer for people.
        kind: The type of the answer.
        operation: The last operation of its plan, or null.
        origin: The source of its numbers, or null.
        confidence: The probability that it is right, or null.
        error: The error that prevented an answer, or null.
        verdict: Right or wrong; null if it is not scored.
    """

    conversation: str
    number: int
    question: str
    display: str
    status: TurnStatus
    kind: str
    operation: str | None
    origin: str | None
    confidence: float | None
    error: str | None
    verdict: Verdict | None


class RunTurnPair(Value):
    """A turn in two runs, and whether the answers differ."""

    first: RunTurn
    second: RunTurn
    differ: bool


def run_turn(judged: JudgedTurn) -> RunTurn:
    """Return a turn as it is listed."""
    turn, verdict = judged
    return RunTurn.of(turn, number=turn.index + 1, display=answer_words(turn), verdict=verdict)


def answer_words(turn: TurnListing) -> str:
    """Return the answer of a turn as text, without the reason of a missing one."""
    if turn.number is None:
        return "no answer" if turn.status == "complete" or turn.error else "…"
    try:
        return show_number(serial.restore(Answer, turn.answer))
    except ValueError:
        # Answers imported from other programs may not be restorable; the number always is.
        return print_value(value_from_text(turn.number))


@dataclass(frozen=True, slots=True)
class RunView:
    """A run in a list, with its latest score unless it continued since, and if it is incomplete, its progress."""

    run: RunRecord
    score: ScoreRecord | None = None
    progress: Mapping[ExampleStatus, int] = field(default_factory=dict)
    outdated: bool = False

    @property
    def finished_conversations(self) -> int:
        """The number of finished conversations."""
        if self.run.status == "complete":
            return self.run.conversations
        return self.progress.get("complete", 0) + self.progress.get("failed", 0)


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts over the turns of a run."""

    tallies: Mapping[TurnClass, Sequence[Tally]]
    causes: Mapping[str, int] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return sum(tally.turns for tally in self.tallies["index"])


class RunViews:
    """Reads runs of a store and their scores; an async context manager that closes the scores."""

    def __init__(self, store: RunStore, uri: str) -> None:
        self._store, self._scores = store, open_scores(uri)

    async def __aenter__(self) -> Self:
        """Return the object itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the scores."""
        if self._scores is not None:
            await self._scores.close()

    async def choices(self) -> RunChoices:
        """Return the values that runs can be filtered by."""
        return await self._store.run_choices()

    async def runs(self, wanted: RunFilter, part: ListPart) -> ListPage[RunView]:
        """Return runs with their scores, the latest first; incomplete runs with their progress."""
        found = await self._store.list_runs(wanted, part)
        scores = await self._scores.latest_scores([run.id for run in found.items]) if self._scores else {}
        views = [await self._view(run, scores.get(run.id)) for run in found.items]
        return part.page(views, found.total)

    async def run(self, run: str) -> RunView:
        """Return one run."""
        record = await self._store.run(run)
        scores = await self._scores.latest_scores([run]) if self._scores else {}
        return await self._view(record, scores.get(run))

    async def _view(self, run: RunRecord, score: ScoreRecord | None) -> RunView:
        progress = {} if run.status == "complete" else await self._store.progress(run.id)
        counts = score is not None and is_score_of(score, run)
        return RunView(run, score if counts else None, progress, outdated=score is not None and not counts)

    async def counts(self, view: RunView) -> RunCounts:
        """Count the turns of a run."""
        run = view.run.id
        if self._scores is not None and view.score is not None:
            tallies = {by: await self._scores.tally(run, by) for by in BREAKDOWNS}
            return RunCounts(tallies, await self._scores.causes(run))
        counted = {by: await self._store.count_turns(run, by) for by in BREAKDOWNS}
        return RunCounts({by: [Tally(name, 0, 0, n) for name, n in found.items()] for by, found in counted.items()})

    async def turns(
        self, view: RunView, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart
    ) -> ListPage[RunTurn]:
        """Return turns of a run, with their verdicts if it was scored."""
        if self._scores is not None and view.score is not None:
            return (await self._scores.list_turns(view.run.id, wanted, verdicts, part)).map(run_turn)
        if verdicts != VerdictFilter():
            return part.page((), 0)
        return (await self._store.list_turns(view.run.id, wanted, part)).map(lambda turn: run_turn((turn, None)))

    async def neighbours(self, view: RunView, conversation: str) -> tuple[RunTurn, ...]:
        """Return all turns of a conversation in order."""
        page = await self.turns(view, TurnFilter(conversation=conversation), VerdictFilter(), ListPart(0, 200))
        return page.items

    async def compare(
        self, first: RunView, second: RunView, wanted: PairFilter, part: ListPart
    ) -> ListPage[RunTurnPair]:
        """Return turns of two runs side by side."""
        found = await self._open_scores(first, second).compare(first.run.id, second.run.id, wanted, part)
        return found.map(
            lambda pair: RunTurnPair(
                first=run_turn(pair[0]),
                second=run_turn(pair[1]),
                differ=not are_same_answer(*(turn.number for turn, _ in pair)),
            )
        )

    async def count_pairs(self, first: RunView, second: RunView) -> PairCounts:
        """Count the outcomes of two runs' turns."""
        return await self._open_scores(first, second).count_pairs(first.run.id, second.run.id)

    def _open_scores(self, first: RunView, second: RunView) -> ScoreStore:
        if self._scores is None:
            raise InputError("this store has no scores, so its runs cannot be compared")
        require_same_questions(first.run, second.run)
        return self._scores


def by_chance(counts: PairCounts) -> float | None:
    """Return the p-value of the exact McNemar test; None if no turn is judged in both, or SciPy is not installed."""
    if find_spec("scipy") is None or not counts.outcomes.keys() - {"unjudged"}:
        return None
    return mcnemar(counts.outcomes.get("first", 0), counts.outcomes.get("second", 0))


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
        verdicts = verdicts_on(file, records) if file and view.score else ()
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
            reference=next((one for one in verdicts if one.turn == record.index), None),
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
