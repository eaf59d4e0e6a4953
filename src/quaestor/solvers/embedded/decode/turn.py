"""One turn, from question to ranked candidates: the steps of the solver in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates, enumerate_candidates
from quaestor.solvers.embedded.candidates.pool import operand_pool
from quaestor.solvers.embedded.features.candidates import candidate_features
from quaestor.solvers.embedded.features.numbers import leaf_features
from quaestor.solvers.embedded.model.signature import SignatureModel, signature_of
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.embedded.state.dialogue import DialogueState
from quaestor.solvers.embedded.state.turn_view import TurnView


def signatures_of(state: DialogueState) -> tuple[str, ...]:
    """Returns the signature of each turn so far."""
    return tuple(
        signature_of(state.questions[n], outcome, DialogueState(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class ActionTemplate:
    """A turn read against its page.

    Attributes:
        turn: Page, conversation and question.
        signatures: The probability of each signature.
        measured: What is measured of each leaf.
    """

    turn: TurnView
    signatures: Mapping[str, float]
    measured: Floats


def read_leaves(turn: TurnView, signature: SignatureModel) -> ActionTemplate:
    """Returns what a turn may do, and what is measured of each leaf of the page for it.

    Args:
        turn: Page, conversation and question.
        signature: The classifier of what a turn does.
    """
    signatures = signature.probabilities(turn.question, turn.state.questions, signatures_of(turn.state))
    lookup = sum(p for name, p in signatures.items() if name.startswith("lookup"))
    fresh = sum(p * name.count("new") for name, p in signatures.items())
    return ActionTemplate(turn, signatures, leaf_features(turn, lookup, fresh))


def build_candidates(reading: ActionTemplate, probability: NDArray[np.float64]) -> tuple[Candidates, Floats]:
    """Returns the candidates of a turn, best prior first, and what is measured of each.

    Args:
        reading: The turn.
        probability: The leaf scorer's probability of each leaf.

    Shape: `probability` has one entry a leaf; the features are candidates x `len(CANDIDATE_FEATURES)`.
    """
    turn, signatures = reading.turn, reading.signatures
    pool = operand_pool(turn.leaves, probability, turn.state, turn.question, signatures)
    candidates = enumerate_candidates(pool, signatures, turn.question)
    return candidates, candidate_features(candidates, turn, reading.measured, probability, signatures)
