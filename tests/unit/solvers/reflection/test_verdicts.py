"""Malformed verdicts of models: fields are recovered, not guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.solvers.reflection.model_roles import salvage_verdict


@pytest.mark.parametrize(
    ("text", "approves"),
    [
        ("is_correct = true", True),
        ("is_correct: False. The year is wrong.", False),
        ("**is_correct**: `true`", True),
        ("'is_correct': True, 'issues': []", True),
        ('{"reasoning": "so", "is_correct": "yes", "issues": "none"}', True),
        ('{"is_correct": true, "issues": [', True),
        ('{"is_correct": false, "issues": [', False),
        ("The draft is correct.", True),
        ("Verdict: rejected, because the year is wrong", False),
        ("Correct", True),
        ("## Incorrect\nthe year is wrong", False),
        ("The numbers were looked up.\nThe draft is not correct: 2008 is asked for.", False),
    ],
)
def test_a_verdict_that_is_stated_is_read(text: str, approves: bool) -> None:
    found = salvage_verdict(text)
    assert found is not None
    assert found.is_correct is approves
    assert approves or found.issues


@pytest.mark.parametrize(
    "text",
    [
        "",
        "true",
        "{}",
        "fine",
        "I would sign it.",
        '{"reasoning": "the draft is corr',
        "If the draft is correct, accept it.",
        "I cannot say whether the draft is correct.",
        "Correct me if I am wrong, but 2008 is asked for.",
        "Correctness first: the year.",
        "is_correct: true\nOn second thoughts, is_correct: false",
        "is_correct: undecided",
    ],
)
def test_no_verdict_is_guessed(text: str) -> None:
    assert salvage_verdict(text) is None


def test_the_issues_of_a_cut_off_verdict_are_kept() -> None:
    cut = '{"is_correct": false, "reasoning": "r", "issues": ["the \\"year\\"", "the line"], "changes": ["take 20'
    found = salvage_verdict(cut)
    assert found is not None
    assert (found.issues, found.changes) == (['the "year"', "the line"], ["take 20"])


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    salvage_verdict(text)
    salvage_verdict('{"is_correct": false, "issues": ["' + text)
    salvage_verdict("is_correct = no\n" + text)
