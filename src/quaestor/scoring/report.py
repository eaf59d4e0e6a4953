"""A run's predictions beside the reference answers: each turn's verdicts, and the figures with their breakdowns.

Owns the denominators: all labelled turns of the conversations that were to be run. A turn that is missing or failed
is wrong. Shows nothing: rendering is the command line's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.core.answer_value import AnswerValue, value_from_text
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, InputError, PlanError
from quaestor.plan.rows import TableRows
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.calibration import Certainty, certainty
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import display_match, executed_equal, legacy_match, program_equal, run_program
from quaestor.scoring.pages import benchmark_rows_of, page_numbers
from quaestor.scoring.taxonomy import TurnKind, turn_kinds


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a solver answered to one turn.

    Attributes:
        conversation: The conversation's id.
        turn: The turn's place in it, from 0.
        number: The answer by the benchmark's convention, as `quaestor.core.answer_value.value_to_text` writes it; None
            where there is none.
        program: The self-contained program text, or None.
        error: The named error that left the turn without an answer, or None.
        confidence: The solver's probability that the answer is right, where it gives one.
    """

    conversation: str
    turn: int
    number: str | None
    program: str | None = None
    error: str | None = None
    confidence: float | None = None

    @property
    def value(self) -> AnswerValue | None:
        """The answer as it is compared; None where there is none, where it failed, or where it does not read."""
        try:
            return None if self.number is None or self.error else value_from_text(self.number)
        except InputError:
            return None


@dataclass(frozen=True, slots=True)
class Scored:
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
        correct: By official execution accuracy.
        program_correct: By official program accuracy.
        display_correct: Within the shown decimals or one percent, or None where no display is known.
        legacy_correct: By the older rule, or None where no display is known.
        kind: What kind of turn it is.
        confidence: The solver's probability that the answer is right, or None.
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
    correct: bool
    program_correct: bool
    display_correct: bool | None
    legacy_correct: bool | None
    kind: TurnKind
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
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
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of a run.

    Attributes:
        execution: Official execution accuracy over turns.
        program: Official program accuracy over turns.
        conversations: Conversations with every turn right by execution accuracy.
        display: The lenient rule, over the turns whose display answer is known.
        legacy: The older rule, over the same turns.
        unanswered: Turns without an answer. They are wrong in every figure.
        breakdowns: By turn, operation, origin of the operands, and Single or Double.
        certainty: How far the confidences of the answers given can be believed; None where no answer carries one.
    """

    execution: Proportion
    program: Proportion
    conversations: Proportion
    display: Proportion
    legacy: Proportion
    unanswered: int
    breakdowns: tuple[Breakdown, ...]
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Every turn with its verdicts, and the figures."""

    turns: tuple[Scored, ...]
    score: Score


def score(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    documents: Mapping[str, Document],
) -> Report:
    """Returns the verdict on every labelled turn of the conversations that were to be run.

    Args:
        predictions: In any order.
        gold: The reference answers by conversation.
        documents: The pages of exactly those conversations that were to be run, by conversation.

    Raises:
        DatasetError: A conversation has no reference answers, or a prediction belongs to no turn or to a turn that
            has one already.
        ProgramError: A reference program does not parse.
    """
    answered = _by_turn(predictions, gold, documents)
    turns: list[Scored] = []
    for conversation, document in documents.items():
        reference = gold[conversation]
        kinds = turn_kinds(conversation, reference, page_numbers(document))
        tables = benchmark_rows_of(document)
        for turn, kind in zip(reference, kinds, strict=True):
            prediction = answered.get((conversation, kind.index)) or Prediction(conversation, kind.index, None)
            turns.append(_scored(prediction, turn, kind, document.id, tables))
    return Report(tuple(turns), summarise(turns))


def summarise(turns: Sequence[Scored]) -> Score:
    """Returns the figures over some turns."""
    shown = [turn for turn in turns if turn.display is not None]
    whole: dict[str, bool] = {}
    pages: dict[str, str] = {}
    for turn in turns:
        whole[turn.conversation] = whole.get(turn.conversation, True) and turn.correct
        pages[turn.conversation] = turn.page
    return Score(
        execution=_share(turns, lambda turn: turn.correct),
        program=_share(turns, lambda turn: turn.program_correct),
        conversations=proportion(list(whole.values()), [pages[conversation] for conversation in whole]),
        display=_share(shown, lambda turn: bool(turn.display_correct)),
        legacy=_share(shown, lambda turn: bool(turn.legacy_correct)),
        unanswered=sum(turn.predicted is None for turn in turns),
        breakdowns=(
            _breakdown("turn", turns, lambda kind: f"turn {kind.index + 1}"),
            _breakdown("operation", turns, lambda kind: kind.operation),
            _breakdown("origin", turns, lambda kind: kind.origin.value),
            _breakdown("conversation", turns, lambda kind: "Double" if kind.joined else "Single"),
        ),
        certainty=_certainty(turns),
    )


def _by_turn(
    predictions: Iterable[Prediction], gold: Mapping[str, Sequence[GoldTurn]], documents: Mapping[str, Document]
) -> dict[tuple[str, int], Prediction]:
    for conversation in documents:
        if conversation not in gold:
            raise DatasetError(f"{conversation} has no reference answers: it cannot be scored")
    answered: dict[tuple[str, int], Prediction] = {}
    for prediction in predictions:
        key = (prediction.conversation, prediction.turn)
        if prediction.conversation not in documents or not 0 <= prediction.turn < len(gold[prediction.conversation]):
            raise DatasetError(f"turn {prediction.turn + 1} of {prediction.conversation} was predicted, but not asked")
        if key in answered:
            raise DatasetError(f"turn {prediction.turn + 1} of {prediction.conversation} was predicted twice")
        answered[key] = prediction
    return answered


def _scored(prediction: Prediction, gold: GoldTurn, kind: TurnKind, page: str, tables: Sequence[TableRows]) -> Scored:
    number = None if prediction.error else prediction.number
    answer = prediction.value
    program = None if prediction.error else prediction.program
    return Scored(
        conversation=prediction.conversation,
        page=page,
        turn=prediction.turn,
        predicted=number,
        program=program,
        error=prediction.error,
        gold=gold.executed,
        gold_program=gold.program,
        display=gold.display,
        correct=executed_equal(answer, gold.executed),
        program_correct=program is not None and _runs(program, tables) and program_equal(program, gold.program),
        display_correct=None if gold.display is None else display_match(answer, gold.display),
        legacy_correct=None if gold.display is None else legacy_match(answer, gold.display),
        kind=kind,
        confidence=prediction.confidence,
    )


def _runs(program: str, tables: Sequence[TableRows]) -> bool:
    """Returns whether a program has a result: the benchmark compares programs only where it has."""
    try:
        run_program(program, tables)
    except PlanError:
        return False
    return True


def _certainty(turns: Sequence[Scored]) -> Certainty | None:
    """The figures over the answers given; one that was withheld has a confidence, and nothing to be right."""
    sure = [(turn, turn.confidence) for turn in turns if turn.predicted is not None and turn.confidence is not None]
    return certainty(
        [confidence for _, confidence in sure], [turn.correct for turn, _ in sure], [turn.page for turn, _ in sure]
    )


def _share(turns: Sequence[Scored], right: Callable[[Scored], bool]) -> Proportion:
    return proportion([right(turn) for turn in turns], [turn.page for turn in turns])


def _breakdown(by: str, turns: Sequence[Scored], name: Callable[[TurnKind], str]) -> Breakdown:
    members: dict[str, list[Scored]] = {}
    for turn in turns:
        members.setdefault(name(turn.kind), []).append(turn)
    # Turns in their own order, other classes by size.
    ordered = sorted(members, key=lambda key: (members[key][0].kind.index if by == "turn" else -len(members[key]), key))
    return Breakdown(
        by,
        tuple(
            Group(
                key,
                _share(members[key], lambda turn: turn.correct),
                _share(members[key], lambda turn: turn.program_correct),
            )
            for key in ordered
        ),
    )
