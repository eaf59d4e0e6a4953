"""Each labelled turn of a run with its verdicts: what was predicted beside the reference answer.

Owns which turns are judged: all labelled ones of the conversations that were to be run. One that is missing or failed
is wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from quaestor.core.answer_value import AnswerValue
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.plan.rows import TableRows
from quaestor.scoring.cause import Cause
from quaestor.scoring.diagnosis import causes
from quaestor.scoring.gold import GoldTurn, StatedAnswer
from quaestor.scoring.pages import PageNumbers, benchmark_rows_of, page_numbers
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.scorers import (
    SCORERS,
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
