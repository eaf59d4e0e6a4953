"""The results that a question can have, whichever plans come to them, with their probabilities."""

import math
from collections.abc import Iterator

from quaestor.core.quantity import Scale
from quaestor.solvers.embedded.beam import Choice, Choices
from quaestor.solvers.embedded.confidence import Evidence
from quaestor.solvers.embedded.state import Outcome

Key = tuple[float, Scale]


def distinct(choices: Choices) -> Iterator[tuple[Choice, float]]:
    """Yields the likeliest plan of each result with the probability of the result, in the order of the plans."""
    shares: dict[Key, float] = {}
    for choice in choices.ranked:
        shares[_key(choice.outcome)] = shares.get(_key(choice.outcome), 0.0) + math.exp(choice.log)
    for choice in choices.ranked:
        share = shares.pop(_key(choice.outcome), None)
        if share is not None:
            yield choice, min(1.0, share)


def evidence_of(choices: Choices, history: float, turn: int) -> Evidence:
    """Returns what speaks for the first result.

    Args:
        history: The product of the shares of the answers before.
        turn: How many turns came before.
    """
    shares = [share for _, share in distinct(choices)]
    return Evidence(shares[0], max(shares[1:], default=0.0), history, turn)


def _key(outcome: Outcome) -> Key:
    return round(outcome.value or 0.0, 9), outcome.counts.scale
