"""The results that a question can have, whichever plans come to them, with their probabilities."""

from collections.abc import Iterator

from quaestor.solvers.embedded.decode.beam import Hypotheses, Hypothesis
from quaestor.solvers.embedded.model.confidence import Evidence


def distinct_results(choices: Hypotheses) -> Iterator[tuple[Hypothesis, float]]:
    """Yields the likeliest plan of each result with the probability of the result, in the order of the plans."""
    yield from choices.results


def evidence_of(choices: Hypotheses, history: float, turn: int) -> Evidence:
    """Returns what speaks for the first result.

    Args:
        choices: The plans for the question, the likeliest first.
        history: The product of the shares of the answers before.
        turn: How many turns came before.
    """
    shares = [share for _, share in choices.results]
    return Evidence(shares[0], max(shares[1:], default=0.0), history, turn, choices.alone)
