from remembered import looked_up, memory_of

from quaestor.conversation.references.expressions import find_expressions
from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.pointing import find_focus, find_subject_words, in_focus_of
from quaestor.questions.question import read_question

MEMORY = memory_of(
    looked_up("what was the rent in 2007?", "rent", 2007), looked_up("what was the income tax?", "income tax", 2007)
)
RENT, TAX = frozenset({"rent"}), frozenset({"income", "tax"})


def focus_of(question: str) -> list[frozenset[str]]:
    reading = read_question(question)
    return [in_focus_of(expression, reading, TAX, RENT) for expression in find_expressions(reading)]


def test_focus_is_that_of_the_latest_answer_unless_a_question_names_another() -> None:
    assert find_focus(read_question("and in 2008?"), MEMORY) == ("income tax", False)
    assert find_focus(read_question("what was the rent in 2008?"), MEMORY) == ("rent", True)
    assert find_focus(read_question("what was the goodwill?"), MEMORY) == (None, True)


def test_named_entity_applies_to_neighbours_but_not_to_the_comparison() -> None:
    assert focus_of("how much is this change of the rent?") == [RENT]
    assert focus_of("what is the difference between this percentage and that of the rent?") == [TAX, RENT]


def test_focus_returns_to_an_earlier_entity_if_all_its_words_match() -> None:
    latest = latest_results(results_of_turns(MEMORY))
    assert find_subject_words(frozenset({"this", "rent"}), latest) == RENT
    assert find_subject_words(frozenset({"this", "change"}), latest) == TAX
