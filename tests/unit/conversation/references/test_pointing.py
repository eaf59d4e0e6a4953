import pytest
from remembered import TableCell, computed, looked_up, memory_of

from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.pointing import pointing_expressions, read_pointing, score_likeness
from quaestor.questions.question import read_question

LATEST = latest_results(
    results_of_turns(
        memory_of(
            looked_up("what was the rent in 2007?", "rent", 2007),
            looked_up("what was the tax in 2007?", "tax", 2007),
            looked_up("and in 2008?", "tax", 2008),
            computed("what was the change?", "subtract", -1, -2, entity="tax"),
            computed("and over the rent of 2008?", "divide", -1, TableCell("rent", 2008), entity="tax"),
        )
    )
)


def pointed_results(question: str) -> frozenset[int]:
    return read_pointing(read_question(question), LATEST).meant


@pytest.mark.parametrize(
    ("question", "turns"),
    [
        ("what is this change in thousands?", {3}),
        ("what is that percentage times 100?", {4}),
        ("how much is that tax in 2007?", {1}),
        ("how much is that tax in 2008?", {2}),
        ("what is the difference between this change and that rent in 2007?", {3, 0}),
        ("what was the goodwill?", set()),
    ],
)
def test_reference_must_match_kind_subject_and_period(question: str, turns: set[int]) -> None:
    assert pointed_results(question) == turns


def test_similarity_has_reasons() -> None:
    (expression,) = pointing_expressions(read_question("how much is this percentage?"))
    latest = score_likeness(expression, LATEST[0], 0, LATEST[0].subject_words)
    assert all(word in latest.reasons[0] for word in ("ratio", "percentage"))
    assert score_likeness(expression, LATEST[1], 1, LATEST[0].subject_words).score < latest.score


def test_counted_results_are_recorded() -> None:
    assert read_pointing(read_question("what is the sum of these two values?"), LATEST).counts == {2}
