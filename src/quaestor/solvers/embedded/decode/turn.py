"""One turn, from question to ranked candidates: the steps of the solver in their order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates, enumerate_candidates
from quaestor.solvers.embedded.candidates.pool import operand_pool
from quaestor.solvers.embedded.features.candidates import candidate_features
from quaestor.solvers.embedded.features.numbers import leaf_features
from quaestor.solvers.embedded.model.signature import SignatureModel, Signatures, signature_of
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.embedded.state.dialogue import DialogueState
from quaestor.solvers.embedded.state.turn_view import TurnView


def signatures_of(state: DialogueState) -> tuple[str, ...]:
    """Return the signature of each turn so far."""
    return tuple(
        signature_of(state.questions[n], outcome, DialogueState(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class ActionTemplate:
    """A turn read against its page.

    Attributes:
        signatures: The probability of each signature.
        measured: What is measured of each leaf.
    """

    turn: TurnView
    signatures: Signatures
    measured: Floats


def read_leaves(turns: Sequence[TurnView], signature: SignatureModel) -> list[ActionTemplate]:
    """Return what a turn may do, and what is measured of each leaf of the page for it, after each reading.

    Args:
        turns: Page, conversation and question, after each reading of the turns before: one question, after the same
            questions.
        signature: The classifier of what a turn does.
    """
    known: dict[tuple[str, ...], Signatures] = {}
    signatures = []
    for turn in turns:
        # Many readings do the same on other numbers.
        done = signatures_of(turn.state)
        if done not in known:
            known[done] = signature.probabilities(turn.question, turn.state.questions, done)
        signatures.append(known[done])
    lookup = [one.operations["lookup"] for one in signatures]
    fresh = [one.new_leaves for one in signatures]
    measured = leaf_features(turns, lookup, fresh)
    return [ActionTemplate(*read) for read in zip(turns, signatures, measured, strict=True)]


def build_candidates(
    readings: Sequence[ActionTemplate], probability: Sequence[NDArray[np.float64]]
) -> tuple[Candidates, Floats]:
    """Return the candidates of a turn, of each reading best prior first, and what is measured of each.

    Args:
        readings: The turn, after each reading of the turns before.
        probability: The leaf scorer's probability of each leaf, likewise.

    Shape: Each array of `probability` has one entry a leaf; the features are candidates x `len(CANDIDATE_FEATURES)`.
    """
    turns, signatures = [reading.turn for reading in readings], [reading.signatures for reading in readings]
    pools = [
        operand_pool(reading.turn.leaves, likely, reading.turn.state, reading.turn.question, reading.signatures)
        for reading, likely in zip(readings, probability, strict=True)
    ]
    candidates = enumerate_candidates(pools, signatures, turns[0].question)
    measured = [reading.measured for reading in readings]
    return candidates, candidate_features(candidates, turns, measured, probability, signatures)
