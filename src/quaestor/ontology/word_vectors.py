"""Vectors of words: the more alike the use of two words, the higher their cosine."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply

Floats = NDArray[np.float32]

SIMILARITIES = ("similar", "similar_asked", "similar_text", "similar_least")
"""Columns of `WordVectors.compare`."""
_FILE = "word_vectors.npz"


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of terms.

    Attributes:
        rows: Row of each term in `vectors` and `directions`.
        directions: The vectors with a length of one.

    Shape: `vectors` and `directions` are terms x dimensions.
    """

    rows: Mapping[str, int] = field(repr=False)
    vectors: Floats = field(repr=False)
    directions: Floats = field(repr=False)

    @classmethod
    def from_arrays(cls, terms: Iterable[str], vectors: Floats) -> "WordVectors":
        """Return the vectors of terms, given in the same order."""
        return cls({term: row for row, term in enumerate(terms)}, vectors, _normalize(vectors))

    def compare(self, asked: Collection[str], texts: Sequence[Collection[str]]) -> Floats:
        """Return how similar texts are to a question, both as terms; terms without a vector are ignored.

        Returns:
            For each text the cosine of the mean vectors, the mean over the question's terms of the cosine of the most
            similar term in the text, the mean over the text's terms of that of the most similar term in the question,
            and the lowest of the former: how well the text covers the term that it covers worst.

        Shape: the result is texts x `len(SIMILARITIES)`.
        """
        found = np.zeros((len(texts), len(SIMILARITIES)), np.float32)
        own = self._list_rows(asked)
        known, together, begins, sizes = self._list_known(texts)
        if not own or not known:
            return found
        cosines = multiply(self.directions[own], self.directions[together].T)
        best = np.maximum.reduceat(cosines, begins, axis=1)
        means = _normalize(np.add.reduceat(self.vectors[together], begins, axis=0))
        found[known] = np.column_stack([
            multiply(means, _normalize(self.vectors[own].sum(axis=0))),
            best.mean(axis=0),
            np.add.reduceat(cosines.max(axis=0), begins) / sizes,
            best.min(axis=0),
        ])  # fmt: skip
        return found

    def average(self, texts: Sequence[Collection[str]]) -> Floats:
        """Return the direction of the mean vector of each text, given as terms; zeros if no term has a vector.

        Shape: texts x dimensions.
        """
        found = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        known, together, begins, _ = self._list_known(texts)
        if known:
            found[known] = _normalize(np.add.reduceat(self.vectors[together], begins, axis=0))
        return found

    def _list_known(
        self, texts: Sequence[Collection[str]]
    ) -> tuple[list[int], list[int], NDArray[np.intp], NDArray[np.intp]]:
        """Return the places of texts with known terms, the rows of these terms, and their first and number per text."""
        rows = [self._list_rows(text) for text in texts]
        known = [place for place, text in enumerate(rows) if text]
        sizes = np.array([len(rows[place]) for place in known], np.intp)
        return known, [row for place in known for row in rows[place]], np.cumsum(sizes) - sizes, sizes

    def _list_rows(self, terms: Iterable[str]) -> list[int]:
        return [self.rows[term] for term in terms if term in self.rows]


def _normalize(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


@lru_cache(maxsize=1)
def read_word_vectors() -> WordVectors:
    """Return the vectors of the package, which `benchmarks/word_vectors.py` made."""
    with np.load(str(files("quaestor.ontology").joinpath(_FILE)), allow_pickle=False) as written:
        vectors = written["vectors"].astype(np.float32) * written["scale"]
        return WordVectors.from_arrays(bytes(written["terms"]).decode().split("\n"), vectors)
