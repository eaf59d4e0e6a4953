"""Distances of the words of a sentence from a number."""

import pytest

from quaestor.solvers.embedded.page_numbers import measure_stem_distances


@pytest.mark.parametrize(
    ("text", "number", "distances"),
    [
        # Stop words are counted, and the nearest of repeated words is used.
        ("rent of 12 stores and rent of 5 offices", "5", {"rent": 2, "store": 4, "offic": 1}),
        # A word that the number splits is two words.
        ("the fy2009 plan", "2009", {"fy": 1, "plan": 1}),
    ],
)
def test_distance_from_a_number_counts_the_words_between(text: str, number: str, distances: dict[str, int]) -> None:
    start = text.rindex(number)
    assert dict(measure_stem_distances(text, start, start + len(number))) == distances
