"""The results that a question can have, whichever plans come to them, with their probabilities."""

import math
from collections.abc import Iterator

from quaestor.core.quantity import Scale
from quaestor.solvers.embedded.decode.beam import Hypotheses, Hypothesis
from quaestor.solvers.embedded.model.confidence import Evidence
from quaestor.solvers.embedded.state.dialogue import TurnAction

Key = tuple[float, Scale]


def distinct_results(choices: Hypotheses) -> Iterator[tuple[Hypothesis, float]]:
    """Yields the likeliest plan of each result with the probability of the result, in the order of the plans."""
    shares: dict[Key, float] = {}
    for choice in choices.ranked:
        shares[_key(choice.outcome)] = shares.get(_key(choice.outcome), 0.0) + math.exp(choice.log)
    for choice in choices.ranked:
        share = shares.pop(_key(choice.outcome), None)
        if share is not None:
            yield choice, min(1.0, share)


def evidence_of(choices: Hypotheses, history: float, turn: int) -> Evidence:
    """Returns what speaks for the first result.

    Args:
        choices: The plans for the question, the likeliest first.
        history: The product of the shares of the answers before.
        turn: How many turns came before.
    """
    shares = [share for _, share in distinct_results(choices)]
    return Evidence(shares[0], max(shares[1:], default=0.0), history, turn)


def _key(outcome: TurnAction) -> Key:
    return round(outcome.value or 0.0, 9), outcome.counts.scale
