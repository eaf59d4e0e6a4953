"""Judges stored runs again, by their labelled file: for comparisons and reports, wrong turns, other rules and audits.

Verdicts come from the labelled file if it is available and unchanged, else from the saved scores, which lack operations
and origins. Saved verdicts of a large run are used without reading its turns. References are only shown, never stored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from quaestor.application import score_service
from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.run_service import OVER_DATASETS, find_run, require_finished, require_same_questions
from quaestor.application.score_service import Gold, read_judged_frame, score_run
from quaestor.application.stored_turns import stored_graph
from quaestor.core import serial
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, QuaestorError, UnlabelledError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.scoring.audits import (
    Audit,
    AuditCandidate,
    AuditedScore,
    AuditedTurn,
    audit_candidates,
    audited_score,
    judge_turns,
)
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.figures import Score, score_of
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.scorers import Measures, prediction_of
from quaestor.scoring.statistics import Proportion
from quaestor.scoring.taxonomy import Cause
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.base import RunStore, open_store
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
    return RunFile({one.id: one for one in pages.conversations}, gold, (stat.st_mtime_ns, stat.st_size))


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


def verdicts_on(file: RunFile, turns: Sequence[TurnRecord]) -> tuple[TurnScore, ...]:
    """Judge turns of a run by their references; empty if none of their conversations has references."""
    answered = {turn.conversation for turn in turns} & file.gold.keys()
    conversations = [one for name, one in file.conversations.items() if name in answered]
    predictions = [prediction_of(turn) for turn in turns if turn.conversation in answered]
    return judge_predictions(predictions, file.gold, conversations) if conversations else ()


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

    The saved score of a large run is used, without reading more turns than requested. Any other run is compared with
    its labelled file, if that is available.

    Args:
        dataset: The labelled file, if it has moved, or if the references of a large run are wanted.
    """
    record = await find_run(store, run, kind=OVER_DATASETS)
    _, saved = await read_judged_frame(scores_in, record) if scores_in else (None, None)
    gold: Gold = {}
    broken = await store.examples(record.id, incomplete=True)
    if saved is None or dataset is not None or record.conversations <= score_service.LARGE:
        file = await compute(read_labelled, record, dataset)
        # Conversations that will be run again are neither right nor wrong yet.
        waiting = {example.conversation for example in broken if example.status != "failed"}
        turns = {_place(turn): turn for turn in await store.turns(record.id) if turn.conversation not in waiting}
        verdicts = () if file is None else await compute(verdicts_on, file, tuple(turns.values()))
        gold = file.gold if file is not None and verdicts else {}
        frame = TurnFrame.of(verdicts) if verdicts else saved
        compared, total = frame is not None, len(turns)
        wrong = dict.fromkeys(place for place, turn in turns.items() if turn.number is None)
        if frame is not None:
            wrong = {place: cause for place, cause in _find_wrong_turns(frame).items() if place in turns}
        shown = {place: turns[place] for place in list(wrong)[:most]}
    else:
        stored = {_place(turn) for example in broken for turn in await store.turns(record.id, example.conversation)}
        unfinished = {example.conversation for example in broken}
        found_wrong = _find_wrong_turns(saved).items()
        wrong = {place: why for place, why in found_wrong if place[0] not in unfinished or place in stored}
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


Basis = Literal["references", "kept scores"]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its verdicts, and if `judge_runs` was called with `whole`, its other figures.

    `seconds` has one value for each finished turn, 0 if unknown.
    """

    run: RunRecord
    turns: TurnFrame = field(repr=False)
    score: Score | None = None
    seconds: tuple[float, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)
    conventions: tuple[ConventionFigure, ...] = ()
    audited: tuple[AuditedTurn, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """Runs of the same questions with their verdicts, in the order given."""

    runs: tuple[JudgedRun, ...]
    labelled: RunFile | None = None

    @property
    def basis(self) -> Basis:
        """The source of the verdicts."""
        return "kept scores" if self.labelled is None else "references"

    @property
    def measures(self) -> Measures:
        """The scorers of the verdicts."""
        return self.runs[0].turns.measures


async def judge_runs(
    store: RunStore,
    runs: Sequence[RunRecord],
    scores_in: str,
    dataset: Path | None = None,
    *,
    whole: bool = False,
    audit: Audit | None = None,
) -> JudgedRuns:
    """Judge runs of the same questions.

    Args:
        dataset: The labelled file, if it has moved. Unless given, it is not read for large runs with saved scores.
        whole: Also compute all figures and the causes of wrong turns, which takes longer.
    """
    if dataset is None and not whole and audit is None and runs[0].conversations > score_service.LARGE:
        with suppress(InputError):  # one of them was not scored
            return JudgedRuns(tuple([await _saved_run(store, run, scores_in, whole) for run in runs]))
    labelled = await compute(read_labelled, runs[0], dataset)
    if labelled is None and audit is not None:
        raise InputError(f"{runs[0].dataset} was not found, but an audit needs its references: name the labelled file")
    if labelled is None:
        return JudgedRuns(tuple([await _saved_run(store, run, scores_in, whole) for run in runs]))
    judged = [await compute(_judged_run, run, await store.turns(run.id), labelled, whole, audit) for run in runs]
    return JudgedRuns(tuple(judged), labelled)


async def require_comparable(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    """Return the named runs without duplicates; raise an error unless they are complete and have the same questions."""
    found = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    runs = tuple({run.id: run for run in found}.values())
    for run in runs:
        require_same_questions(runs[0], run)
        await require_finished(store, run)
    return runs


def _judged_run(
    run: RunRecord, stored: Sequence[TurnRecord], labelled: RunFile, whole: bool, audit: Audit | None
) -> JudgedRun:
    conversations, predictions = tuple(labelled.conversations.values()), [prediction_of(turn) for turn in stored]
    turns = judge_predictions(predictions, labelled.gold, conversations, causes=whole)
    frame = TurnFrame.of(turns, {conversation.id: conversation.company for conversation in conversations})
    judged = JudgedRun(run, frame, audited=judge_turns(run.id, turns, conversations, audit) if audit else ())
    if not whole:
        return judged
    seconds = tuple((turn.finished - turn.started).total_seconds() for turn in stored if turn.finished is not None)
    used = sum((Usage.of_counts(turn.usage) for turn in stored if turn.usage), Usage())
    conventions = convention_figures(predictions, labelled.gold, conversations)
    return replace(judged, score=score_of(frame), seconds=seconds, usage=used, conventions=conventions)


async def _saved_run(store: RunStore, run: RunRecord, scores_in: str, whole: bool) -> JudgedRun:
    score, frame = await read_judged_frame(scores_in, run)
    if score is None or frame is None or not len(frame):
        why = "was not scored" if score is None else "was continued after it was scored"
        raise InputError(
            f"run {run.id} {why}, and {run.dataset} with its references was not found: score the run, or name the "
            "labelled file"
        )
    if not whole:
        return JudgedRun(run, frame)
    # The frame has only the verdicts that comparisons need; the figures of the other scorers were saved with the score.
    saved = {name: serial.restore(Proportion, figure) for name, figure in score.metrics.items()}
    figures = replace(await compute(score_of, frame), results=saved)
    measures = await store.measure_turns(run.id)
    seconds = tuple(milliseconds / 1000 for milliseconds in Counter(measures.milliseconds).elements())
    used = Usage()
    if any(measures.requests):
        for example in await store.examples(run.id):
            # One conversation at a time: all turns of a large run would not fit into memory.
            used = sum((Usage.of_counts(t.usage) for t in await store.turns(run.id, example.conversation)), used)
    return JudgedRun(run, frame, figures, seconds, used)


@dataclass(frozen=True, slots=True)
class RunAudit:
    """Raw and audited accuracy of a run (None without an audit), and references worth checking."""

    run: str
    score: AuditedScore | None
    candidates: tuple[AuditCandidate, ...]


async def audit_run(store: str, run: str, dataset: Path, audit: Audit | None, compared: Sequence[str] = ()) -> RunAudit:
    """Judge a run by an audit, and return references to check, first those on which other runs agree."""
    gold = read_gold(dataset)
    async with open_store(store, create=False) as opened:
        records = [await find_run(opened, name, kind=OVER_DATASETS) for name in (run, *compared)]
        pages = read_conversations_of_run(dataset, records[0])
        first, *others = [
            (await score_run(opened, record, pages, gold, wanted="verdicts")).report.turns for record in records
        ]
    score = audited_score(judge_turns(records[0].id, first, pages.conversations, audit), audit) if audit else None
    answers = [{(turn.conversation, turn.turn): turn.predicted for turn in turns} for turns in others]
    return RunAudit(records[0].id, score, audit_candidates(first, audit, answers))


@dataclass(frozen=True, slots=True)
class RunConventions:
    """A run judged by each convention, the benchmark's first; `audited` is that one with audited references."""

    run: RunRecord
    figures: tuple[ConventionFigure, ...]
    audited: ConventionFigure | None = None


async def run_conventions(
    store: RunStore, name: str, dataset: Path | None = None, audit: Audit | None = None
) -> RunConventions:
    """Judge a run by each convention; `dataset` is the labelled file, if it has moved."""
    (run,) = await require_comparable(store, [name])
    labelled = await compute(read_labelled, run, dataset)
    if labelled is None:
        raise InputError(f"{run.dataset}, with the references of run {run.id}, was not found: name the labelled file")
    found = [prediction_of(turn) for turn in await store.turns(run.id)]
    conversations = tuple(labelled.conversations.values())
    figures = await compute(convention_figures, found, labelled.gold, conversations)
    if audit is None:
        return RunConventions(run, figures)
    scores = await compute(judge_predictions, found, labelled.gold, conversations, causes=False)
    audited = await compute(judge_turns, run.id, scores, conversations, audit)
    by_audit = ConventionFigure(
        "audited",
        f"matches the official rule, with disputed references as settled by {audit.name}",
        audited_score(audited, audit).audited,
        gained=sum(turn.right and not turn.score.correct for turn in audited),
        lost=sum(turn.score.correct and not turn.right for turn in audited),
    )
    return RunConventions(run, figures, by_audit)
