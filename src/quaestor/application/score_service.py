"""Scores stored runs by the reference answers of their datasets, and saves and reads the scores beside the runs.

Scores are for people, never for a solver.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Literal

from quaestor.application.run_service import require_finished
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError, StoreError
from quaestor.scores import ConversationScoreRecord, ScoreRecord, Verdicts, make_score_records, open_scores
from quaestor.scoring.figures import Report, score_of
from quaestor.scoring.gold import FileGold, GoldTurn
from quaestor.scoring.scorers import prediction_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore, judge_conversation, predictions_in_order, require_references
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

Gold = Mapping[str, Sequence[GoldTurn]]

ScoreParts = Literal["figures", "verdicts", "turns"]
"""The parts of a scored run to keep in memory: figures only, also the verdict on each turn, or also each stored turn.
For a hundred thousand turns the verdicts take hundreds of megabytes, the turns gigabytes."""


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run with its answers and verdicts.

    Attributes:
        turns: The turns by conversation and index; empty unless requested.
        report: The figures, and the verdict on every labelled turn if requested.
        broken: The conversations that a defect of the solver ended; their turns are wrong.
        unkept: The error if the score could not be saved, else None.
    """

    run: RunRecord
    turns: Mapping[tuple[str, int], TurnRecord]
    report: Report
    broken: tuple[ConversationRecord, ...]
    unkept: str | None = None


async def score_run(
    store: RunStore,
    run: RunRecord,
    dataset: Dataset,
    gold: Gold,
    keep_in: str | None = None,
    *,
    wanted: ScoreParts = "turns",
) -> ScoredRun:
    """Score a run, one conversation at a time; `keep_in` is the URI of the store for the score."""
    if run.dataset_digest != dataset.digest:
        raise InputError(f"run {run.id} was over {run.dataset}, which has different questions: score it with that file")
    await require_finished(store, run)
    require_references(gold, (one.id for one in dataset.listed))
    turns, calls_in = dict[tuple[str, int], TurnRecord](), dict[str, int]()
    judged, columns = list[TurnScore](), TurnFrame()
    for conversation in dataset.conversations:
        stored, reference = await store.turns(run.id, conversation.id), gold[conversation.id]
        given = predictions_in_order(conversation.id, map(prediction_of, stored), reference)
        for turn in judge_conversation(conversation, reference, given):
            columns.add(turn)
            if wanted != "figures":
                judged.append(turn)
        if calls := sum(len(turn.tool_calls) for turn in stored):
            calls_in[conversation.id] = calls
        if wanted == "turns":
            turns |= {(turn.conversation, turn.index): turn for turn in stored}
    report = Report(tuple(judged), score_of(columns))
    broken = tuple(one for one in await store.examples(run.id, incomplete=True) if one.status == "failed")
    scored = ScoredRun(run, turns, report, broken)
    if keep_in is not None:
        digest = gold.digest if isinstance(gold, FileGold) else None
        try:
            async with open_scores(keep_in) or nullcontext() as scores:
                if scores is not None:
                    await scores.add_score(
                        make_score_records(run, dataset.path, columns, report.score, calls_in, digest)
                    )
        except StoreError as error:
            # The caller gets the score although it was not saved.
            return replace(scored, unkept=str(error))
    return scored


LARGE = 1_000
"""The number of conversations above which a run's file is not read if the run has a saved score."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """The saved scores of a run; `latest` has the latest score by each labelled file, the latest first."""

    latest: tuple[ScoreRecord, ...] = ()
    conversations: Mapping[str, ConversationScoreRecord] = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    outdated: bool = False


async def read_run_scores(uri: str, run: RunRecord, *, figures_only: bool = False) -> RunScores:
    """Read the saved scores of a run; empty if it was not scored, or its store does not keep scores."""
    async with open_scores(uri) or nullcontext() as store:
        if store is None:
            return RunScores()
        by_file: dict[str, ScoreRecord] = {}
        for score in await store.scores(run.id):
            by_file.setdefault(score.dataset, score)
        latest = tuple(by_file.values())
        if not latest or not is_score_of(latest[0], run):
            return RunScores(latest, outdated=bool(latest))
        if figures_only:
            return RunScores(latest)
        conversations = await store.conversation_scores(run.id)
        verdicts = await store.verdicts(run.id)
    return RunScores(latest, {found.conversation: found for found in conversations}, verdicts)


async def read_judged_frame(uri: str, run: RunRecord) -> tuple[ScoreRecord | None, TurnFrame | None]:
    """Return the latest score of a run, and its verdicts with the answers, or None if the run continued after it."""
    async with open_scores(uri) or nullcontext() as store:
        score = (await store.latest_scores([run.id])).get(run.id) if store is not None else None
        if store is None or score is None or not is_score_of(score, run):
            return score, None
        return score, await store.judged_frame(run.id)


async def read_latest_scores(uri: str, runs: Sequence[RunRecord]) -> Mapping[str, ScoreRecord]:
    """Return the latest score of each scored run by the run's id."""
    async with open_scores(uri) or nullcontext() as store:
        found = {score.run: score for score in reversed(await store.scores())} if store is not None else {}
    return {run.id: found[run.id] for run in runs if run.id in found and is_score_of(found[run.id], run)}


def is_score_of(score: ScoreRecord, run: RunRecord) -> bool:
    """Return whether a score covers all answers of a run; resuming the run later makes it outdated."""
    return run.finished is not None and run.finished <= score.scored
