from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from quaestor.solvers.embedded.filings.loading import load_filing_weights
from quaestor.solvers.embedded.filings.text_matching import (
    MATCH_FEATURES,
    FieldTerms,
    MatchedTexts,
    TextMatcher,
    read_text_matcher,
    save_text_matcher,
)

SALES: FieldTerms = (("net", "sale"), ("incom",), (), (), ())
STORES: FieldTerms = ((), (), (), ("open", "store", "zorblax"), ())
EMPTY: FieldTerms = ((), (), (), (), ())


@pytest.fixture(scope="module")
def matcher() -> TextMatcher:
    known = load_filing_weights().confidence
    assert known is not None
    assert known.matcher is not None
    return known.matcher


def texts(*results: FieldTerms, asked: tuple[str, ...] = ("revenu",)) -> MatchedTexts:
    return MatchedTexts((asked, ()), results, ("value",) * len(results))


def test_each_result_leads_by_the_difference_to_the_best_other_one(matcher: TextMatcher) -> None:
    first, second, third = matcher.measure(texts(SALES, STORES, EMPTY))
    score, lead = MATCH_FEATURES
    assert first[score] > second[score]
    assert first[lead] == -second[lead] == first[score] - second[score]
    assert isnan(third[score])


@pytest.mark.parametrize("compared", [texts(SALES, asked=()), texts(EMPTY), texts()])
def test_there_is_no_score_without_words(matcher: TextMatcher, compared: MatchedTexts) -> None:
    assert all(isnan(score) for score in matcher.score_results(compared))


def test_a_form_that_was_not_learned_is_scored(matcher: TextMatcher) -> None:
    assert not isnan(matcher.score_results(replace(texts(SALES), forms=("new",)))[0])


def test_weights_are_read_as_they_were_written(matcher: TextMatcher, tmp_path: Path) -> None:
    save_text_matcher(matcher, tmp_path / "matcher.npz")
    assert read_text_matcher(tmp_path / "matcher.npz").measure(texts(SALES, STORES)) == matcher.measure(
        texts(SALES, STORES)
    )
