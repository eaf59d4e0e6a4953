"""Measures of a question and a page from which its answerability is estimated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import sample_pages

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.answerability import asked_stems, measure_answerability
from quaestor.solvers.embedded.beam import START, Hypotheses, rank_hypotheses
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.models import ANSWERABLE_MEASURES
from quaestor.solvers.embedded.page import Floats, StemWeights, build_number_matrix, build_page_features

GRAPH = build_graph(sample_pages()[0], build_ontology(()), "extend")
PAGE = build_page_features(build_number_matrix(GRAPH), load_weights().idf)
WORDS = StemWeights({"year": 0.1}, 2.0)


def choices(question: str) -> Hypotheses:
    return rank_hypotheses(START, read_question(question), PAGE, load_weights())


def measured(question: str) -> dict[str, float]:
    found = measure_answerability(choices(question), WORDS)
    assert found is not None
    return dict(zip(ANSWERABLE_MEASURES, map(float, found), strict=True))


def line() -> tuple[str, int]:
    leaf = next(leaf for leaf in PAGE.leaves.leaves if leaf.table >= 0 and leaf.year and leaf.row)
    return leaf.label.rpartition(",")[0], leaf.year


def test_known_line_and_year_lack_nothing() -> None:
    label, year = line()
    found = measured(f"what was {label} in {year}?")
    assert (found["unknown"], found["years_lacking"], found["no_number_then"]) == (0, 0, 0)


def test_unknown_words_and_years_are_counted() -> None:
    label, _ = line()
    found = measured(f"what was the zeppelin of {label} in 1987?")
    assert (found["unknown"], found["unknown_most"], found["years_lacking"]) == (2.0, 2.0, 1)
    assert found["no_number_then"] == 1


@pytest.mark.parametrize(
    ("question", "stems"),
    [
        ("what was the company's revenue?", ("revenu",)),
        ("how much was spent on R&D?", ("spent",)),
        ("how many shares did they buy back?", ("share", "repurchas")),
        ("how many employees did the company have?", ("employe",)),
    ],
)
def test_owners_and_single_letters_are_not_asked_stems(question: str, stems: tuple[str, ...]) -> None:
    assert set(stems) <= set(asked_stems(read_question(question)))
    assert not {"compani", "company's", "thei", "they", "r", "d"} & set(asked_stems(read_question(question)))


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=60))
def test_measures_are_numbers_for_any_question(question: str) -> None:
    found: Floats | None = measure_answerability(choices(question), WORDS)
    assert found is None or bool(np.isfinite(found).all())
