"""Stems of parts of a sentence and of several texts, read in one pass."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.questions.stems import stems, stems_of_parts
from quaestor.solvers.embedded.page_numbers import measure_stem_distances, split_sentence

WORDS = "the rents of stores tier class a 2 s&p 500 12/31/10 fy2009 2,009 $ % İ Σ . we've and/or".split()
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=12).map(" ".join)


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
@example("capital of tier 2 banks", 11, 17)
@example("rent on 12/31/10", 0, 12)
def test_the_stems_of_a_part_are_those_of_its_words(text: str, start: int, end: int) -> None:
    assert split_sentence(text).stems_between(start, end) == stems(text[start:end])


@given(st.lists(TEXTS, max_size=4))
@example(["capital of tier", "2"])
def test_the_stems_of_several_texts_are_those_of_all_in_one(parts: list[str]) -> None:
    assert stems_of_parts(parts) == stems(" ".join(parts))


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
