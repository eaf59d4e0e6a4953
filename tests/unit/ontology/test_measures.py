"""Measures of filings: each is whole, and is called as its examples call it, and by no other's name."""

import pytest
from many_cases import for_each_row

from quaestor.ontology.core import question_words, read_core
from quaestor.ontology.lexicon import Measure, figures_of, in_words, read_measures

FOUND = read_measures()
EXAMPLES = [(measure, example) for measure in FOUND.measures for example in measure.examples]


def test_every_figure_is_used_and_every_measure_is_computed_or_says_why_not() -> None:
    formulas = [m.formula for m in FOUND.measures] + [figure.made_of for figure in FOUND.figures.values()]
    assert {name for formula in formulas for name in figures_of(formula)} == FOUND.figures.keys()
    assert [m.name for m in FOUND.measures if bool(m.formula) is bool(m.lacks)] == []


def test_every_ratio_of_the_core_is_a_measure() -> None:
    labels = {measure.label for measure in FOUND.measures}
    assert {ratio.label for ratio in read_core().ratios} <= labels


@for_each_row(EXAMPLES)
def test_an_example_names_its_measure_and_no_other(measure: Measure, example: str) -> None:
    words = question_words(example)
    lengths = {other.name: len(found[0]) for other in FOUND.measures if (found := other.matcher.search(words))}
    assert [name for name in lengths if lengths[name] == max(lengths.values())] == [measure.name]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("free cash flow", "cash from operating activities less capital expenditures"),
        ("quick ratio", "(current assets less inventories) divided by current liabilities"),
        ("days sales outstanding", "accounts receivable divided by net sales times 365"),
    ],
)
def test_a_formula_in_words(label: str, said: str) -> None:
    assert [in_words(measure.formula) for measure in FOUND.measures if measure.label == label] == [said]
