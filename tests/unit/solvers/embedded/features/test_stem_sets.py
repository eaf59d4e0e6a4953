"""Sets of stems as bits, held to what Python's own sets say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quaestor.solvers.embedded.operand_features import StemSets

WIDTHS = st.integers(1, 200)
"""A question has a dozen stems; one of many words takes several words of bits."""


@given(WIDTHS.flatmap(lambda width: st.tuples(st.just(width), *[st.sets(st.integers(0, width - 1))] * 3)))
def test_they_are_what_sets_are(drawn: tuple[int, set[int], set[int], set[int]]) -> None:
    width, *sets = drawn
    flags = np.array([[stem in one for stem in range(width)] for one in sets], bool)
    found = StemSets.of(flags)
    one, other = found.take(np.array([0, 1, 2])), found.take(np.array([1, 2, 0]))
    turned = [*sets[1:], sets[0]]
    assert found.shares().tolist() == [len(own) / width for own in sets]
    assert (one | other).shares().tolist() == [len(a | b) / width for a, b in zip(sets, turned, strict=True)]
    expected = [min(a - b) / width if a - b else 2.0 for a, b in zip(sets, turned, strict=True)]
    assert (one - other).first_places().tolist() == expected


def test_they_come_to_what_the_flags_come_to() -> None:
    flags = np.random.default_rng(0).random((50, 12)) < 0.2
    found = StemSets.of(flags)
    assert found.shares().tolist() == flags.mean(axis=1).tolist()
    assert found.first_places().tolist() == np.where(flags.any(axis=1), flags.argmax(axis=1) / 12, 2.0).tolist()
