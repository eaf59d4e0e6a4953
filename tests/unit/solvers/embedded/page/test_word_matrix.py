"""The two representations of a matrix of numbers and words give the same results."""

import numpy as np
import pytest

from quaestor.solvers.embedded import page as module
from quaestor.solvers.embedded.page import WordMatrix, build_flag_matrix, build_word_matrix

ROWS = [{0: 1.0, 3: 0.5}, {}, {3: 1.0}, {4: 0.25, 0: 1.0, 1: 1.0}]


def build_both(
    monkeypatch: pytest.MonkeyPatch, rows: list[dict[int, float]], width: int
) -> tuple[WordMatrix, WordMatrix]:
    whole = build_word_matrix(rows, len(rows), width)
    with monkeypatch.context() as patch:
        patch.setattr(module, "WHOLE_CELLS", -1)
        by_word = build_word_matrix(rows, len(rows), width)
    assert whole.whole is not None
    assert by_word.whole is None
    return whole, by_word


def test_a_page_is_stored_whole_and_a_filing_by_word() -> None:
    assert build_word_matrix([{}] * 100, 100, 200).whole is not None
    assert build_word_matrix([{}] * 8000, 8000, 1000).whole is None


def test_sums_are_the_same_in_both_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(3)
    many = [{int(word): chance.random() for word in chance.choice(40, 6, replace=False)} for _ in range(50)]
    for rows, width in ((ROWS, 6), (many, 41)):
        whole, by_word = build_both(monkeypatch, rows, width)
        weights = chance.random(width).astype(np.float32)
        weights[::3] = 0
        words = [4, 0, 2]
        for one, other in (
            (whole.dot(weights), by_word.dot(weights)),
            (whole.dot_of(words, weights[:3]), by_word.dot_of(words, weights[:3])),
            (whole.dot_of([], weights[:0]), by_word.dot_of([], weights[:0])),
            (whole.by_number(), by_word.by_number()),
            (whole.by_word(), by_word.by_word()),
        ):
            assert one.dtype == other.dtype == np.float32
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sums_are_those_of_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    _, by_word = build_both(monkeypatch, ROWS, 6)
    weights = np.array([1, 10, 100, 1000, 10000, 0], np.float32)
    assert by_word.dot(weights).tolist() == [501, 0, 1000, 2511]
    assert by_word.dot_of([3, 0], np.array([2, 3], np.float32)).tolist() == [4, 0, 2, 3]
    assert by_word.by_number().tolist() == [1.5, 0, 1, 2.25]
    assert by_word.by_word().tolist() == [2, 1, 0, 1.5, 0.25, 0]


def test_flag_matrix_equals_a_matrix_of_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [dict.fromkeys(row, 1.0) for row in ROWS]
    for limit, matrices in zip((module.WHOLE_CELLS, -1), build_both(monkeypatch, rows, 6), strict=True):
        with monkeypatch.context() as patch:
            patch.setattr(module, "WHOLE_CELLS", limit)
            flags = build_flag_matrix(ROWS, len(ROWS), 6)
        for name in ("whole", "numbers", "strengths", "starts"):
            np.testing.assert_array_equal(getattr(flags, name), getattr(matrices, name))


def test_without_words_nothing_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    for matrix in build_both(monkeypatch, [{}, {}], 0):
        assert matrix.width == 1
        assert matrix.dot(np.ones(1, np.float32)).tolist() == [0, 0]


def test_union_has_the_stronger_weight_of_each_word(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [{0: 0.5, 2: 1.0}, {1: 1.0}, {3: 0.25}, {}]
    expected = [{0: 1.0, 2: 1.0, 3: 0.5}, {1: 1.0}, {3: 1.0}, {4: 0.25, 0: 1.0, 1: 1.0}]
    matrices = zip(
        build_both(monkeypatch, ROWS, 6),
        build_both(monkeypatch, others, 6),
        build_both(monkeypatch, expected, 6),
        strict=True,
    )
    for one, other, either in matrices:
        found = one | other
        for name in ("whole", "numbers", "strengths", "starts"):
            np.testing.assert_array_equal(getattr(found, name), getattr(either, name))
