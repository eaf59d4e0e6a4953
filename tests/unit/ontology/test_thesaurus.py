"""Expressions of filings and what people type for them are found in questions, both ways."""

from importlib.resources import files

import pytest

from quaestor.core.terms import SMALL, term, terms
from quaestor.ontology.lexicon import read_thesaurus


@pytest.mark.parametrize(
    ("asked", "expression", "printed"),
    [
        ("how many RSUs were handed out?", "handed out", "granted"),
        ("what does it owe suppliers?", "owe suppliers", "accounts payable"),
        ("how large is its workforce?", "workforce", "employees"),
        ("number of employees", "employees", "workforce"),
    ],
)
def test_what_people_type_stands_for_what_is_printed(asked: str, expression: str, printed: str) -> None:
    text = terms(asked)
    found = {text[one.start : one.end]: one.others for one in read_thesaurus().find(text)}
    assert terms(printed) in found[terms(expression)]


def test_expressions_are_found_whose_first_term_begins_otherwise_than_its_word() -> None:
    lines = (files("quaestor.ontology") / "thesaurus.tsv").read_text(encoding="utf-8").splitlines()
    for phrase in {phrase for line in lines for phrase in line.replace("\t", "; ").split("; ")}:
        if terms(phrase)[0][:2] != phrase[:2]:
            assert terms(phrase) in {terms(phrase)[one.start : one.end] for one in read_thesaurus().find(terms(phrase))}


def test_no_expression_stands_for_itself() -> None:
    text = terms("net income attributable to minority owners")
    found = read_thesaurus().find(text)
    assert found
    assert all(text[one.start : one.end] not in one.others for one in found)


def test_each_line_is_an_expression_and_others_as_words_alone() -> None:
    lines = (files("quaestor.ontology") / "thesaurus.tsv").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    for line in lines:
        printed, tab, typed = line.partition("\t")
        assert tab
        for phrase in (printed, *typed.split("; ")):
            assert terms(phrase) == tuple(term(word) for word in phrase.split(" ") if word not in SMALL) != ()
