"""Compares the words of a question with those of its results by learned attention.

The model is the decomposable attention of Parikh et al. (2016, https://arxiv.org/abs/1606.01933) over fixed vectors of
words. `quaestor.learning.text_matching` fits it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from math import isnan, nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.terms import terms
from quaestor.ontology.word_vectors import read_word_vectors
from quaestor.solvers.embedded.filings.binding import TurnState
from quaestor.solvers.embedded.filings.composing import BoundQuestion
from quaestor.solvers.embedded.filings.results import PlanResult, list_sentences

Floats = NDArray[np.float32]

QUESTION_FIELDS: Mapping[str, int] = {"asked": 24, "before": 14}
RESULT_FIELDS: Mapping[str, int] = {"label": 16, "path": 12, "title": 12, "sentence": 44, "column": 6}
"""Texts of a question and of a result, with the maximum number of their terms that are compared."""
FIELDS = (*QUESTION_FIELDS, *RESULT_FIELDS)
COUNTED_IN = {"asked": 4.0, "before": 4.0, "result": 8.0}
"""Divisors of the sums over terms, which keep them near one."""
MATCH_FEATURES = ("match", "match_lead")
"""Features of a result: the log odds that it is right, and their lead over those of the other results."""
_LINES, _SENTENCES = 3, 2
_FEW = 3
"""Number of terms below which the question before an earlier one is read as well: "and valves?"."""

FieldTerms = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MatchedTexts:
    """Terms that are compared.

    Attributes:
        question: Terms of each of `QUESTION_FIELDS`.
        results: Terms of each of `RESULT_FIELDS`, for each result.
        forms: Form of each result's plan.
    """

    question: FieldTerms
    results: tuple[FieldTerms, ...]
    forms: tuple[str, ...]

    def reorder(self, order: Iterable[int]) -> "MatchedTexts":
        """Return the texts with the results in another order."""
        places = tuple(order)
        results, forms = (self.results[place] for place in places), (self.forms[place] for place in places)
        return MatchedTexts(self.question, tuple(results), tuple(forms))


def read_matched_texts(question: BoundQuestion, state: TurnState, results: Sequence[PlanResult]) -> MatchedTexts:
    """Return the terms of a question, of the questions before it, and of the lines and sentences of its results."""
    company = question.table.company
    asked = tuple(term for term in terms(question.reading.text) if term not in company)
    before: list[str] = []
    last: TurnState | None = state
    while last is not None and len(before) < _FEW:
        before += [term for term in terms(last.question) if term not in company]
        last = last.previous
    found = tuple(_read_result(question, result) for result in results)
    return MatchedTexts(_cut((asked, before), QUESTION_FIELDS), found, tuple(one.proposal.form for one in results))


def _read_result(question: BoundQuestion, result: PlanResult) -> FieldTerms:
    index, proposal = question.table.sentences, result.proposal
    series = proposal.series[:_LINES]
    of_tables = [one for one in series if not one.line.sentence]
    quoted = list(list_sentences(proposal.plan))[:_SENTENCES]
    texts = (
        [term for one in series for term in one.line.label_terms],
        [term for one in of_tables for term in sorted(one.line.path_terms)],
        [term for one in of_tables for term in sorted(one.line.title_terms)],
        [term for at in quoted if at in index.places for term in index.terms[index.places[at]]],
        [term for one in of_tables for term in sorted(one.column)],
    )
    return _cut(texts, RESULT_FIELDS)


def _cut(texts: Iterable[Sequence[str]], fields: Mapping[str, int]) -> FieldTerms:
    return tuple(tuple(text[:most]) for text, most in zip(texts, fields.values(), strict=True))


@lru_cache(maxsize=4096)
def _make_vector(term: str) -> Floats:
    """Return a vector for a term without one, which is like that of no other term."""
    size = read_word_vectors().directions.shape[1] // 8
    signs = (
        np.unpackbits(np.frombuffer(blake2b(term.encode(), digest_size=size).digest(), np.uint8)).astype(np.float32) * 2
        - 1
    )
    return np.asarray(signs / np.sqrt(signs.size), np.float32)


def read_directions(terms: Iterable[str]) -> Floats:
    """Return the directions of the vectors of terms.

    Shape: terms x dimensions.
    """
    known = read_word_vectors()
    rows = [known.directions[known.rows[term]] if term in known.rows else _make_vector(term) for term in terms]
    return np.array(rows, np.float32).reshape(-1, known.directions.shape[1])


@dataclass(frozen=True)
class TextMatcher:
    """Weights of the attention.

    Attributes:
        transform: Applied to the vectors of words.
        fields: Vector of each of `FIELDS`, added to those of its words.
        sharpness: Factor of the cosines from which the attention is computed.
        compare: Weights that compare a term with the terms aligned to it, and the bias of each of `FIELDS`.
        judge: Weights, and their bias, that judge the sums of these comparisons and the form of the plan.
        score: Weights of the log odds, and their bias.
        forms: The forms that it knows.
    """

    transform: Floats = field(repr=False)
    fields: Floats = field(repr=False)
    sharpness: float
    compare: tuple[Floats, Floats] = field(repr=False)
    judge: tuple[Floats, Floats] = field(repr=False)
    score: tuple[Floats, float] = field(repr=False)
    forms: tuple[str, ...]

    def measure(self, texts: MatchedTexts) -> list[dict[str, float]]:
        """Return the `MATCH_FEATURES` of each result."""
        scores = self.score_results(texts)
        others = [
            max((score for score in (*scores[:place], *scores[place + 1 :]) if not isnan(score)), default=nan)
            for place in range(len(scores))
        ]
        return [
            dict(zip(MATCH_FEATURES, (own, own - other), strict=True))
            for own, other in zip(scores, others, strict=True)
        ]

    def score_results(self, texts: MatchedTexts) -> list[float]:
        """Return the log odds that each result is right; nan if it or the question has no words."""
        asked, of_asked = self._embed(texts.question, 0)
        return [
            self._score(asked, of_asked, result, form) for result, form in zip(texts.results, texts.forms, strict=True)
        ]

    def _embed(self, texts: FieldTerms, first: int) -> tuple[Floats, NDArray[np.intp]]:
        """Return the directions of all terms, and the field of each.

        Args:
            first: Field of the first text.
        """
        places = np.repeat(np.arange(first, first + len(texts)), [len(text) for text in texts])
        vectors = multiply(read_directions(term for text in texts for term in text), self.transform)
        vectors += self.fields[places]
        return vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + np.float32(1e-6)), places

    def _score(self, asked: Floats, of_asked: NDArray[np.intp], result: FieldTerms, form: str) -> float:
        found, of_found = self._embed(result, len(QUESTION_FIELDS))
        if not len(asked) or not len(found):
            return nan
        closeness = np.exp(self.sharpness * multiply(asked, found.T))
        for_asked = multiply(closeness / closeness.sum(axis=1, keepdims=True), found)
        for_found = multiply((closeness / closeness.sum(axis=0)).T, asked)
        compared = self._compare(asked, for_asked, of_asked)
        sums = [
            compared[of_asked == 0].sum(axis=0) / COUNTED_IN["asked"],
            compared[of_asked == 1].sum(axis=0) / COUNTED_IN["before"],
            self._compare(found, for_found, of_found).sum(axis=0) / COUNTED_IN["result"],
            np.array([form == known for known in self.forms], np.float32),
        ]
        hidden = np.maximum(multiply(np.concatenate(sums)[None], self.judge[0]) + self.judge[1], 0)
        return float(multiply(hidden, self.score[0])[0, 0]) + self.score[1]

    def _compare(self, own: Floats, aligned: Floats, fields: NDArray[np.intp]) -> Floats:
        inputs = np.concatenate([own, own * aligned, np.abs(own - aligned)], axis=1)
        return np.maximum(multiply(inputs, self.compare[0]) + self.compare[1][fields], 0)


def read_text_matcher(path: Path) -> TextMatcher:
    """Read the weights that `save_text_matcher` wrote.

    Raises:
        OSError, ValueError, KeyError, zipfile.BadZipFile: The file is missing, damaged, or for other vectors of words.
    """
    with np.load(path, allow_pickle=False) as written:
        arrays = {name: written[name].astype(np.float32) for name in written.files if name != "forms"}
        forms = tuple(bytes(written["forms"]).decode().split())
    dimensions, hidden = read_word_vectors().directions.shape[1], len(arrays["score"])
    shapes = {
        "transform": (dimensions, dimensions),
        "fields": (len(FIELDS), dimensions),
        "compare": (3 * dimensions, hidden),
        "compare_bias": (len(FIELDS), hidden),
        "judge": (3 * hidden + len(forms), hidden),
        "judge_bias": (hidden,),
        "score": (hidden, 1),
    }
    if any(arrays[name].shape != shape for name, shape in shapes.items()):
        raise ValueError(f"{path.name} has other shapes")
    return TextMatcher(
        arrays["transform"],
        arrays["fields"],
        float(arrays["sharpness"]),
        (arrays["compare"], arrays["compare_bias"]),
        (arrays["judge"], arrays["judge_bias"]),
        (arrays["score"], float(arrays["score_bias"])),
        forms,
    )


def save_text_matcher(matcher: TextMatcher, path: Path) -> None:
    """Write weights in half precision."""
    arrays = {
        "transform": matcher.transform,
        "fields": matcher.fields,
        "sharpness": matcher.sharpness,
        "compare": matcher.compare[0],
        "compare_bias": matcher.compare[1],
        "judge": matcher.judge[0],
        "judge_bias": matcher.judge[1],
        "score": matcher.score[0],
        "score_bias": matcher.score[1],
    }
    halves = {name: np.asarray(array, np.float16) for name, array in arrays.items()}
    np.savez(path, **halves, forms=np.frombuffer(" ".join(matcher.forms).encode(), np.uint8))  # type: ignore[arg-type]
