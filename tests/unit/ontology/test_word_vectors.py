from pathlib import Path

import numpy as np
import pytest

from quaestor.core.terms import terms
from quaestor.learning.word_vectors import fit_word_vectors, save_word_vectors
from quaestor.ontology.word_vectors import SIMILARITIES, WordVectors, read_word_vectors

VECTORS = WordVectors.from_arrays(
    ["rent", "leas", "tax", "paid"], np.array([[2, 0], [1, 1], [0, 1], [0, 0]], np.float32)
)


def test_texts_are_compared_by_their_means_and_their_best_terms() -> None:
    diagonal = np.sqrt(0.5)
    compared = VECTORS.compare(["rent", "tax", "unknown"], [["leas"], ["tax", "rent", "unknown"], [], ["unknown"]])
    assert compared.shape == (4, len(SIMILARITIES))
    assert compared[0] == pytest.approx([3 / np.sqrt(10), diagonal, diagonal, diagonal])
    assert compared[1] == pytest.approx([1, 1, 1, 1])
    assert not compared[2:].any()


def test_directions_of_texts_are_those_of_their_mean_vectors() -> None:
    directions = VECTORS.average([["rent", "tax", "unknown"], [], ["unknown"], ["tax"]])
    assert directions == pytest.approx(np.array([[2, 1], [0, 0], [0, 0], [0, np.sqrt(5)]]) / np.sqrt(5))
    assert VECTORS.average([]).shape == (0, 2)


def test_nothing_is_similar_to_unknown_words() -> None:
    assert not VECTORS.compare(["unknown"], [["rent"]]).any()
    assert VECTORS.compare(["rent"], []).shape == (0, len(SIMILARITIES))


def test_the_shipped_vectors_know_words_of_similar_use() -> None:
    vectors = read_word_vectors()
    asked, near, far = (terms(text) for text in ("buybacks", "repurchases", "dividends"))
    similar = vectors.compare(asked, [near, far])[:, 0]
    assert similar[0] > similar[1] + 0.3


def test_vectors_are_fitted_to_texts_and_written(tmp_path: Path) -> None:
    drawn = np.random.default_rng(0)
    words = {"rents": 3.0, "rent": 1.0, "leases": 1.0, "taxes": 1.0, "wages": 1.0, "never": 1.0}
    vectors = drawn.normal(size=(len(words), 8)).astype(np.float32)
    texts = ["rents and leases", "taxes", "wages and taxes"] * 20
    of_texts = np.tile(vectors[[2, 4, 2]], (20, 1))  # "taxes" is used like wages, the other texts like leases
    fitted = fit_word_vectors(words, vectors, texts, of_texts, 4)
    tax, wage, never = (fitted.directions[fitted.rows[term]] for term in terms("taxes wages never"))
    assert tax @ wage > tax @ never
    assert sorted(fitted.rows) == sorted({term for word in words for term in terms(word)})

    save_word_vectors(fitted, tmp_path / "vectors.npz")
    with np.load(tmp_path / "vectors.npz", allow_pickle=False) as written:
        assert bytes(written["terms"]).decode().split("\n") == list(fitted.rows)
        assert written["vectors"] * written["scale"] == pytest.approx(fitted.vectors, abs=float(written["scale"]))
