"""One turn, from question to ranked candidates: the steps of the solver in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.questions.question import Question
from quaestor.solvers.embedded.asked import Asked, read_turn
from quaestor.solvers.embedded.candidates import Candidates, enumerate_candidates
from quaestor.solvers.embedded.features import candidate_features
from quaestor.solvers.embedded.named_ratios import spelled_out
from quaestor.solvers.embedded.pool import operand_pool
from quaestor.solvers.embedded.scoring import leaf_features
from quaestor.solvers.embedded.signature import SignatureModel, signature_of
from quaestor.solvers.embedded.state import State
from quaestor.solvers.embedded.views import PageView
from quaestor.solvers.embedded.word_matrix import Floats


def signatures_of(state: State) -> tuple[str, ...]:
    """Returns the signature of each turn so far."""
    return tuple(
        signature_of(state.questions[n], outcome, State(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A question read against a page.

    Attributes:
        asked: The question in its conversation.
        signatures: The probability of each signature.
        measured: What is measured of each leaf.
    """

    asked: Asked
    signatures: Mapping[str, float]
    measured: Floats


def read_leaves(
    page: PageView, question: Question, state: State, signature: SignatureModel, references: ReferenceWeights
) -> Reading:
    """Returns what a question may do on a page, and what is measured of each leaf of the page for it.

    Args:
        signature: The classifier of what a turn does.
        references: The weights by which references are resolved.
    """
    told = spelled_out(question, page.leaves)
    signatures = signature.probabilities(told, state.questions, signatures_of(state))
    asked = read_turn(told, state, page.leaves, references)
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
    pool = operand_pool(page.leaves, probability, state, reading.asked.now, reading.signatures)
    candidates = enumerate_candidates(pool, reading.signatures, reading.asked.now)
    features = candidate_features(
        candidates, page.leaves, reading.measured, probability, reading.asked, state, reading.signatures
    )
    return candidates, features
