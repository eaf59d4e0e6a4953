import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_cases import for_each_row

from quaestor.errors import OntologyError
from quaestor.ontology.core import compile_phrases, core_triples, question_words, read_core

NOUNS = {"change": ("change", "growth", "growth rate"), "value": ("value",)}
PATTERNS = read_core().patterns


@for_each_row(
    [
        ("percentage change", "the percentage change?", True),
        ("percentage change", "the percentage of change", False),
        ("declin*", "it declined", True),
        ("declin*", "indeclinable", False),
        ("(percent|per cent) of", "what per cent of it", True),
        ("[net] change", "the net change", True),
        ("the [net] change", "the change", True),
        ("the [net] change", "the gross change", False),
        ("from ... to", "from the first of may 2004 to 2009", True),
        ("from ... to", "to 2009 from 2004", False),
        ("from ... to", "from " + "word " * 12 + "to", True),
        ("from ... to", "from " + "word " * 13 + "to", False),
        ("in .. $", "in the year before that?", True),
        ("in .. $", "in one two three four five", False),
        ("^ and", "and in 2008?", True),
        ("^ and", "this and that", False),
        ("total $", "what is the total?", True),
        ("total $", "the total debt", False),
        ("<change> in", "the growth rates in sales", True),
        ("<change> in", "changes in sales", True),
        ("<change> in", "the value in sales", False),
        ("divided by #", "divided by 1,000?", True),
        ("divided by #", "divided by three", True),
        ("divided by #", "divided by revenue", False),
        ("s&p", "the S&P 500", True),
        ("^", "", True),
    ]
)
def test_the_notation(phrase: str, question: str, found: bool) -> None:
    assert (compile_phrases([phrase], NOUNS).search(question_words(question.lower())) is not None) is found


def test_phrases_are_alternatives() -> None:
    matcher = compile_phrases(["minus", "less the"], NOUNS)
    assert matcher.search("a minus b ")
    assert matcher.search("a less the b ")
    assert not matcher.search("less than b ")


@pytest.mark.parametrize("phrase", ["(percent of", "what?", "<margin> in", "a\\b", "[net change", "*"])
def test_what_is_not_in_the_notation_is_refused(phrase: str) -> None:
    with pytest.raises(OntologyError):
        compile_phrases([phrase], NOUNS)


@given(st.text(max_size=400))
def test_any_question_can_be_matched(question: str) -> None:
    words = question_words(question)
    assert words == "" or words.endswith(" ")
    assert [pattern.name for pattern in PATTERNS if pattern.matches(words)]


def test_a_pattern_tells_something() -> None:
    for pattern in PATTERNS:
        assert pattern.examples, pattern.name
        assert len(set(pattern.phrases)) == len(pattern.phrases) > 0, pattern.name
        assert pattern.metric_type or pattern.again or pattern.rule, pattern.name
        assert (pattern.weight > 0) == (pattern.metric_type is not None or pattern.again), pattern.name
        assert pattern.order in (None, "as named", "reversed", "later first", "earlier first"), pattern.name


def test_what_a_pattern_names_is_there() -> None:
    core = read_core()
    rules = {rule.name for rule in core.rules}
    assert {pattern.rule for pattern in PATTERNS} - {None} <= rules
    subjects = {triple.s for triple in core_triples()}
    assert {pattern.name for pattern in PATTERNS} <= subjects
