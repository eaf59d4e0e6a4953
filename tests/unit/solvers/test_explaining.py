"""Explanations of models are always bound to a valid plan, or rejected."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolboxes import sample_pages

from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute, Constant, Plan, Ref, Step
from quaestor.plan.validate import validate
from quaestor.solvers.explaining import bind_sentences

PIECES = ["{#1}", "[#2]", "(#1, #3)", "{#-1}", "['data cables']", '["no such words"]', '"2.5%"', "It rose", ". ", "7 %",
          "{", "]", "[#", "\x00", "0\x00", "U.S. ", " and ", "{#2} million", "\x001\x00"]  # fmt: skip


@given(
    sentences=st.lists(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8).map("".join), max_size=9),
    last=st.integers(0, 3),
)
def test_bound_explanation_is_a_valid_plan(sentences: list[str], last: int) -> None:
    document = sample_pages()["NORD/2012/page_41.pdf"]
    five = Constant(Decimal(5), "5")
    steps: list[Step] = [
        Compute(1, "add", (five, five)),
        Compute(2, "add", (Ref(1), five)),
        Compute(3, "identity", (Ref(-1),)),
    ]
    history = [execute(Plan(tuple(steps[:1]))).result]
    bound = bind_sentences(sentences, steps, frozenset({-1}), document, "why?")
    assert len(bound.templates) <= 6
    plan = bound.plan(Plan(tuple(steps[:last])))
    assert plan.explanation == () or len(plan.explanation) == len(bound.templates)
    if plan.steps:
        assert validate(plan, 1) == ()
        expected = execute(Plan(tuple(steps[:last])), history).result.value if last else None
        assert expected in (None, execute(plan, history).result.value)


def bound_once(sentence: str) -> tuple[str, ...]:
    """Return the templates of a sentence about two steps."""
    five = Constant(Decimal(5), "5")
    steps = [Compute(1, "add", (five, five)), Compute(2, "add", (five, five))]
    return bind_sentences([sentence], steps, frozenset(), sample_pages()["NORD/2012/page_41.pdf"], "why?").templates


@pytest.mark.parametrize(
    "together", ["{#1}{#2}", "{#1}.{#2}", "{#1},{#2}", "{#1} {#2}", "{#1}[#2]{#2}", "-{#1}", "\u2212${#1}"]
)
def test_adjacent_or_negated_placeholders_are_rejected(together: str) -> None:
    assert bound_once(f"Sales rose to {together} there.") == ()


@pytest.mark.parametrize("apart", ["{#1}, {#2} and {#2}", "{#1} \u2013 {#2}", "{#1}/{#2}", "({#1})", '"{#1}"'])
def test_separated_placeholders_are_kept(apart: str) -> None:
    assert bound_once(f"Sales rose to {apart} there.") == (f"Sales rose to {apart} there.",)


@pytest.mark.parametrize("scale", ["k", "m", "bn", " million", "%"])
def test_scale_attached_to_a_placeholder_is_left_to_the_formatter(scale: str) -> None:
    assert bound_once(f"Sales rose to {{#1}}{scale}.") == ("Sales rose to {#1}.",)
