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
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.plan.rows import TableRows
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.calibration import CalibrationReport, calibration_report
from quaestor.scoring.cause import Cause
from quaestor.scoring.diagnosis import causes
from quaestor.scoring.gold import GoldTurn, StatedAnswer
from quaestor.scoring.pages import PageNumbers, benchmark_rows_of, page_numbers
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.scorers import (
    PROGRAMS,
    SCORERS,
    STATED,
    Measures,
    Scorer,
    Verdict,
    measures_for,
    measures_of,
)
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
        verdicts: By the name of each scorer that judges such turns; None where it cannot, for want of what it needs.
        kind: What kind of turn it is.
        confidence: The solver's probability that the answer is right, or None.
        cause: Why it is wrong; None where it is right.
        stated: The answer as it is stated, where the reference is; else None.
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
    verdicts: Mapping[str, Verdict]
    kind: TurnKind
    confidence: float | None = None
    cause: Cause | None = None
    stated: StatedAnswer | None = None

    @property
    def correct(self) -> bool:
        """Whether it is right by the benchmark: by execution accuracy, of a stated answer by exact match."""
        return self.verdicts[measures_of(self.verdicts).right] == 1

    @property
    def program_correct(self) -> bool:
        """Whether it is right by official program accuracy; False where there is no reference program."""
        return bool(self.verdicts.get("program"))


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
    """Returns the verdict on every labelled turn of the conversations that were to be run, and the figures.

    Args:
        predictions: In any order.
        gold: The reference answers by conversation.
        conversations: Exactly those that were to be run.

    Raises:
        DatasetError: A conversation has no reference answers, or a prediction belongs to no turn or to a turn that
            has one already.
        ProgramError: A reference program does not parse.
    """
    turns = explain_verdicts(predictions, gold, conversations)
    return Report(turns, summarise(turns))


def explain_verdicts(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    conversations: Iterable[Conversation],
) -> tuple[TurnScore, ...]:
    """Returns the verdict on every labelled turn, with why it is wrong: a report without its figures.

    Args:
        predictions: In any order.
        gold: The reference answers by conversation.
        conversations: Exactly those that were to be run.

    Raises:
        DatasetError: A conversation has no reference answers, or a prediction belongs to no turn or to a turn that
            has one already.
        ProgramError: A reference program does not parse.
    """
    conversations, pages = tuple(conversations), _Pages()
    judged = _judged(predictions, gold, conversations, pages)
    turns: list[TurnScore] = []
    for conversation in conversations:
        reference, found = gold[conversation.id], judged[conversation.id]
        page, tables = pages.of(conversation.document)
        given, scored = [prediction for prediction, _ in found], [turn for _, turn in found]
        why = causes(conversation, reference, given, [turn.correct for turn in scored], page, tables)
        turns += [replace(turn, cause=cause) for turn, cause in zip(scored, why, strict=True)]
    return tuple(turns)


Judgements = Mapping[str, Sequence[tuple[Prediction | None, TurnScore]]]
"""By conversation every labelled turn: what was predicted, where anything was, and the verdicts, without a cause."""


def judge_predictions(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    conversations: Iterable[Conversation],
) -> Judgements:
    """Returns the verdicts alone, which take a fraction of the time of a report.

    Args:
        predictions: In any order.
        gold: The reference answers by conversation.
        conversations: Exactly those that were to be run.

    Raises:
        DatasetError: A conversation has no reference answers, or a prediction belongs to no turn or to a turn that
            has one already.
        ProgramError: A reference program does not parse.
    """
    return _judged(predictions, gold, conversations, _Pages())


class _Pages:
    """What scoring needs of pages, read once for all conversations about one."""

    def __init__(self) -> None:
        # With each its document, which keeps its identity while it is held.
        self._read: dict[int, tuple[Document, PageNumbers, tuple[TableRows, ...]]] = {}

    def of(self, document: Document) -> tuple[PageNumbers, tuple[TableRows, ...]]:
        if id(document) not in self._read:
            self._read[id(document)] = document, page_numbers(document), benchmark_rows_of(document)
        return self._read[id(document)][1:]


def _judged(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    conversations: Iterable[Conversation],
    pages: _Pages,
) -> Judgements:
    asked = {conversation.id: conversation for conversation in conversations}
    answered = _by_turn(predictions, gold, asked)
    found: dict[str, list[tuple[Prediction | None, TurnScore]]] = {}
    for id, conversation in asked.items():
        document, reference = conversation.document, gold[id]
        page, tables = pages.of(document)
        kinds = turn_kinds(reference, page, joined=conversation.joined)
        given = [answered.get((id, kind.index)) for kind in kinds]
        found[id] = [
            (prediction, _scored(prediction or Prediction(id, kind.index, None), turn, kind, document.id, tables))
            for prediction, turn, kind in zip(given, reference, kinds, strict=True)
        ]
    return found


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
    named = _BREAKDOWNS[measures_of(turn.verdicts).right]
    return {by: name(turn.kind) for by, name in named.items()}


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
    scorers = [SCORERS[name] for name in measures_for(gold).scorers]
    judges = {scorer.name: scorer.judge for scorer in scorers if scorer.judge}
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
        verdicts={name: judge(prediction, gold, tables) for name, judge in judges.items()},
        kind=kind,
        confidence=prediction.confidence,
        stated=prediction.stated if gold.stated else None,
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
