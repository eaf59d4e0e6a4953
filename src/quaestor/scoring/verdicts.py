"""Verdicts on the labelled turns of a run: predictions compared with reference answers.

A missing or failed turn is wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerValue
from quaestor.core.caching import BoundedCache
from quaestor.core.words import words
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Block, Document
from quaestor.documents.table import Table
from quaestor.errors import DatasetError
from quaestor.plan.expressions import TableRows
from quaestor.retrieval.index import load_index
from quaestor.retrieval.question_texts import search_question
from quaestor.scoring.diagnosis import find_causes
from quaestor.scoring.filing_answers import Evidence
from quaestor.scoring.gold import GoldTurn, StatedAnswer
from quaestor.scoring.pages import PageNumbers, benchmark_rows_of, page_numbers
from quaestor.scoring.scorers import SCORERS, Prediction, Verdict, measures_for, measures_of
from quaestor.scoring.taxonomy import Cause, TurnKind, turn_kinds

_pages = BoundedCache[int, tuple[Document, PageNumbers, tuple[TableRows, ...]]](16)
"""The latest pages, as conversations about the same page usually follow each other."""


@dataclass(frozen=True, slots=True)
class TurnScore:
    """Turn with its verdicts.

    Attributes:
        display: The answer as the annotators show it, or None.
        verdicts: By the name of each scorer for such turns; None if the reference lacks what the scorer needs.
        stated: The stated answer if the reference is one; else None.
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
        """Whether the turn is right by the benchmark: execution accuracy, or exact match for stated answers."""
        return self.verdicts[measures_of(self.verdicts).right] == 1

    @property
    def program_correct(self) -> bool:
        """Whether the turn is right by official program accuracy; False without a reference program."""
        return bool(self.verdicts.get("program"))


def judge_predictions(
    predictions: Iterable[Prediction],
    gold: Mapping[str, Sequence[GoldTurn]],
    conversations: Iterable[Conversation],
    *,
    causes: bool = True,
) -> tuple[TurnScore, ...]:
    """Judge every labelled turn, with the causes of wrong ones."""
    by_id = {conversation.id: conversation for conversation in conversations}
    given = _align(predictions, gold, by_id)
    return tuple(
        turn
        for id, conversation in by_id.items()
        for turn in judge_conversation(conversation, gold[id], given[id], causes=causes)
    )


Given = Sequence[Prediction | None]
"""Predictions for the labelled turns of a conversation, in order; None if missing."""


def judge_conversation(
    conversation: Conversation, reference: Sequence[GoldTurn], given: Given, *, causes: bool = True
) -> list[TurnScore]:
    """Judge every labelled turn of a conversation, with the causes of wrong ones if `causes`."""
    document = conversation.document
    # The document is cached too, so that its id() is not reused.
    _, page, tables = _pages.get(id(document), lambda: (document, page_numbers(document), benchmark_rows_of(document)))
    judged, kinds = [], turn_kinds(reference, page, joined=conversation.joined)
    for found, turn, kind in zip(given, reference, kinds, strict=True):
        prediction = found or Prediction(conversation.id, kind.index, None)
        prediction = _with_evidence(prediction, turn, conversation, given)
        judged.append(_score(prediction, turn, kind, conversation, tables))
    if not causes:
        return judged
    why = find_causes(conversation, reference, given, [turn.correct for turn in judged], page, tables)
    return [replace(turn, cause=cause) for turn, cause in zip(judged, why, strict=True)]


def predictions_in_order(
    conversation: str, predictions: Iterable[Prediction], reference: Sequence[GoldTurn]
) -> list[Prediction | None]:
    """Return the prediction for each labelled turn of a conversation."""
    given: list[Prediction | None] = [None] * len(reference)
    for prediction in predictions:
        if not 0 <= prediction.turn < len(reference):
            raise DatasetError(f"turn {prediction.turn + 1} of {conversation} was predicted, but not asked")
        if given[prediction.turn] is not None:
            raise DatasetError(f"turn {prediction.turn + 1} of {conversation} was predicted twice")
        given[prediction.turn] = prediction
    return given


def require_references(gold: Mapping[str, object], conversations: Iterable[str]) -> None:
    """Raise a DatasetError if a conversation has no reference answers."""
    for conversation in conversations:
        if conversation not in gold:
            raise DatasetError(f"{conversation} has no reference answers, so it cannot be scored")


def _align(
    predictions: Iterable[Prediction], gold: Mapping[str, Sequence[GoldTurn]], conversations: Mapping[str, Conversation]
) -> Mapping[str, Given]:
    """Group the predictions by conversation, turn by turn."""
    require_references(gold, conversations)
    found: dict[str, list[Prediction]] = {id: [] for id in conversations}
    for prediction in predictions:
        if prediction.conversation not in found:
            raise DatasetError(f"turn {prediction.turn + 1} of {prediction.conversation} was predicted, but not asked")
        found[prediction.conversation].append(prediction)
    return {id: predictions_in_order(id, given, gold[id]) for id, given in found.items()}


def _with_evidence(prediction: Prediction, gold: GoldTurn, conversation: Conversation, given: Given) -> Prediction:
    """Add the rank of the question's evidence to a prediction, if the reference has evidence."""
    if gold.filing is None or gold.filing.evidence == Evidence() or conversation.document.is_page:
        return prediction
    turn = prediction.turn
    earlier, before = (conversation.questions[:turn], given[:turn]) if conversation.chained else ((), ())
    answers = [found.answer if found else None for found in before]
    shown = first_blocks(conversation.document, conversation.questions[turn], earlier, answers)
    return replace(prediction, evidence_rank=evidence_rank(gold.filing.evidence, conversation.document, shown))


def _score(
    prediction: Prediction, gold: GoldTurn, kind: TurnKind, conversation: Conversation, tables: Sequence[TableRows]
) -> TurnScore:
    number = None if prediction.error else prediction.number
    program = None if prediction.error else prediction.program
    judges = {name: judge for name in measures_for(gold).scorers if (judge := SCORERS[name].judge)}
    return TurnScore(
        conversation=conversation.id,
        page=conversation.document.id,
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


LOOKED_AT = 5
"""Number of blocks shown first."""
_LEAST_SHARE = 0.7


def evidence_rank(evidence: Evidence, document: Document, shown: Sequence[int]) -> int | None:
    """Return the rank, from 1, of the first shown block with the evidence, or 0; None if no block has it."""
    fitting = {block.order for block in document.blocks if _has_evidence(evidence, block)}
    if not fitting:
        return None
    return next((rank for rank, order in enumerate(shown, 1) if order in fitting), 0)


def first_blocks(
    document: Document, question: str, earlier: Sequence[str], answers: Sequence[Answer | None]
) -> tuple[int, ...]:
    """Return the indexes of the blocks that are shown first for a question."""
    sources = [answer.sources if answer else () for answer in answers]
    found = search_question(load_index(document, None), question, earlier, sources, LOOKED_AT)
    return tuple(dict.fromkeys((*found.needed, *(place.block for place in found.places))))[:LOOKED_AT]


def _has_evidence(evidence: Evidence, block: Block) -> bool:
    if evidence.pages:
        return block.page in evidence.pages
    if evidence.numbers:
        return not evidence.numbers.isdisjoint(_numbers_of(block))
    wanted = {*words(evidence.text.lower())}
    return bool(wanted) and len(wanted & {*words(_text_of(block).lower())}) >= _LEAST_SHARE * len(wanted)


def _numbers_of(block: Block) -> set[Decimal]:
    if isinstance(block.content, Table):
        cells = (cell for row in block.content.cells for cell in row)
        return {abs(quantity.value) for cell in cells for quantity in cell.quantities}
    sentences = getattr(block.content, "sentences", ())
    return {abs(mention.quantity.value) for sentence in sentences for mention in sentence.mentions}


def _text_of(block: Block) -> str:
    if isinstance(block.content, Table):
        return " ".join(cell.text for row in block.content.cells for cell in row)
    return " ".join(sentence.text for sentence in getattr(block.content, "sentences", ()))
