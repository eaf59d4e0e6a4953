import pytest

from quaestor.conversation.metrics import asked_scale, asks_magnitude, classify_metric_type, matching_patterns
from quaestor.core.quantity import Scale
from quaestor.ontology.core import read_core
from quaestor.ontology.patterns import QuestionPattern

PATTERNS = read_core().patterns
EXAMPLES = [(pattern, example) for pattern in PATTERNS for example in pattern.examples]


@pytest.mark.parametrize(("pattern", "example"), EXAMPLES, ids=lambda part: getattr(part, "name", None))
def test_each_example_is_read_as_its_pattern_says(pattern: QuestionPattern, example: str) -> None:
    assert pattern in matching_patterns(example)
    previous = min(pattern.after, default="percentage_change" if pattern.again else None)
    asked = "percentage_change" if pattern.again else pattern.metric_type
    if asked and pattern.weight >= 0.5:
        assert classify_metric_type(example, previous)[0].metric_type == asked
    elif asked:
        assert asked in [metric.metric_type for metric in classify_metric_type(example, previous)]
    assert asks_magnitude(example) is pattern.magnitude
    if pattern.scale:
        assert asked_scale(example) is Scale(pattern.scale)


@pytest.mark.parametrize(
    ("previous", "asked"), [(None, "value"), ("value", "value"), ("change", "change"), ("ratio", "ratio")]
)
def test_what_about_asks_for_what_the_question_before_asked(previous: str | None, asked: str) -> None:
    assert classify_metric_type("what about in 2008?", previous)[0].metric_type == asked


@pytest.mark.parametrize(
    ("previous", "asked"), [("sum", "average"), ("value", "ratio"), ("change", "percentage_change")]
)
def test_what_a_division_gives_depends_on_what_is_divided(previous: str, asked: str) -> None:
    assert classify_metric_type("what is that divided by 4?", previous)[0].metric_type == asked


def test_types_come_surest_first_each_once_with_their_pattern() -> None:
    found = classify_metric_type("what was the percentage change in total revenue?")
    assert [metric.score for metric in found] == sorted((metric.score for metric in found), reverse=True)
    names = [metric.metric_type for metric in found]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("percentage_change", "value")
    assert {metric.pattern for metric in found} <= {pattern.name for pattern in PATTERNS}


def test_there_is_always_a_type() -> None:
    assert [metric.metric_type for metric in classify_metric_type("")] == ["value"]


@pytest.mark.parametrize("question", ["what was the change in rent?", "what was the loss?", "what is the difference?"])
def test_signs_are_kept_unless_the_question_says_so(question: str) -> None:
    assert not asks_magnitude(question)


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
def test_words_say_which_operand_comes_first(question: str, order: str) -> None:
    asked = classify_metric_type(question)[0].pattern
    assert next(pattern.order for pattern in matching_patterns(question) if pattern.name == asked) == order
