"""Reads the scores saved beside runs; for people, never for a solver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quaestor.scores.base import open_scores
from quaestor.scores.records import ConversationScoreRecord, ScoreRecord, Verdicts
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.records import RunRecord

LARGE = 1_000
"""The number of conversations above which a run's file is not read if the run has a saved score."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """The saved scores of a run; `latest` has the latest score by each labelled file, the latest first."""

    latest: tuple[ScoreRecord, ...] = ()
    conversations: Mapping[str, ConversationScoreRecord] = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    outdated: bool = False

    @property
    def current(self) -> ScoreRecord | None:
        """The latest score, unless the run continued after it."""
        return self.latest[0] if self.latest and not self.outdated else None


async def read_run_scores(uri: str, run: RunRecord, *, figures_only: bool = False) -> RunScores:
    """Read the saved scores of a run; empty if it was not scored, or its store does not keep scores."""
    opened = open_scores(uri)
    if opened is None:
        return RunScores()
    async with opened as store:
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
    opened = open_scores(uri)
    if opened is None:
        return None, None
    async with opened as store:
        score = (await store.latest_scores([run.id])).get(run.id)
        if score is None or not is_score_of(score, run):
            return score, None
        return score, await store.judged_frame(run.id)


async def read_latest_scores(uri: str, runs: Sequence[RunRecord]) -> Mapping[str, ScoreRecord]:
    """Return the latest score of each scored run by the run's id."""
    opened = open_scores(uri)
    if opened is None:
        return {}
    found: dict[str, ScoreRecord] = {}
    async with opened as store:
        for score in await store.scores():
            found.setdefault(score.run, score)
    return {run.id: found[run.id] for run in runs if run.id in found and is_score_of(found[run.id], run)}


def is_score_of(score: ScoreRecord, run: RunRecord) -> bool:
    """Return whether a score covers all answers of a run; resuming the run later makes it outdated."""
    return run.finished is not None and run.finished <= score.scored
