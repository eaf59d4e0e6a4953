"""Which sentences say why something moved: what they say it of, before the first word of a cause."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from quaestor.core.terms import term
from quaestor.facts.sentences import CAUSE, FALLS, RISES, STATIC, Floats, SentenceIndex

OF_TIME = frozenset(
    term(word)
    for word in """fiscal year years quarter month months ended three six nine twelve total net during compared same
    period prior january february march april may june july august september october november december first second
    third fourth increase decrease change growth decline reduction improvement drivers driver overall reported
    primary""".split()
)
"""Terms of a subject beside the thing that it is."""
_ASKED_OR_AMOUNT = frozenset(
    term(word)
    for word in """drive drove driven behind explain explains reason reasons made make happen happened hurt weigh
    weighed held push pushed swing jump jumped shrink shrank slip slipped cut little much weak strong low high big far
    back turn turned last latest previous approximately million billion thousand % percent primarily point points basis
    amount example""".split()
)
"""Terms that express a movement or its size, and do not name what moved."""
_NO_THING = OF_TIME | RISES | FALLS | CAUSE | _ASKED_OR_AMOUNT
_PRECISE = 0.5
"""How much of the value of a sentence it keeps that says it of many other things as well."""
_OTHERWISE = 0.6
"""How much it keeps if the thing moved the other way."""
_CAUSE = STATIC.index("cause")


def things_of(said: Collection[str]) -> frozenset[str]:
    """Return the terms of a question or a label that name a thing rather than its moves, times and amounts."""
    return frozenset(one for one in said if one not in _NO_THING and not one[0].isdigit())


def measure_causes(
    things: Sequence[Collection[str]], index: SentenceIndex, company: Collection[str], *, rises: bool, falls: bool
) -> Floats:
    """Return how well each sentence says why something moved.

    Args:
        things: The names of what moved, as terms, each the whole of it.
        company: The terms by which the document's own company is called.
        rises: Whether the question says that it rose.
        falls: Whether the question says that it fell.
    """
    found = np.zeros(len(index.sentences), np.float32)
    weighed = [{one: index.rarity(one) for one in thing} for thing in things if thing]
    weighed = [weights for weights in weighed if sum(weights.values())]
    if not weighed:
        return found
    for place in np.flatnonzero(index.static[:, _CAUSE]):
        effect = effect_of(index.terms[place])
        named = things_of(effect).difference(company)
        up, down = not RISES.isdisjoint(effect), not FALLS.isdisjoint(effect)
        if not (up or down):
            continue
        value = max(_match(named, weights) for weights in weighed)
        value *= _OTHERWISE if (up and not down and falls > rises) or (down and not up and rises > falls) else 1.0
        found[place] = value
    return found


def effect_of(said: Sequence[str]) -> Sequence[str]:
    """Return the terms of a sentence before it says why; none if it gives no cause after them.

    >>> effect_of(("sale", "rose", "due", "price"))
    ('sale', 'rose')
    """
    return said[: next((place for place, one in enumerate(said) if one in CAUSE), 0)]


def _match(named: Collection[str], weights: Mapping[str, float]) -> float:
    """Return how much of a thing is named, and how little else."""
    if not named:
        return 0.0
    common = [one for one in weights if one in named]
    recall = sum(weights[one] for one in common) / sum(weights.values())
    return recall * (_PRECISE + (1.0 - _PRECISE) * len(common) / len(named))
