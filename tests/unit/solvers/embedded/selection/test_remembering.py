"""How later questions use a choice."""

from choices import REGIONS, answer_texts, features, run_questions

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.writing import is_no_number, recall_choice


def test_a_choice_of_one_cell_is_remembered_as_its_look_up() -> None:
    question = "in which year was the tax rate highest?"
    (turn,) = run_questions(REGIONS, [question])
    leaves = features(REGIONS).leaves
    remembered = recall_choice(read_question(question), turn.answer, leaves)
    assert remembered is not None
    conversation, outcome = remembered
    assert conversation.years == (2010,)
    assert outcome.operation == "lookup"
    assert outcome.value == 33.2
    assert is_no_number(turn.answer)


def test_lists_and_numbers_are_not_remembered_as_choices() -> None:
    leaves = features(REGIONS).leaves
    for question in ("which years did wages exceed 310 thousand?", "what were wages in 2012?", "did wages fall?"):
        (turn,) = run_questions(REGIONS, [question])
        assert recall_choice(read_question(question), turn.answer, leaves) is None


def test_next_question_uses_the_chosen_cell() -> None:
    assert answer_texts(
        REGIONS,
        "in which year was the tax rate highest?",
        "in that year, what were wages?",
        "which year was highest?",
    ) in (["2010", "300", "2011"], ["2010", "-300", "2011"])
