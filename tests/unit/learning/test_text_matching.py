"""The attention learns which results fit a question."""

import numpy as np
import pytest

from quaestor.solvers.embedded.filings.text_matching import MatchedTexts

pytest.importorskip("jax")

from quaestor.learning.text_matching import MatchedQuestion, fit_text_matcher

WORDS = ("revenu", "tax", "debt", "cash", "inventori", "goodwil", "dividend", "pension", "zorblax", "lease")


def ask(random: np.random.Generator) -> MatchedQuestion:
    """Return a question whose right result has its word: in a label or in a sentence."""
    right, wrong = random.choice(WORDS, 2, replace=False)
    place = int(random.integers(2))
    labels = [(right,), (wrong,)] if place == 0 else [(wrong,), (right,)]
    in_sentence = bool(random.integers(2))
    results = tuple(((), (), (), label, ()) if in_sentence else (label, (), (), (), ()) for label in labels)
    texts = MatchedTexts(((right,), ()), results, ("words" if in_sentence else "value",) * 2)
    return texts, [at == place for at in range(2)]


def test_the_right_result_is_the_likelier_one() -> None:
    random = np.random.default_rng(0)
    matcher = fit_text_matcher([ask(random) for _ in range(2000)])
    unseen = [ask(random) for _ in range(200)]
    scores = [matcher.score_results(texts) for texts, _ in unseen]
    assert (
        np.mean(
            [
                one[rights.index(True)] > one[rights.index(False)]
                for one, (_, rights) in zip(scores, unseen, strict=True)
            ]
        )
        > 0.95
    )
    losses = [
        np.log1p(np.exp(-s if right else s))
        for one, (_, rights) in zip(scores, unseen, strict=True)
        for s, right in zip(one, rights, strict=True)
    ]
    assert np.mean(losses) < 0.3  # log(2) for a matcher that knows nothing


def test_a_few_questions_are_enough() -> None:
    random = np.random.default_rng(1)
    matcher = fit_text_matcher([ask(random) for _ in range(3)])
    assert all(np.isfinite(matcher.score_results(ask(random)[0])))
