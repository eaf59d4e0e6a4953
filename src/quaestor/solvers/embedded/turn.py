"""One turn, from question to ranked candidates: the steps of the solver in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates import Candidates, enumerate_candidates
from quaestor.solvers.embedded.features import candidate_features
from quaestor.solvers.embedded.pool import operand_pool
from quaestor.solvers.embedded.scoring import leaf_features
from quaestor.solvers.embedded.signature import SignatureModel, signature_of
from quaestor.solvers.embedded.state import State
from quaestor.solvers.embedded.turn_view import TurnView
from quaestor.solvers.embedded.word_matrix import Floats


def signatures_of(state: State) -> tuple[str, ...]:
    """Returns the signature of each turn so far."""
    return tuple(
        signature_of(state.questions[n], outcome, State(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn read against its page.

    Attributes:
        turn: Page, conversation and question.
        signatures: The probability of each signature.
        measured: What is measured of each leaf.
    """

    turn: TurnView
    signatures: Mapping[str, float]
    measured: Floats


def read_leaves(turn: TurnView, signature: SignatureModel) -> Reading:
    """Returns what a turn may do, and what is measured of each leaf of the page for it.

    Args:
        turn: Page, conversation and question.
        signature: The classifier of what a turn does.
    """
    signatures = signature.probabilities(turn.question, turn.state.questions, signatures_of(turn.state))
    lookup = sum(p for name, p in signatures.items() if name.startswith("lookup"))
    fresh = sum(p * name.count("new") for name, p in signatures.items())
    return Reading(turn, signatures, leaf_features(turn, lookup, fresh))


def build_candidates(reading: Reading, probability: NDArray[np.float64]) -> tuple[Candidates, Floats]:
    """Returns the candidates of a turn, best prior first, and what is measured of each.

    Args:
        reading: The turn.
        probability: The leaf scorer's probability of each leaf.
    """
    turn, signatures = reading.turn, reading.signatures
    pool = operand_pool(turn.leaves, probability, turn.state, turn.question, signatures)
    candidates = enumerate_candidates(pool, signatures, turn.question)
    return candidates, candidate_features(candidates, turn, reading.measured, probability, signatures)
