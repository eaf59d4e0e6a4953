"""A run scored: every turn with its verdicts, and the figures over them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.datasets.dataset import Conversation
from quaestor.scoring.figures import Score, summarise
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.verdicts import TurnScore, explain_verdicts


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
