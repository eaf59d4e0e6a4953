"""Expressions of filings and their everyday synonyms match in both directions."""

import pytest

from quaestor.core.terms import terms
from quaestor.ontology.lexicon import read_thesaurus


@pytest.mark.parametrize(
    ("question", "expression", "printed"),
    [
        ("how many RSUs were handed out?", "handed out", "granted"),
        ("what does it owe suppliers?", "owe suppliers", "accounts payable"),
        ("how large is its workforce?", "workforce", "employees"),
        ("number of employees", "employees", "workforce"),
    ],
)
def test_typed_synonyms_match_printed_labels(question: str, expression: str, printed: str) -> None:
    text = terms(question)
    found = {text[one.start : one.end]: one.others for one in read_thesaurus().find(text)}
    assert terms(printed) in found[terms(expression)]


def test_no_expression_is_its_own_synonym() -> None:
    text = terms("net income attributable to minority owners")
    found = read_thesaurus().find(text)
    assert found
    assert all(text[one.start : one.end] not in one.others for one in found)
