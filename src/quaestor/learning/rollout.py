"""Labelled conversations played with the solver's own answers as history, to learn how sure it may be.

Played by weights that have not seen the company.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.core.quantity import Scale
from quaestor.learning.labels import LabelledTurn
from quaestor.learning.pages import PlayedTurn, reaching
from quaestor.solvers.embedded.beam import START, advance_beam, rank_hypotheses
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import Evidence
from quaestor.solvers.embedded.turn_state import TurnAction


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """A turn reached with the solver's own history.

    Attributes:
        evidence: What the confidence of its answer is computed from.
        right: Whether the answer was gold's.
    """

    evidence: Evidence
    right: bool


def free_rollout(turns: Sequence[PlayedTurn], weights: EmbeddedWeights) -> Iterator[ReplayedTurn]:
    """Yield the turns of one conversation, given as gold plays them; it ends when no plan fits."""
    paths, history = START, 1.0
    for number, turn in enumerate(turns):
        question = turn.label.question
        choices = rank_hypotheses(paths, question, turn.page, weights, alone=turn.alone)
        if not choices.ranked:
            return
        evidence = choices.evidence(history, number)
        yield ReplayedTurn(evidence, is_right(choices.ranked[0].outcome, turn.label))
        history *= evidence.share
        paths = advance_beam(choices, question)


def is_right(outcome: TurnAction, label: LabelledTurn) -> bool:
    """Return whether an outcome comes to gold's answer."""
    value = np.array([np.nan if outcome.value is None else outcome.value])
    percent = np.array([outcome.operation == "lookup" and outcome.counts.scale is Scale.PERCENT])
    return bool(reaching(value, percent, label.answer)[0])
