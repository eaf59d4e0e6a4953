"""The metric type that a question asks for."""

import pytest
from many_cases import for_each_row

from quaestor.core.quantity import Scale
from quaestor.ontology.core import QuestionPattern, read_core
from quaestor.questions.question import read_question

PATTERNS = read_core().patterns
EXAMPLES = [(pattern, example) for pattern in PATTERNS for example in pattern.examples]


@for_each_row(EXAMPLES)
def test_each_example_matches_its_pattern(pattern: QuestionPattern, example: str) -> None:
    assert pattern in read_question(example).patterns
    previous = min(pattern.after, default="percentage_change" if pattern.again else None)
    name = "percentage_change" if pattern.again else pattern.metric_type
    if name and pattern.weight >= 0.5:
        assert read_question(example).metric_types(previous)[0].metric_type == name
    elif name:
        assert name in [metric.metric_type for metric in read_question(example).metric_types(previous)]
    assert read_question(example).magnitude is pattern.magnitude
    if pattern.scale:
        assert read_question(example).scale is Scale(pattern.scale)


@pytest.mark.parametrize(
    ("previous", "question"), [(None, "value"), ("value", "value"), ("change", "change"), ("ratio", "ratio")]
)
def test_question_with_what_about_has_the_previous_metric(previous: str | None, question: str) -> None:
    assert read_question("what about in 2008?").metric_types(previous)[0].metric_type == question


@pytest.mark.parametrize(
    ("previous", "question"), [("sum", "average"), ("value", "ratio"), ("change", "percentage_change")]
)
def test_kind_of_a_quotient_depends_on_its_operands(previous: str, question: str) -> None:
    assert read_question("what is that divided by 4?").metric_types(previous)[0].metric_type == question


def test_metric_types_are_unique_and_ordered_by_confidence() -> None:
    found = read_question("what was the percentage change in total revenue?").metric_types()
    assert [metric.score for metric in found] == sorted((metric.score for metric in found), reverse=True)
    names = [metric.metric_type for metric in found]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("percentage_change", "value")
    assert {metric.pattern for metric in found} <= {pattern.name for pattern in PATTERNS}


def test_every_question_has_a_metric_type() -> None:
    assert [metric.metric_type for metric in read_question("").metric_types()] == ["value"]


@pytest.mark.parametrize("question", ["what was the change in rent?", "what was the loss?", "what is the difference?"])
def test_signs_stay_unless_the_question_drops_them(question: str) -> None:
    assert not read_question(question).magnitude


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("what was the change in rent from 2004 to 2009?", "later first"),
        ("what was the decline in rent from 2004 to 2009?", "earlier first"),
        ("what is the revenue less the rent?", "as named"),
        ("subtract the rent from the revenue", "reversed"),
        ("what is the ratio of rent to revenue?", "as named"),
    ],
)
def test_words_decide_which_operand_comes_first(question: str, order: str) -> None:
    found = read_question(question).metric_types()[0].pattern
    assert next(pattern.order for pattern in read_question(question).patterns if pattern.name == found) == order


@pytest.mark.parametrize(
    ("text", "power"),
    [("in millions?", 6), ("in thousands", 3), ("in full dollars", 0), ("in percent", None), ("", None)],
)
def test_the_scale_that_is_asked_for(text: str, power: float | None) -> None:
    assert read_question(f"what is that {text}").power == power
