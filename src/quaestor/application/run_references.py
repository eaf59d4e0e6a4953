"""The file that a run answered, read again: its documents, the references of its turns, and its wrong turns.

Used to show people the references of a scored run; none of it is stored. A file that has moved or changed since the
run is treated as missing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pydantic import JsonValue

from quaestor.application import score_service
from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import Gold, digest_of_references, read_judged_frame
from quaestor.application.stored_turns import stored_graph
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, QuaestorError, UnlabelledError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.scores.records import ScoreRecord
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.taxonomy import Cause
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

_FILES = 3


@dataclass(frozen=True, slots=True)
class RunFile:
    """The file that a run answered, with its conversations and references."""

    conversations: Mapping[str, Conversation]
    gold: Gold
    stamp: tuple[int, int] = (0, 0)


_CACHE: BoundedCache[tuple[str, int, int, str], RunFile | None] = BoundedCache(_FILES)


def find_run_file(run: RunRecord) -> RunFile | None:
    """Return the file of a run, cached until it changes; None if it is missing or has changed since the run."""
    path = Path(run.dataset)
    try:
        stat = path.stat()
        key = (run.dataset_digest, stat.st_mtime_ns, stat.st_size, str(path.absolute()))
        return _CACHE.get(key, lambda: read_run_file(path, run))
    except (OSError, QuaestorError):
        return None


def read_run_file(path: Path, run: RunRecord) -> RunFile | None:
    """Read the conversations and references of a run's file; None if its questions differ from the run's."""
    stat, pages = path.stat(), read_conversations_of_run(path, run)
    if pages.digest != run.dataset_digest:
        return None
    try:
        gold = read_gold(path)
    except UnlabelledError:
        gold = {}
    return RunFile(
        {conversation.id: conversation for conversation in pages.conversations}, gold, (stat.st_mtime_ns, stat.st_size)
    )


async def scored_references(score: ScoreRecord, run: RunRecord) -> Gold | None:
    """Return the references of a score, if this version computed it and the labelled file is unchanged."""
    try:
        gold = await compute(read_gold, Path(run.dataset))
    except (OSError, QuaestorError):
        return None
    known = score.references_digest
    same = known is not None and score.version == version("quaestor") and digest_of_references(gold) == known
    return gold if same else None


def read_labelled(run: RunRecord, named: Path | None) -> RunFile | None:
    """Return the labelled file of a run; None if it is missing, has changed or is unlabelled."""
    path = named or Path(run.dataset)
    if named is None and not path.is_file():
        return None
    file = read_run_file(path, run)
    if file is not None and file.gold:
        return file
    if named is None:
        return None
    if file is None:
        raise InputError(f"run {run.id} was over {run.dataset}, which has different questions: use that file")
    raise UnlabelledError(f"{path} has no reference answers: use the labelled file")


def verdicts_on(file: RunFile, turns: Sequence[TurnRecord]) -> tuple[TurnScore, ...] | None:
    """Judge turns of a run by their references; None if none of their conversations has references."""
    answered = {turn.conversation for turn in turns}
    conversations = [one for name, one in file.conversations.items() if name in answered and name in file.gold]
    if not conversations:
        return None
    labelled = {conversation.id for conversation in conversations}
    predictions = [prediction_of(turn) for turn in turns if turn.conversation in labelled]
    return judge_predictions(predictions, file.gold, conversations)


def reference_of(file: RunFile, turns: Sequence[TurnRecord], index: int) -> TurnScore | None:
    """Return the verdict on one turn, with its reference; None if it has none."""
    return next((turn for turn in verdicts_on(file, turns) or () if turn.turn == index), None)


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
