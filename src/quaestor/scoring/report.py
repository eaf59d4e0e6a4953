"""A run's predictions beside the reference answers: each turn's verdicts, and the figures with their breakdowns.

Owns the denominators: all labelled turns of the conversations that were to be run. A turn that is missing or failed
is wrong. Shows nothing: rendering is the command line's.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue
from quaestor.datasets.dataset import Conversation
from quaestor.errors import DatasetError
from quaestor.plan.rows import TableRows
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.calibration import CalibrationReport, calibration_report
from quaestor.scoring.cause import Cause
from quaestor.scoring.diagnosis import causes
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.pages import benchmark_rows_of, page_numbers
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.scorers import SCORERS, Scorer
from quaestor.scoring.taxonomy import TurnKind, turn_kinds


@dataclass(frozen=True, slots=True)
class TurnScore:
    """One turn with its verdicts.

    Attributes:
        conversation: The conversation's id.
        page: The document's id.
        turn: The turn's place in the conversation, from 0.
        predicted: The answer as `Prediction.number`, or None.
        program: The predicted program, or None.
        error: The named error, or None.
        gold: The reference answer.
        gold_program: The reference program.
        display: The answer as the annotators show it, or None.
        verdicts: By the name of each scorer that judges turns; None where it cannot, for want of what it needs.
        kind: What kind of turn it is.
        confidence: The solver's probability that the answer is right, or None.
        cause: Why it is wrong; None where it is right.
    """

    conversation: str
    page: str
    turn: int
    predicted: str | None
    program: str | None
    error: str | None
    gold: AnswerValue
    gold_program: str
    display: str | None
    verdicts: Mapping[str, bool | None]
    kind: TurnKind
    confidence: float | None = None
    cause: Cause | None = None

    @property
    def correct(self) -> bool:
        """Whether it is right by official execution accuracy."""
        return bool(self.verdicts["execution"])

    @property
    def program_correct(self) -> bool:
        """Whether it is right by official program accuracy; False where there is no reference program."""
        return bool(self.verdicts["program"])


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """One class of a breakdown.

    Attributes:
        name: The class: `divide`, `table`, `turn 3`.
        execution: Official execution accuracy within it.
        program: Official program accuracy within it.
    """

    name: str
    execution: Proportion
    program: Proportion


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The turns split by one property.

    Attributes:
        by: The property: `turn`, `operation`, `origin`, `conversation`.
        groups: Its classes; together they hold every turn once.
    """

    by: str
    groups: tuple[ScoreGroup, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of a run.

    Attributes:
        results: Of each scorer of `quaestor.scoring.scorers`, by its name: over the turns that it can judge.
        unanswered: Turns without an answer. They are wrong in every figure.
        breakdowns: By turn, operation, origin of the operands, and Single or Double.
        certainty: How far the confidences of the answers given can be believed; None where no answer carries one.
        causes: How many turns are wrong for each cause that occurs, the most frequent first.
    """

    results: Mapping[str, Proportion]
    unanswered: int
    breakdowns: tuple[Breakdown, ...]
    certainty: CalibrationReport | None = None
    causes: Mapping[Cause, int] = field(default_factory=dict)

    @property
    def execution(self) -> Proportion:
        """Official execution accuracy over turns."""
        return self.results["execution"]

    @property
    def program(self) -> Proportion:
        """Official program accuracy over turns."""
        return self.results["program"]


def score_to_json(score: Score) -> dict[str, JsonValue]:
    """Returns a score as JSON: each scorer's figure under its name, then the rest."""
    written: dict[str, JsonValue] = serial.dump(score)
    figures = written.pop("results")
    return {**(figures if isinstance(figures, dict) else {}), **written}


def score_from_json(data: object) -> Score:
    """Returns the score that `score_to_json` wrote.

    Raises:
        ValueError: It wrote no such thing.
    """
    if not isinstance(data, dict) or "execution" not in data or "program" not in data:
        raise ValueError("it is no score")
    rest = {"unanswered", "breakdowns", "certainty", "causes"}
    figures = {name: figure for name, figure in data.items() if name not in rest}
    return serial.load(Score, {"results": figures, **{name: data[name] for name in rest & data.keys()}})


@dataclass(frozen=True, slots=True)
class Report:
    """Every turn with its verdicts, and the figures."""

    turns: tuple[TurnScore, ...]
    score: Score


def score_predictions(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    conversations: Iterable[Conversation],
) -> Report:
    """Returns the verdict on every labelled turn of the conversations that were to be run.

    Args:
        predictions: In any order.
        gold: The reference answers by conversation.
        conversations: Exactly those that were to be run.

    Raises:
        DatasetError: A conversation has no reference answers, or a prediction belongs to no turn or to a turn that
            has one already.
        ProgramError: A reference program does not parse.
    """
    asked = {conversation.id: conversation for conversation in conversations}
    answered = _by_turn(predictions, gold, asked)
    turns: list[TurnScore] = []
    for id, conversation in asked.items():
        document, reference = conversation.document, gold[id]
        page, tables = page_numbers(document), benchmark_rows_of(document)
        kinds = turn_kinds(reference, page, joined=conversation.joined)
        given = [answered.get((id, kind.index)) for kind in kinds]
        scored = [
            _scored(prediction or Prediction(id, kind.index, None), turn, kind, document.id, tables)
            for prediction, turn, kind in zip(given, reference, kinds, strict=True)
        ]
        why = causes(conversation, reference, given, [turn.correct for turn in scored], page, tables)
        turns += [replace(turn, cause=cause) for turn, cause in zip(scored, why, strict=True)]
    return Report(tuple(turns), summarise(turns))


def summarise(turns: Sequence[TurnScore]) -> Score:
    """Returns the figures over some turns."""
    return Score(
        results={scorer.name: _result(scorer, turns) for scorer in SCORERS.values()},
        unanswered=sum(turn.predicted is None for turn in turns),
        breakdowns=(
            _breakdown("turn", turns, lambda kind: f"turn {kind.index + 1}"),
            _breakdown("operation", turns, lambda kind: kind.operation),
            _breakdown("origin", turns, lambda kind: kind.origin.value),
            _breakdown("conversation", turns, lambda kind: "Double" if kind.joined else "Single"),
        ),
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
            right[turn.conversation] = right.get(turn.conversation, True) and verdict
            pages[turn.conversation] = turn.page
    return proportion(list(right.values()), list(pages.values()))


def _by_turn(
    predictions: Iterable[Prediction], gold: Mapping[str, Sequence[GoldTurn]], asked: Mapping[str, Conversation]
) -> dict[tuple[str, int], Prediction]:
    for conversation in asked:
        if conversation not in gold:
            raise DatasetError(f"{conversation} has no reference answers: it cannot be scored")
    answered: dict[tuple[str, int], Prediction] = {}
    for prediction in predictions:
        key = (prediction.conversation, prediction.turn)
        if prediction.conversation not in asked or not 0 <= prediction.turn < len(gold[prediction.conversation]):
            raise DatasetError(f"turn {prediction.turn + 1} of {prediction.conversation} was predicted, but not asked")
        if key in answered:
            raise DatasetError(f"turn {prediction.turn + 1} of {prediction.conversation} was predicted twice")
        answered[key] = prediction
    return answered


def _scored(
    prediction: Prediction, gold: GoldTurn, kind: TurnKind, page: str, tables: Sequence[TableRows]
) -> TurnScore:
    number = None if prediction.error else prediction.number
    program = None if prediction.error else prediction.program
    return TurnScore(
        conversation=prediction.conversation,
        page=page,
        turn=prediction.turn,
        predicted=number,
        program=program,
        error=prediction.error,
        gold=gold.executed,
        gold_program=gold.program,
        display=gold.display,
        verdicts={scorer.name: scorer.judge(prediction, gold, tables) for scorer in SCORERS.values() if scorer.judge},
        kind=kind,
        confidence=prediction.confidence,
    )


def _certainty(turns: Sequence[TurnScore]) -> CalibrationReport | None:
    """The figures over the answers given; one that was withheld has a confidence, and nothing to be right."""
    sure = [(turn, turn.confidence) for turn in turns if turn.predicted is not None and turn.confidence is not None]
    return calibration_report(
        [confidence for _, confidence in sure], [turn.correct for turn, _ in sure], [turn.page for turn, _ in sure]
    )


def _share(turns: Sequence[TurnScore], scorer: str) -> Proportion:
    judged = [(verdict, turn.page) for turn in turns if (verdict := turn.verdicts[scorer]) is not None]
    return proportion([verdict for verdict, _ in judged], [page for _, page in judged])


def _breakdown(by: str, turns: Sequence[TurnScore], name: Callable[[TurnKind], str]) -> Breakdown:
    members: dict[str, list[TurnScore]] = {}
    for turn in turns:
        members.setdefault(name(turn.kind), []).append(turn)
    # Turns in their own order, other classes by size.
    ordered = sorted(members, key=lambda key: (members[key][0].kind.index if by == "turn" else -len(members[key]), key))
    return Breakdown(
        by,
        tuple(ScoreGroup(key, _share(members[key], "execution"), _share(members[key], "program")) for key in ordered),
    )
