"""The figures of judged turns, with their breakdowns, and their written form.

Owns the denominators. Shows nothing: rendering is the command line's.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.scoring.bootstrap import Proportion, group_members, group_places, proportion
from quaestor.scoring.calibration import CalibrationReport, calibration_report
from quaestor.scoring.cause import Cause
from quaestor.scoring.scorers import (
    SCORERS,
    Measures,
    Scorer,
    measures_of,
)
from quaestor.scoring.turn_columns import TurnColumns
from quaestor.scoring.verdicts import TurnScore

if TYPE_CHECKING:
    from quaestor.scoring.bootstrap import Numbers


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """One class of a breakdown.

    Attributes:
        name: The class: `divide`, `table`, `turn 3`.
        figures: Within it, the two figures of `Measures`: execution and program accuracy, or exact match and F1.
    """

    name: str
    figures: Mapping[str, Proportion]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The turns split by one property.

    Attributes:
        by: The property: `turn`, `operation`, `origin`, `conversation`; of stated answers `answer`, `source`, `form`,
            and the first two together.
        groups: Its classes; together they hold every turn once.
    """

    by: str
    groups: tuple[ScoreGroup, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of a run.

    Attributes:
        results: Of each scorer of such references, by its name: over the turns that it can judge.
        unanswered: Turns without an answer. They are wrong in every figure.
        breakdowns: By turn, operation, origin of the operands, and Single or Double; or by kind and source of answers.
        certainty: How far the confidences of the answers given can be believed; None where no answer carries one.
        causes: How many turns are wrong for each cause that occurs, the most frequent first.
    """

    results: Mapping[str, Proportion]
    unanswered: int
    breakdowns: tuple[Breakdown, ...]
    certainty: CalibrationReport | None = None
    causes: Mapping[Cause, int] = field(default_factory=dict)

    @property
    def measures(self) -> Measures:
        """What was measured."""
        return measures_of(self.results)

    @property
    def right(self) -> Proportion:
        """How many turns are right by the benchmark."""
        return self.results[self.measures.right]

    @property
    def execution(self) -> Proportion:
        """Official execution accuracy over turns; only of references that are programs."""
        return self.results["execution"]

    @property
    def program(self) -> Proportion:
        """Official program accuracy over turns; only of references that are programs."""
        return self.results["program"]


def score_to_json(score: Score) -> dict[str, JsonValue]:
    """Returns a score as JSON: each scorer's figure under its name, then the rest."""
    written: dict[str, JsonValue] = serial.dump(score)
    figures = written.pop("results")
    written["breakdowns"] = [
        {"by": part.by, "groups": [{"name": group.name, **serial.dump(group)["figures"]} for group in part.groups]}
        for part in score.breakdowns
    ]
    return {**(figures if isinstance(figures, dict) else {}), **written}


def score_from_json(data: object) -> Score:
    """Returns the score that `score_to_json` wrote.

    Raises:
        ValueError: It wrote no such thing.
    """
    if not isinstance(data, dict):
        raise ValueError("not a score")
    measures_of(data)
    rest = {"unanswered", "breakdowns", "certainty", "causes"}
    figures = {name: figure for name, figure in data.items() if name not in rest}
    kept = {name: data[name] for name in rest & data.keys()}
    kept["breakdowns"] = [
        {**part, "groups": [{"name": group.pop("name"), "figures": group} for group in map(dict, part["groups"])]}
        for part in data.get("breakdowns", ())
    ]
    return serial.restore(Score, {"results": figures, **kept})


def summarise(turns: Iterable[TurnScore]) -> Score:
    """Returns the figures over some turns, all of one kind of reference."""
    return score_of(TurnColumns(turns))


def score_of(turns: TurnColumns) -> Score:
    """Returns the figures over some turns that are held column by column."""
    pages = group_places(turns.pages)
    results = {name: _result(SCORERS[name], turns, pages) for name in turns.measures.scorers}
    causes = Counter(cause for at in range(len(turns)) if (cause := turns.cause(at)) is not None)
    return Score(
        results=results,
        unanswered=turns.answered.count(0),
        breakdowns=tuple(_breakdown(by, classes, turns, pages) for by, classes in turns.classes.items()),
        certainty=_certainty(turns, pages),
        causes=dict(causes.most_common()),
    )


def _result(scorer: Scorer, turns: TurnColumns, pages: "Numbers") -> Proportion:
    import numpy as np

    if scorer.whole is None:
        return _share(turns, scorer.name, pages)
    right: dict[str, bool] = {}
    page_of: dict[str, int] = {}
    # Of no turns there are no verdicts.
    for conversation, verdict, page in zip(
        turns.conversations, turns.verdicts.get(scorer.whole, ()), pages, strict=True
    ):
        if not isnan(verdict):
            right[conversation] = right.get(conversation, True) and verdict == 1
            page_of[conversation] = page
    return proportion(list(right.values()), np.array(list(page_of.values()), dtype=np.intp))


def _certainty(turns: TurnColumns, pages: "Numbers") -> CalibrationReport | None:
    """The figures over the answers given; one that was withheld has a confidence, and nothing to be right."""
    sure = [at for at, given in enumerate(turns.answered) if given and not isnan(turns.confidences[at])]
    return calibration_report([turns.confidences[at] for at in sure], [turns.correct(at) for at in sure], pages[sure])


def _share(turns: TurnColumns, scorer: str, pages: "Numbers", members: "Numbers | None" = None) -> Proportion:
    """Returns what a scorer says of some turns, or of all, as far as it can judge them."""
    import numpy as np

    verdicts = np.array(turns.verdicts.get(scorer, ()), dtype=float)
    if members is not None:
        verdicts, pages = verdicts[members], pages[members]
    judged = ~np.isnan(verdicts)
    return proportion(verdicts[judged], pages[judged])


def _breakdown(by: str, classes: Sequence[str], turns: TurnColumns, pages: "Numbers") -> Breakdown:
    members = {classes[found[0]]: found for found in group_members(group_places(classes))}
    # Turns in their own order, other classes by size.
    ordered = sorted(
        members, key=lambda name: (turns.places[members[name][0]] if by == "turn" else -len(members[name]), name)
    )
    shown = (turns.measures.right, turns.measures.beside)
    return Breakdown(
        by,
        tuple(
            ScoreGroup(name, {scorer: _share(turns, scorer, pages, members[name]) for scorer in shown})
            for name in ordered
        ),
    )
