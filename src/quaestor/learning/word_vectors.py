"""Makes vectors of words from a model of sentences: the mean vector of a text is close to that of the model."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.core.terms import terms
from quaestor.ontology.word_vectors import WordVectors

Floats = NDArray[np.float32]

_STRENGTH = 1.0
"""Strength of the penalty for differences from the model's vectors of single words."""
_ROUNDS = 100
_LEVELS = 127


def fit_word_vectors(
    words: Mapping[str, float], vectors: Floats, texts: Sequence[str], vectors_of_texts: Floats, dimensions: int
) -> WordVectors:
    """Return a vector for each term, fitted to texts by ridge regression.

    Args:
        words: The number of uses of each word. Words of one stem get the weighted mean of their vectors.
        vectors: The model's vectors of single words.
        texts: Texts in which the words occur.
        vectors_of_texts: The model's vectors of texts.
        dimensions: Number of principal components of `vectors` to keep.

    Shape: `vectors` is words x width, `vectors_of_texts` is texts x width.
    """
    from scipy.sparse import csr_matrix, identity
    from scipy.sparse.linalg import cg

    center = vectors.mean(axis=0)
    _, components = np.linalg.eigh(np.cov(vectors - center, rowvar=False))
    axes = components[:, ::-1][:, :dimensions]
    names, first = _merge_stems(words, (vectors - center) @ axes)
    wanted = (vectors_of_texts - center) @ axes
    rows = {name: row for row, name in enumerate(names)}
    in_texts = [[rows[term] for term in dict.fromkeys(terms(text)) if term in rows] for text in texts]
    ends = np.cumsum([0, *map(len, in_texts)])
    shares = np.concatenate([np.full(len(text), 1 / np.sqrt(max(1, len(text)))) for text in in_texts])
    uses = csr_matrix((shares, np.concatenate(in_texts).astype(np.int32), ends), shape=(len(texts), len(names)))
    made = uses @ first
    first = first * ((made * wanted).sum() / (made * made).sum())
    system = uses.T @ uses + _STRENGTH * identity(len(names))
    missing = uses.T @ (wanted - uses @ first)
    changes = [cg(system, missing[:, column], rtol=1e-4, maxiter=_ROUNDS)[0] for column in range(dimensions)]
    return WordVectors.from_arrays(names, (first + np.column_stack(changes)).astype(np.float32))


def _merge_stems(words: Mapping[str, float], vectors: Floats) -> tuple[list[str], NDArray[np.float64]]:
    """Return the terms of words, and the weighted mean of the vectors of each term's words."""
    sums: dict[str, NDArray[np.float64]] = {}
    weights: dict[str, float] = {}
    for (word, weight), vector in zip(words.items(), vectors, strict=True):
        for term in terms(word)[:1]:
            sums[term] = sums.get(term, 0.0) + weight * vector
            weights[term] = weights.get(term, 0.0) + weight
    return list(sums), np.array([sums[term] / weights[term] for term in sums])


def save_word_vectors(vectors: WordVectors, path: Path) -> None:
    """Write vectors in the format of `read_word_vectors`, with eight bits per number."""
    scale = np.float32(np.abs(vectors.vectors).max() / _LEVELS)
    rounded = np.rint(vectors.vectors / scale).astype(np.int8)
    np.savez_compressed(path, terms=_join(vectors.rows), vectors=rounded, scale=scale)


def _join(names: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), np.uint8)
