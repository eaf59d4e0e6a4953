"""Fits the attention that compares questions with results (`quaestor.solvers.embedded.filings.text_matching`)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.filings.results import JUDGED
from quaestor.solvers.embedded.filings.text_matching import (
    COUNTED_IN,
    FIELDS,
    QUESTION_FIELDS,
    RESULT_FIELDS,
    MatchedTexts,
    TextMatcher,
    read_directions,
)

if TYPE_CHECKING:
    from jax import Array

_EPOCHS, _BATCH = 8, 64
_HIDDEN = 96
_RATE, _LAST_RATE, _WARM_UP = 2e-3, 1e-5, 100
_DECAY = 1e-3
_KEPT_TERMS, _KEPT_SUMS = 0.9, 0.8
"""Shares of terms and of sums that are kept in a step, against overfitting."""
_PENALTY = 2e-6
_OF_EACH = 2.0
"""Weight of the loss of each result, relative to that of choosing among the results of a question."""
_NEVER = -1e9

Parameters = dict[str, "Array"]
MatchedQuestion = tuple[MatchedTexts, Sequence[bool]]
"""The texts of a question and of its results, and whether each result is right."""


def fit_text_matcher(questions: Sequence[MatchedQuestion], seed: int = 1) -> TextMatcher:
    """Return the attention that tells right results from wrong ones.

    Its loss is the log loss of each result, and the log loss of choosing among the results of a question that has a
    right one.
    """
    import jax
    import optax

    batches = _Batches(questions)
    size = min(_BATCH, len(questions))
    per_epoch = len(questions) // size
    rates = optax.warmup_cosine_decay_schedule(0.0, _RATE, _WARM_UP, max(_EPOCHS * per_epoch, _WARM_UP + 1), _LAST_RATE)
    optimizer = optax.adamw(rates, weight_decay=_DECAY)
    random = np.random.default_rng(seed)
    parameters = _initialize(random, len(batches.forms), batches.vectors.shape[1])
    state, key = optimizer.init(parameters), jax.random.PRNGKey(seed)
    vectors = jax.numpy.asarray(batches.vectors)

    @jax.jit
    def step(parameters: Parameters, state: optax.OptState, key: "Array", batch: tuple["Array", ...]):  # type: ignore[no-untyped-def]
        gradients = jax.grad(_measure_loss)(parameters, vectors, batch, key)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state

    for _ in range(_EPOCHS):
        order = random.permutation(len(questions))
        for place in range(per_epoch):
            key, own = jax.random.split(key)
            parameters, state = step(parameters, state, own, batches.take(order[place * size : (place + 1) * size]))
    return _read_parameters({name: np.asarray(array, np.float32) for name, array in parameters.items()}, batches.forms)


class _Batches:
    """Questions as arrays of the same shape.

    Attributes:
        vectors: The vector of each term; the first is of the padding.
        forms: The forms of plans.
    """

    def __init__(self, questions: Sequence[MatchedQuestion]) -> None:
        self.forms = tuple(sorted({form for texts, _ in questions for form in texts.forms}))
        rows: dict[str, int] = {}
        self._asked = np.zeros((len(questions), sum(QUESTION_FIELDS.values())), np.int32)
        self._found = np.zeros((len(questions), JUDGED, sum(RESULT_FIELDS.values())), np.int32)
        self._forms = np.zeros((len(questions), JUDGED, len(self.forms)), np.float32)
        self._rights = np.zeros((len(questions), JUDGED), np.float32)
        self._judged = np.zeros((len(questions), JUDGED), np.float32)
        for place, (texts, rights) in enumerate(questions):
            self._asked[place] = _number_terms(texts.question, QUESTION_FIELDS, rows)
            for at, (result, form, right) in enumerate(zip(texts.results, texts.forms, rights, strict=True)):
                self._found[place, at] = _number_terms(result, RESULT_FIELDS, rows)
                self._forms[place, at, self.forms.index(form)] = 1
                self._rights[place, at] = right
                self._judged[place, at] = 1
        directions = read_directions(rows)
        self.vectors = np.concatenate([np.zeros((1, directions.shape[1]), np.float32), directions])

    def take(self, places: NDArray[np.intp]) -> tuple[NDArray[np.generic], ...]:
        """Return the terms of some questions and of their results, the forms, and which are right, and which exist."""
        arrays = (self._asked, self._found, self._forms, self._rights, self._judged)
        return tuple(array[places] for array in arrays)


def _number_terms(texts: Sequence[Sequence[str]], fields: Mapping[str, int], rows: dict[str, int]) -> list[int]:
    """Return the row of each term's vector, each field padded with zeros."""
    numbers = []
    for text, most in zip(texts, fields.values(), strict=True):
        known = [rows.setdefault(term, len(rows) + 1) for term in text]
        numbers += known + [0] * (most - len(known))
    return numbers


def _initialize(random: np.random.Generator, forms: int, dimensions: int) -> Parameters:
    def draw(rows: int, columns: int, deviation: float | None = None) -> NDArray[np.float64]:
        return random.normal(size=(rows, columns)) * (deviation or rows**-0.5)

    import jax.numpy as jnp

    arrays = {
        "transform": np.eye(dimensions) + draw(dimensions, dimensions, 0.02),
        "fields": draw(len(FIELDS), dimensions, 0.05),
        "sharpness": np.array(2.0),
        "compare": draw(3 * dimensions, _HIDDEN),
        "compare_bias": draw(len(FIELDS), _HIDDEN, 0.1),
        "judge": draw(3 * _HIDDEN + forms, _HIDDEN),
        "judge_bias": np.zeros(_HIDDEN),
        "score": draw(_HIDDEN, 1),
        "score_bias": np.array(-1.0),
    }
    return {name: jnp.asarray(array, jnp.float32) for name, array in arrays.items()}


def _score(
    parameters: Parameters, vectors: "Array", asked: "Array", found: "Array", forms: "Array", key: "Array"
) -> "Array":
    """Return the log odds of each result, as `TextMatcher.score_results` does, without some terms and sums.

    Shape: `asked` is questions x terms, `found` questions x results x terms; the result is questions x results.
    """
    import jax
    import jax.numpy as jnp

    of_asked, of_found = (
        np.repeat(np.arange(len(fields)) + first, list(fields.values()))
        for fields, first in ((QUESTION_FIELDS, 0), (RESULT_FIELDS, len(QUESTION_FIELDS)))
    )
    keys = jax.random.split(key, 3)
    in_question = (asked > 0) & jax.random.bernoulli(keys[0], _KEPT_TERMS, asked.shape)
    in_result = (found > 0) & jax.random.bernoulli(keys[1], _KEPT_TERMS, found.shape)

    def embed(terms: "Array", fields: NDArray[np.intp]) -> "Array":
        embedded: Array = vectors[terms] @ parameters["transform"] + parameters["fields"][fields]
        lengths: Array = jnp.linalg.norm(embedded, axis=-1, keepdims=True)
        return embedded / (lengths + 1e-6)

    def compare(own: "Array", aligned: "Array", fields: NDArray[np.intp]) -> "Array":
        inputs = jnp.concatenate([own, own * aligned, jnp.abs(own - aligned)], -1)
        return jax.nn.relu(inputs @ parameters["compare"] + parameters["compare_bias"][fields])

    questions, results = embed(asked, of_asked), embed(found, of_found)
    closeness = jnp.einsum("bqd,bncd->bnqc", questions, results) * jnp.exp(parameters["sharpness"])
    for_asked = jax.nn.softmax(jnp.where(in_result[:, :, None, :], closeness, _NEVER), -1)
    for_found = jax.nn.softmax(jnp.where(in_question[:, None, :, None], closeness, _NEVER), 2)
    for_asked = jnp.einsum("bnqc,bncd->bnqd", for_asked, results) * in_result.any(-1)[:, :, None, None]
    for_found = jnp.einsum("bnqc,bqd->bncd", for_found, questions)
    of_question = compare(jnp.broadcast_to(questions[:, None], for_asked.shape), for_asked, of_asked)
    of_question *= in_question[:, None, :, None]
    of_result = compare(results, for_found, of_found) * in_result[..., None]
    first = QUESTION_FIELDS["asked"]
    sums = (
        of_question[:, :, :first].sum(2) / COUNTED_IN["asked"],
        of_question[:, :, first:].sum(2) / COUNTED_IN["before"],
        of_result.sum(2) / COUNTED_IN["result"],
        forms,
    )
    inputs = jnp.concatenate(sums, -1)
    inputs = inputs * jax.random.bernoulli(keys[2], _KEPT_SUMS, inputs.shape) / _KEPT_SUMS
    hidden = jax.nn.relu(inputs @ parameters["judge"] + parameters["judge_bias"])
    scores: Array = (hidden @ parameters["score"])[..., 0] + parameters["score_bias"]
    return scores


def _measure_loss(parameters: Parameters, vectors: "Array", batch: tuple["Array", ...], key: "Array") -> "Array":
    import jax
    import jax.numpy as jnp

    asked, found, forms, rights, judged = batch
    scores = _score(parameters, vectors, asked, found, forms, key)
    of_each = ((jax.nn.softplus(scores) - rights * scores) * judged).sum() / judged.sum()
    among = jax.nn.logsumexp(jnp.where(judged > 0, scores, _NEVER), 1)
    right = jax.nn.logsumexp(jnp.where(rights > 0, scores, _NEVER), 1)
    of_choice = jnp.where(rights.sum(1) > 0, among - right, 0.0).mean()
    penalty = sum(((parameters[name] ** 2).sum() for name in ("compare", "compare_bias", "judge")), jnp.zeros(()))
    return _OF_EACH * of_each + of_choice + _PENALTY * penalty


def _read_parameters(arrays: Mapping[str, NDArray[np.float32]], forms: tuple[str, ...]) -> TextMatcher:
    return TextMatcher(
        arrays["transform"],
        arrays["fields"],
        float(np.exp(arrays["sharpness"])),
        (arrays["compare"], arrays["compare_bias"]),
        (arrays["judge"], arrays["judge_bias"]),
        (arrays["score"], float(arrays["score_bias"])),
        forms,
    )
