"""Words of questions for words of lines, learned from labelled questions."""

import numpy as np
import pytest

from quaestor.learning.translation import AskedLine, fit_translation
from quaestor.solvers.embedded.filings.translation import Translation

SAMPLES = [
    AskedLine(filing, asked, line)
    for filing in ("one", "two", "three")
    for asked, line in (
        (("top", "line"), ("net", "sale")),
        (("product", "sale"), ("product", "sale")),
        (("bottom", "line"), ("net", "incom")),
        (("oper", "incom"), ("oper", "incom")),
    )
]


def test_everyday_words_are_likelier_for_the_line_that_they_mean() -> None:
    translation = fit_translation(SAMPLES)
    sales, income = (translation.measure(["top"], line) for line in (["net", "sale"], ["net", "incom"]))
    assert sales[0] > income[0]
    assert translation.measure(["bottom"], ["net", "incom"])[0] > translation.measure(["bottom"], ["net", "sale"])[0]


def test_pairs_of_a_single_filing_are_dropped() -> None:
    translation = fit_translation([*SAMPLES, *[AskedLine("one", ("widget",), ("gadget",))] * 5])
    assert "widget" not in translation.asked_for.get("gadget", {})


@pytest.mark.parametrize(("asked", "line"), [([], ["net"]), (["top"], []), ([], [])])
def test_empty_terms_have_finite_measures(asked: list[str], line: list[str]) -> None:
    assert np.isfinite(fit_translation(SAMPLES).measure(asked, line)).all()
    assert np.isfinite(Translation().measure(asked, line)).all()


def test_fit_is_the_same_in_any_order_of_filings() -> None:
    assert fit_translation(SAMPLES).measure(["top"], ["sale"]) == pytest.approx(
        fit_translation(SAMPLES[::-1]).measure(["top"], ["sale"])
    )
