"""One turn, from question to ranked candidates: the steps of the solver in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.asked import Asked, read_turn
from quaestor.solvers.embedded.candidates import Candidates, enumerate_candidates, operand_pool
from quaestor.solvers.embedded.features import candidate_features
from quaestor.solvers.embedded.leaves import Floats
from quaestor.solvers.embedded.scoring import leaf_features
from quaestor.solvers.embedded.signature import signature_of
from quaestor.solvers.embedded.state import State
from quaestor.solvers.embedded.views import PageView


def signatures_of(state: State) -> tuple[str, ...]:
    """Returns the signature of each turn so far."""
    return tuple(
        signature_of(state.questions[n], outcome, State(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A question read against a page: what is measured of each leaf."""

    asked: Asked
    signatures: Mapping[str, float]
    measured: Floats


def read_leaves(page: PageView, question: str, state: State, signatures: Mapping[str, float]) -> Reading:
    """Returns what is measured of each leaf of the page for this question.

    Args:
        signatures: The probability of each signature.
    """
    asked = read_turn(question, state, page.leaves)
    lookup = sum(p for name, p in signatures.items() if name.startswith("lookup"))
    fresh = sum(p * name.count("new") for name, p in signatures.items())
    return Reading(asked, signatures, leaf_features(page, asked, state, lookup, fresh))


def build_candidates(
    page: PageView, reading: Reading, state: State, probability: NDArray[np.float64]
) -> tuple[Candidates, Floats]:
    """Returns the candidates of a turn, best prior first, and what is measured of each.

    Args:
        probability: The leaf scorer's probability of each leaf.
    """
    pool = operand_pool(page.leaves, probability, state, reading.asked.now)
    candidates = enumerate_candidates(pool, reading.signatures, reading.asked.now)
    features = candidate_features(
        candidates, page.leaves, reading.measured, probability, reading.asked, state, reading.signatures
    )
    return candidates, features
