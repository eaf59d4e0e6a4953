"""Finds the wrong turns of a run, and the conversations that did not finish."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from quaestor.application import score_service
from quaestor.application.run_references import read_labelled, scored_references, verdicts_on
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import Gold, read_judged_frame
from quaestor.application.stored_turns import stored_graph
from quaestor.core.computing import compute
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.scoring.cause import Cause
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

Place = tuple[str, int]
"""The conversation of a turn and its index there."""

_FULL_FIELDS = ("references", "events", "tool_calls", "sources")


@dataclass(frozen=True, slots=True)
class WrongTurn:
    """A wrong turn.

    Attributes:
        reference: The reference answer; None if it is not available, or only the saved score is.
        graph: The graph of the page, which names sources; None if not requested, or if the page has none.
    """

    turn: TurnRecord
    reference: GoldTurn | None = None
    cause: Cause | None = None
    graph: KnowledgeGraph | None = None


@dataclass(frozen=True, slots=True)
class WrongTurns:
    """The wrong turns of a run.

    Attributes:
        wrong: The number of wrong turns; without reference answers, of turns without an answer.
        turns: The requested ones of them, by conversation and index.
    """

    run: RunRecord
    total: int
    wrong: int
    turns: tuple[WrongTurn, ...]
    broken: tuple[ConversationRecord, ...]
    causes: Mapping[Cause, int]
    compared: bool


async def find_wrong_turns(
    store: RunStore,
    run: str,
    dataset: Path | None = None,
    scores_in: str | None = None,
    *,
    graphs: bool = False,
    most: int | None = None,
) -> WrongTurns:
    """Find the wrong turns of a run.

    The saved score is used, without reading more turns than requested, if the run is large or its labelled file is the
    one that it was scored with. Any other run is compared with its labelled file, if that is available.

    Args:
        dataset: The labelled file, if it has moved, or if the references of a large run are wanted.
    """
    record = await find_run(store, run, kind=OVER_DATASETS)
    score, saved = await read_judged_frame(scores_in, record) if scores_in else (None, None)
    gold: Gold | None = {} if record.conversations > score_service.LARGE else None
    if score is not None and saved is not None and dataset is None and gold is None:
        gold = await scored_references(score, record)
    broken = await store.examples(record.id, incomplete=True)
    if saved is None or dataset is not None or gold is None:
        file = await compute(read_labelled, record, dataset)
        # Conversations that will be run again are neither right nor wrong yet.
        waiting = {example.conversation for example in broken if example.status != "failed"}
        turns = {_place(turn): turn for turn in await store.turns(record.id) if turn.conversation not in waiting}
        verdicts = None if file is None else await compute(verdicts_on, file, tuple(turns.values()))
        gold = file.gold if file is not None and verdicts is not None else {}
        frame = saved if verdicts is None else TurnFrame.of(verdicts)
        wrong = (
            _find_wrong_turns(frame)
            if frame is not None
            else {place: None for place, turn in turns.items() if turn.number is None}
        )
        wrong = {place: cause for place, cause in wrong.items() if place in turns}
        shown, total = {place: turns[place] for place in list(wrong)[:most]}, len(turns)
        compared = frame is not None
    else:
        stored = {_place(turn) for example in broken for turn in await store.turns(record.id, example.conversation)}
        unfinished = {example.conversation for example in broken}
        wrong = {
            place: why
            for place, why in _find_wrong_turns(saved).items()
            if place[0] not in unfinished or place in stored
        }
        shown = {place: await store.turn(record.id, *place) for place in list(wrong)[:most]}
        total, compared = sum((await store.count_turns(record.id, "index")).values()), True
    pages = {name: await stored_graph(store, record.id, name) for name in {name for name, _ in shown} if graphs}
    found = [
        WrongTurn(turn, gold[name][index] if name in gold else None, wrong[name, index], pages.get(name))
        for (name, index), turn in shown.items()
    ]
    counts = sorted(Counter(filter(None, wrong.values())).items(), key=lambda cause: (-cause[1], cause[0]))
    return WrongTurns(record, total, len(wrong), tuple(found), broken, dict(counts), compared=compared)


def _place(turn: TurnRecord) -> Place:
    return turn.conversation, turn.index


def _find_wrong_turns(frame: TurnFrame) -> dict[Place, Cause | None]:
    """Return the wrong turns of a frame, each with its cause, if known."""
    places = zip(frame.conversations, frame.places, frame.causes, strict=True)
    return {
        (conversation, index): Cause(cause) if cause else None
        for at, (conversation, index, cause) in enumerate(places)
        if not frame.correct(at)
    }


def wrong_turn_objects(found: WrongTurns, *, full: bool = False) -> list[dict[str, JsonValue]]:
    """Return the wrong turns as JSON, `turn` from 0 as stored; `full` adds events, tool calls and sources."""
    return [
        {
            "conversation": wrong.turn.conversation,
            "turn": wrong.turn.index,
            "question": wrong.turn.question,
            "answer": wrong.turn.number,
            "program": wrong.turn.program,
            "error": wrong.turn.error,
            "cause": wrong.cause,
            "gold": str(wrong.reference.executed) if wrong.reference else None,
            "gold_program": wrong.reference.program if wrong.reference else None,
            **({name: getattr(wrong.turn, name) for name in _FULL_FIELDS} if full else {}),
        }
        for wrong in found.turns
    ]
