"""Figures of a scored run: verdicts, accuracies with breakdowns, and their JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap

import numpy as np
from pydantic import JsonValue

from quaestor.core import serial
from quaestor.datasets.dataset import Conversation
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import SCORERS, Measures, Prediction, Scorer, measures_of
from quaestor.scoring.statistics import (
    CalibrationReport,
    Numbers,
    Proportion,
    calibration_report,
    group_places,
    proportion,
)
from quaestor.scoring.taxonomy import Cause
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import TurnScore, judge_predictions


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """Class of a breakdown (`divide`, `table`, `turn 3`) with the two figures of `Measures`."""

    name: str
    figures: Mapping[str, Proportion]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Turns split by one property of `TurnFrame.breakdowns`; each turn is in exactly one class."""

    by: str
    groups: tuple[ScoreGroup, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Figures of a run.

    Attributes:
        results: Each scorer's figure by the scorer's name, over the turns that it can judge.
        unanswered: Turns without an answer, which are wrong in every figure.
    """

    results: Mapping[str, Proportion]
    unanswered: int
    breakdowns: tuple[Breakdown, ...]
    certainty: CalibrationReport | None = None
    causes: Mapping[Cause, int] = field(default_factory=dict)

    @property
    def measures(self) -> Measures:
        """The measures of this kind of references."""
        return measures_of(self.results)

    @property
    def right(self) -> Proportion:
        """Turns that are right by the benchmark."""
        return self.results[self.measures.right]

    @property
    def execution(self) -> Proportion:
        """Official execution accuracy over turns; only for references that are programs."""
        return self.results["execution"]

    @property
    def program(self) -> Proportion:
        """Official program accuracy over turns; only for references that are programs."""
        return self.results["program"]


def score_to_json(score: Score) -> dict[str, JsonValue]:
    """Return a score as JSON: each scorer's figure under its name, then the remaining fields."""
    written: dict[str, JsonValue] = serial.dump(score)
    figures = written.pop("results")
    written["breakdowns"] = [
        {"by": part.by, "groups": [{"name": group.name, **serial.dump(group)["figures"]} for group in part.groups]}
        for part in score.breakdowns
    ]
    return {**(figures if isinstance(figures, dict) else {}), **written}


def score_of(turns: TurnFrame) -> Score:
    """Return the figures over the turns of a frame, which have the same kind of references."""
    shown = (turns.measures.right, turns.measures.second)

    def group(name: str, members: Numbers) -> ScoreGroup:
        return ScoreGroup(name, {scorer: share_of(turns, scorer, members) for scorer in shown})

    return Score(
        results={name: _result(SCORERS[name], turns) for name in turns.measures.scorers},
        unanswered=turns.answers.count(None),
        breakdowns=tuple(Breakdown(by, tuple(starmap(group, turns.groups(by)))) for by in turns.breakdowns),
        certainty=certainty_of(turns),
        causes={Cause(cause): count for cause, count in Counter(filter(None, turns.causes)).most_common()},
    )


def share_of(turns: TurnFrame, scorer: str, members: Numbers | None = None) -> Proportion:
    """Return a scorer's figure over some turns, or over all, without those that it cannot judge."""
    verdicts, pages = turns.verdicts_of(scorer), turns.page_groups
    if members is not None:
        verdicts, pages = verdicts[members], pages[members]
    judged = ~np.isnan(verdicts)
    return proportion(verdicts[judged], pages[judged])


def certainty_of(turns: TurnFrame) -> CalibrationReport | None:
    """Return the calibration of a run's answers; withheld answers do not count."""
    pairs = enumerate(zip(turns.answers, turns.confidences, strict=True))
    sure = {place: confidence for place, (answer, confidence) in pairs if answer is not None and confidence is not None}
    return calibration_report([*sure.values()], [*map(turns.correct, sure)], turns.page_groups[[*sure]] if sure else [])


def _result(scorer: Scorer, turns: TurnFrame) -> Proportion:
    if scorer.whole is None:
        return share_of(turns, scorer.name)
    verdicts = turns.verdicts_of(scorer.whole)
    judged = np.flatnonzero(~np.isnan(verdicts))
    conversations = group_places(turns.conversations)[judged]
    # A conversation is right if none of its turns is wrong; its page is the page of its last turn.
    members, wrong = np.bincount(conversations), np.bincount(conversations, verdicts[judged] != 1)
    pages = np.zeros(len(members), dtype=np.intp)
    pages[conversations] = turns.page_groups[judged]
    return proportion(wrong[members > 0] == 0, pages[members > 0])


@dataclass(frozen=True, slots=True)
class Report:
    """Turns of a run with their verdicts, and the figures."""

    turns: tuple[TurnScore, ...]
    score: Score


def score_predictions(
    predictions: Iterable[Prediction], gold: Mapping[str, Sequence[GoldTurn]], conversations: Iterable[Conversation]
) -> Report:
    """Judge every labelled turn of the given conversations and compute the figures."""
    turns = judge_predictions(predictions, gold, conversations)
    return Report(turns, score_of(TurnFrame.of(turns)))
