"""The TAT-QA metrics on invented answers, with expected scores computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.scoring.gold import StatedAnswer, StatedReference
from quaestor.scoring.stated import exact_match, f1_score, same_scale


def reference(*spans: str, scale: str = "", kind: str = "span") -> StatedReference:
    return StatedReference(StatedAnswer(spans, scale), kind, "table")


def answer(*spans: str, scale: str = "") -> StatedAnswer:
    return StatedAnswer(spans, scale)


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        # Numbers are compared by value, without currency, separators and trailing zeros.
        (answer("1500.5", scale="thousand"), reference("$ 1,500.5", scale="thousand")),
        (answer("1,500,500"), reference("1500.5", scale="thousand")),
        (answer("12.60", scale="million"), reference("12.6", scale="million", kind="arithmetic")),
        # Two decimals count, before the scale is applied.
        (answer("10.004", scale="million"), reference("10", scale="million", kind="arithmetic")),
        # A percentage is a hundredth in any notation.
        (answer("13.7%"), reference("13.7", scale="percent")),
        (answer("13.7", scale="percent"), reference("13.7%", scale="percent")),
        (answer("0.2342"), reference("23.42", scale="percent", kind="arithmetic")),
        (answer("0.137"), reference("13.7", scale="percent", kind="arithmetic")),
        # A scale may be named in the span.
        (answer("5.2 million"), reference("5.2", scale="million")),
        # Brackets around digits and points mean minus, but not with a comma.
        (answer("-900"), reference("(900)")),
        (answer("1250"), reference("(1,250)")),
        # Words are compared in lower case, without articles and punctuation.
        (answer("The bakers."), reference("bakers")),
        (answer("end of a year"), reference("the end of the year")),
        # Spans of a list match in any order.
        (answer("Bran", "Flour"), reference("Flour", "Bran", kind="multi-span")),
        (answer("80.0%", "87.5%"), reference("87.5%", "80.0%", kind="multi-span")),
        (answer("2"), reference("2", kind="count")),
    ],
)
def test_answer_equal_to_the_reference(given_: StatedAnswer, wanted: StatedReference) -> None:
    assert exact_match(given_, wanted)
    assert f1_score(given_, wanted) == 1


@pytest.mark.parametrize(
    ("given_", "wanted", "f1"),
    [
        (None, reference("5"), 0.0),
        (answer(), reference("5"), 0.0),
        (answer(""), reference("5"), 0.0),
        # A different scale is a different number.
        (answer("12.6"), reference("12.6", scale="million", kind="arithmetic"), 0.0),
        (answer("12.6", scale="thousand"), reference("12.6", scale="million"), 0.0),
        (answer("1500.5"), reference("1500.5", scale="thousand"), 0.0),
        # The sign and the second decimal count.
        (answer("-12.6"), reference("12.6", kind="arithmetic"), 0.0),
        (answer("12.61"), reference("12.6", kind="arithmetic"), 0.0),
        (answer("-1250"), reference("(1,250)"), 0.0),
        # A fraction does not match a percentage if it has the scale percent, or is rounded.
        (answer("0.2342", scale="percent"), reference("23.42", scale="percent", kind="arithmetic"), 0.0),
        (answer("0.23"), reference("23.42", scale="percent", kind="arithmetic"), 0.0),
        # Two of three tokens: precision 1, recall 2/3.
        (answer("flour mills"), reference("flour mills Ltd"), 0.8),
        # One of two spans: precision 1, recall 1/2.
        (answer("Flour"), reference("Flour", "Bran", kind="multi-span"), 0.67),
        # An additional number: precision 1/2, recall 1.
        (answer("87.5%", "80.0%"), reference("87.5%"), 0.67),
        # Numbers and counts have no partial score.
        (answer("3 4"), reference("3", kind="count"), 0.0),
        # The scale of a span is one of its words.
        (answer("nine tugs"), reference("nine tugs", scale="million"), 0.8),
    ],
)
def test_different_answer_has_a_partial_score(given_: StatedAnswer | None, wanted: StatedReference, f1: float) -> None:
    assert not exact_match(given_, wanted)
    assert f1_score(given_, wanted) == f1


def test_scale_is_scored_separately() -> None:
    wanted = reference("5", scale="million")
    assert same_scale(answer("7", scale="million"), wanted)
    assert not same_scale(answer("5"), wanted)
    assert not same_scale(answer(scale="million"), wanted)
    assert not same_scale(None, wanted)


SPANS = st.lists(st.text("0123456789.,()%$- abthemilion£", max_size=12), min_size=1, max_size=3)
SCALES = st.sampled_from(["", "thousand", "million", "billion", "percent"])


@given(SPANS, SCALES, SPANS, SCALES, st.sampled_from(["span", "multi-span", "arithmetic", "count"]))
def test_any_spans_have_a_score(spans: list[str], scale: str, wanted: list[str], of: str, kind: str) -> None:
    given_, gold = StatedAnswer(tuple(spans), scale), StatedReference(StatedAnswer(tuple(wanted), of), kind, "text")
    assert 0 <= f1_score(given_, gold) <= 1
    assert not exact_match(given_, gold) or f1_score(given_, gold) == 1
    itself = StatedReference(given_, kind, "text")
    assert exact_match(given_, itself) == any(spans)
