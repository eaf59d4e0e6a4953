"""Numbers that a sentence states without a reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.explanation import unbound_numbers


@pytest.mark.parametrize(
    ("template", "numbers"),
    [
        ("Sales rose by 14.1% [#1].", ("14.1", "%")),
        ("Sales rose 5{#1}.", ("5",)),
        ("Sales rose {#1} percent to {#2}.", ()),
        ("Twenty-five stores closed, a third of all [#1].", ("Twenty", "five", "third")),
        ("Costs doubled to XIV million [#1].", ("doubled", "XIV", "million")),
        ("In MMXII it trebled, a fifth less than peers, then fell by a third.", ("MMXII", "trebled", "fifth", "third")),
        ("A third party sold a MIX a quarter later.", ()),
        ("It paid $ C [#1] and grew tenfold, one point.", ("C", "tenfold", "one")),
        ("\u0663 of them, \u2167, \u00bd, \uff11 and te\u00adn [#1].", ("\u0663", "\u2167", "\u00bd", "\uff11", "ten")),
        ("One of its plants closed in the third quarter, I think, in the second half [#1].", ()),
        ("Plan D of none of the tenants often weighs on Vitamin C and the manifold [#1].", ()),
        ("Up a quarter to {#1}, by a third to {#2}, two-thirds of it.", ("quarter", "third", "two", "thirds")),
        (
            "A score of sites, five lakh, a quadrillion, two crore [#1].",
            ("score", "five", "lakh", "quadrillion", "two", "crore"),
        ),
        (
            "A dozen, twofold, halved, sextupled, a two\u2011fold rise [#1].",
            ("dozen", "twofold", "halved", "sextupled", "two"),
        ),
        (
            "&#49;2, &frac12;, t-w-e-n-t-y, 1\u200b2, te\u0301n and x\u00b2 [#1].",
            ("12", "\u00bd", "twenty", "12", "ten", "x\u00b2"),
        ),
        ("Der Umsatz fiel um zw\u00f6lf Prozent auf nil, EUR 2009 [#1].", ("Prozent", "nil", "2009")),
        ("Up {#1} percentage points, {#2} bps, {#3} basis points.", ("bps", "basis")),
        ("From one quarter to the next the credit score of U.S. peers {#1} fell [#1].", ()),
    ],
)
def test_numbers_of_a_sentence_that_are_not_references(template: str, numbers: tuple[str, ...]) -> None:
    assert unbound_numbers(template) == numbers


def test_allowed_numbers_are_allowed_alone_and_not_as_amounts() -> None:
    allowed = ["2009", "Form 10-K"]
    assert not unbound_numbers("In 2009 the Form 10-K says so [#1].", allowed)
    assert unbound_numbers("It cost EUR 2009 [#1].", allowed) == ("2009",)
    assert unbound_numbers("It is 2009.5, 1,2009, $2009 and 2009 dollars [#1].", allowed)[::-1][:2] == ("2009", "2009")


@given(
    number=st.decimals(allow_nan=False, allow_infinity=False).map("{:f}".format)
    | st.integers(1, 10**12).map("{:,}".format)
    | st.characters(categories=["Nd", "Nl", "No"])
    | st.sampled_from("ten,forty-two,a hundred,two thirds,doubled,half,50%,XL percent,\u00bc".split(",")),
    before=st.sampled_from(["", "Sales rose {#1} and ", "{#2}", "[#1]", "about\u200b "]),
    after=st.sampled_from(["", ".", " of {#1}", "{#1}", " [#2]", " m", "\u00ad"]),
)
def test_no_number_passes_unseen(number: str, before: str, after: str) -> None:
    assert unbound_numbers(f"{before}{number}{after}")
