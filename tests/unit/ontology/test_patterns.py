from hypothesis import given
from hypothesis import strategies as st

from quaestor.ontology.core import core_triples, question_words, read_core

PATTERNS = read_core().patterns


@given(st.text(max_size=400))
def test_any_question_can_be_matched(question: str) -> None:
    words = question_words(question)
    assert words == "" or words.endswith(" ")
    assert [pattern.name for pattern in PATTERNS if pattern.matches(words)]


def test_every_pattern_is_informative() -> None:
    for pattern in PATTERNS:
        assert pattern.examples, pattern.name
        assert len(set(pattern.phrases)) == len(pattern.phrases) > 0, pattern.name
        assert pattern.metric_type or pattern.again or pattern.rule, pattern.name
        assert (pattern.weight > 0) == (pattern.metric_type is not None or pattern.again), pattern.name
        assert pattern.order in (None, "as named", "reversed", "later first", "earlier first"), pattern.name


def test_names_in_patterns_exist() -> None:
    core = read_core()
    rules = {rule.name for rule in core.rules}
    assert {pattern.rule for pattern in PATTERNS} - {None} <= rules
    subjects = {triple.s for triple in core_triples()}
    assert {pattern.name for pattern in PATTERNS} <= subjects
