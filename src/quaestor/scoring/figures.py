"""The figures of judged turns, with their breakdowns, and their written form.

Owns the denominators and the classes that turns are split by. Shows nothing: rendering is the command line's.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.calibration import CalibrationReport, calibration_report
from quaestor.scoring.cause import Cause
from quaestor.scoring.scorers import (
    PROGRAMS,
    SCORERS,
    STATED,
    Measures,
    Scorer,
    measures_of,
)
from quaestor.scoring.taxonomy import TurnKind
from quaestor.scoring.verdicts import TurnScore


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
        raise ValueError("it is no score")
    measures_of(data)
    rest = {"unanswered", "breakdowns", "certainty", "causes"}
    figures = {name: figure for name, figure in data.items() if name not in rest}
    kept = {name: data[name] for name in rest & data.keys()}
    kept["breakdowns"] = [
        {**part, "groups": [{"name": group.pop("name"), "figures": group} for group in map(dict, part["groups"])]}
        for part in data.get("breakdowns", ())
    ]
    return serial.load(Score, {"results": figures, **kept})


_BREAKDOWNS: Mapping[str, Mapping[str, Callable[[TurnKind], str]]] = {
    PROGRAMS.right: {
        "turn": lambda kind: f"turn {kind.index + 1}",
        "operation": lambda kind: kind.operation,
        "origin": lambda kind: kind.origin.value,
        "conversation": lambda kind: "Double" if kind.joined else "Single",
    },
    STATED.right: {
        "answer": lambda kind: kind.stated.kind if kind.stated else "",
        "source": lambda kind: kind.stated.source if kind.stated else "",
        "form": lambda kind: kind.stated.form if kind.stated else "",
        "answer and source": lambda kind: f"{kind.stated.kind}, {kind.stated.source}" if kind.stated else "",
    },
}
"""By what the turns are split, by the scorer that says whether they are right."""


def classes_of_turn(turn: TurnScore) -> dict[str, str]:
    """Returns the class of a turn in each breakdown, by the breakdown's property."""
    return classes_of_kind(turn.kind, measures_of(turn.verdicts))


def classes_of_kind(kind: TurnKind, measures: Measures) -> dict[str, str]:
    """Returns the class of a kind of turn in each breakdown, likewise."""
    return {by: name(kind) for by, name in _BREAKDOWNS[measures.right].items()}


def summarise(turns: Sequence[TurnScore]) -> Score:
    """Returns the figures over some turns, all of one kind of reference."""
    measures = measures_of(turns[0].verdicts) if turns else PROGRAMS
    return Score(
        results={name: _result(SCORERS[name], turns) for name in measures.scorers},
        unanswered=sum(turn.predicted is None for turn in turns),
        breakdowns=tuple(_breakdown(by, turns, name, measures) for by, name in _BREAKDOWNS[measures.right].items()),
        certainty=_certainty(turns),
        causes=dict(Counter(turn.cause for turn in turns if turn.cause is not None).most_common()),
    )


def _result(scorer: Scorer, turns: Sequence[TurnScore]) -> Proportion:
    if scorer.whole is None:
        return _share(turns, scorer.name)
    right: dict[str, bool] = {}
    pages: dict[str, str] = {}
    for turn in turns:
        if (verdict := turn.verdicts[scorer.whole]) is not None:
            right[turn.conversation] = right.get(turn.conversation, True) and verdict == 1
            pages[turn.conversation] = turn.page
    return proportion(list(right.values()), list(pages.values()))


def _certainty(turns: Sequence[TurnScore]) -> CalibrationReport | None:
    """The figures over the answers given; one that was withheld has a confidence, and nothing to be right."""
    sure = [(turn, turn.confidence) for turn in turns if turn.predicted is not None and turn.confidence is not None]
    return calibration_report(
        [confidence for _, confidence in sure], [turn.correct for turn, _ in sure], [turn.page for turn, _ in sure]
    )


def _share(turns: Sequence[TurnScore], scorer: str) -> Proportion:
    judged = [(verdict, turn.page) for turn in turns if (verdict := turn.verdicts[scorer]) is not None]
    return proportion([verdict for verdict, _ in judged], [page for _, page in judged])


def _breakdown(by: str, turns: Sequence[TurnScore], name: Callable[[TurnKind], str], measures: Measures) -> Breakdown:
    members: dict[str, list[TurnScore]] = {}
    for turn in turns:
        members.setdefault(name(turn.kind), []).append(turn)
    # Turns in their own order, other classes by size.
    ordered = sorted(members, key=lambda key: (members[key][0].kind.index if by == "turn" else -len(members[key]), key))
    shown = (measures.right, measures.beside)
    return Breakdown(
        by, tuple(ScoreGroup(key, {name: _share(members[key], name) for name in shown}) for key in ordered)
    )
