"""Groups of numbers that a question may add up or average."""

import numpy as np
import pytest
from pages import page
from values import a_value, number_in

from quaestor.graph.builder import build_graph
from quaestor.learning.labels import label_turn
from quaestor.ontology.builder import build_ontology
from quaestor.plan.execute import execute
from quaestor.plan.scales import Dimension
from quaestor.questions.question import NO_QUESTION, read_question
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.embedded.candidates import OPERATIONS, enumerate_candidates
from quaestor.solvers.embedded.operand_pool import GROUP_KINDS, NumberGroup, Signatures, build_pool, find_groups
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction
from quaestor.solvers.embedded.writing import write_plan

GRID = [
    ["", "2010", "2009", "2008", "2007"],
    ["rent", "$ 40", "30", "20", "10"],
    ["royalties", "4.4", "3.3", "2.2", "1.1"],
    ["margin", "12%", "11%", "10%", "9%"],
]
SURE = Signatures({"sum(other)": 0.5, "average(other)": 0.5})


@pytest.fixture(scope="module")
def leaves() -> NumberMatrix:
    document = page(GRID, ("fees were $ 7 million , $ 8 million and $ 9 million for three services .",))
    return build_number_matrix(build_graph(document, build_ontology([document]), "strict"))


def leaf_probabilities(leaves: NumberMatrix, *values: float) -> np.ndarray:
    """Leaf probabilities: high for these values, low for the others, in the order given."""
    probability = np.full(len(leaves), 0.01)
    for n, value in enumerate(values):
        probability[leaves.value == value] = 0.9 - 0.01 * n
    return probability


def values_of(group: NumberGroup) -> tuple[float, ...]:
    return tuple(member.value for member in group.members)


def groups_by_operation(
    leaves: NumberMatrix, question: str, *values: float, state: DialogueState | None = None
) -> dict[str, set[tuple[float, ...]]]:
    groups = list(
        find_groups(leaves, leaf_probabilities(leaves, *values), state or DialogueState(), read_question(question))
    )
    return {kind: {values_of(g) for g in groups if GROUP_KINDS[g.kind] == kind} for kind in GROUP_KINDS}


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("what was the total rent from 2008 to 2010?", (20.0, 30.0, 40.0)),
        ("what was the average rent in 2007 and 2008?", (10.0, 20.0)),
        ("what was the total rent of the last three years?", (20.0, 30.0, 40.0)),
        ("what is the rent of the three years after 2007?", (20.0, 30.0, 40.0)),
        ("what was the average rent?", (10.0, 20.0, 30.0, 40.0)),
    ],
)
def test_years_of_a_line_are_those_that_the_question_names_or_counts(
    leaves: NumberMatrix, question: str, values: tuple[float, ...]
) -> None:
    assert values in groups_by_operation(leaves, question, 40)["years of a line"]


def test_likely_lines_of_a_column_and_numbers_of_a_sentence_form_groups(leaves: NumberMatrix) -> None:
    assert groups_by_operation(leaves, "what was the total of rent and royalties in 2010?", 40, 4.4)[
        "lines of a column"
    ] == {(40.0, 4.4)}
    assert groups_by_operation(leaves, "what were the fees combined?", 7, 8, 9)["numbers of a sentence"] == {
        (7.0, 8.0, 9.0)
    }


def test_numbers_of_other_dimensions_are_not_grouped(leaves: NumberMatrix) -> None:
    together = groups_by_operation(leaves, "what was the total of rent and margin in 2010?", 40, 12)
    assert (40.0, 12.0) not in together["lines of a column"]


def test_latest_results_form_a_group_without_duplicates(leaves: NumberMatrix) -> None:
    state = DialogueState()
    for value, index in ((40.0, 0), (30.0, 1), (40.0, 0)):
        state = state.after(NO_QUESTION, TurnAction("lookup", (Operand("leaf", index, value),), value, Dimension()))
    assert groups_by_operation(leaves, "what is the average of these?", state=state)["results"] == {(30.0, 40.0)}


def test_written_sums_and_averages_have_the_ranked_values(leaves: NumberMatrix) -> None:
    question = read_question("what was the average rent from 2008 to 2010?")
    pool = build_pool(leaves, leaf_probabilities(leaves, 40), DialogueState(), question, SURE)
    candidates = enumerate_candidates([pool], [SURE], question)
    results = set()
    for outcome in candidates.outcomes():
        if outcome.operation in ("sum", "average"):
            result = execute(write_plan(outcome, leaves, DialogueState(), ())).result
            assert float(number_in(result.value)) == pytest.approx(outcome.value)
            results.add((outcome.operation, float(number_in(result.value))))
    assert {("average", 30.0), ("sum", 90.0)} <= results


def test_groups_are_only_offered_for_questions_about_groups(leaves: NumberMatrix) -> None:
    question, signatures = read_question("what was the rent in 2008?"), Signatures({"lookup(new)": 1.0})
    assert build_pool(leaves, leaf_probabilities(leaves, 20), DialogueState(), question, signatures).groups == ()


@pytest.mark.parametrize(
    ("program", "value", "operation", "terms"),
    [
        ("add(40, 30), add(#0, 20)", 90.0, "sum", 3),
        ("add(40, 30), add(#0, 20), divide(#1, const_3)", 30.0, "average", 3),
        ("add(40, 30), divide(#0, const_2)", 35.0, "average", 2),
        ("add(40, 30)", 70.0, "add", 2),
    ],
)
def test_programs_that_add_up_several_numbers_are_one_operation(
    leaves: NumberMatrix, program: str, value: float, operation: str, terms: int
) -> None:
    turn, _ = label_turn(
        NO_QUESTION, GoldTurn(program, a_value(value), None, 0), (), DialogueState(), leaves, lambda options: options[0]
    )
    assert turn.outcome.operation == operation
    assert operation in OPERATIONS
    assert len(turn.outcome.operands) == terms


def test_sum_of_an_earlier_turn_is_divided(leaves: NumberMatrix) -> None:
    first, tree = label_turn(
        NO_QUESTION, GoldTurn("add(40, 30)", a_value(70.0), None, 0), (), DialogueState(), leaves, lambda o: o[0]
    )
    state = DialogueState().after(NO_QUESTION, first.outcome)
    gold = GoldTurn("add(40, 30), divide(#0, const_2)", a_value(35.0), None, 0)
    turn, _ = label_turn(NO_QUESTION, gold, (tree,), state, leaves, lambda o: o[0])
    assert [turn.outcome.operation, *(o.kind for o in turn.outcome.operands)] == ["divide", "result", "constant"]


def test_equal_amounts_can_only_be_added() -> None:
    document = page([["", "2010"], ["first notes", "$ 750"], ["second notes", "$ 750"]])
    notes = build_number_matrix(build_graph(document, build_ontology([document]), "strict"))
    question = read_question("what was the total of both notes in 2010?")
    signatures = Signatures({f"{operation}(new,new)": 0.2 for operation in ("add", "subtract", "divide", "multiply")})
    candidates = enumerate_candidates(
        [build_pool(notes, leaf_probabilities(notes, 750), DialogueState(), question, signatures)],
        [signatures],
        question,
    )
    outcomes = candidates.outcomes()
    of_both = {o.operation for o in outcomes if [x.kind for x in o.operands] == ["leaf", "leaf"]}
    assert "add" in of_both
    assert of_both.isdisjoint({"subtract", "divide", "multiply"})
    assert 1500.0 in {o.value for o in outcomes}


def test_sum_of_three_years_is_not_a_sum_of_two(leaves: NumberMatrix) -> None:
    signatures = Signatures({"add(new,new)": 0.9, "sum(other)": 0.1})
    found = {}
    for text in ("the total rent in 2009 and 2010?", "the total rent in 2008, 2009 and 2010?"):
        question = read_question(f"what was {text}")
        pool = build_pool(leaves, leaf_probabilities(leaves, 40, 30, 20), DialogueState(), question, signatures)
        candidates = enumerate_candidates([pool], [signatures], question)
        outcomes = candidates.outcomes()
        of_leaves = [o for o in outcomes if all(x.kind == "leaf" for x in o.operands)]
        found[text] = {(o.operation, o.value) for o in of_leaves if len({x.value for x in o.operands}) > 1}
    two, three = found.values()
    assert ("add", 70.0) in two
    assert ("sum", 90.0) in three
    assert not any(operation == "add" for operation, _ in three)


def test_a_year_has_the_average_of_its_beginning_and_its_end(leaves: NumberMatrix) -> None:
    assert (20.0, 30.0) in groups_by_operation(leaves, "what was the 2009 average rent?", 30.0)["years of a line"]
    assert (10.0,) not in groups_by_operation(leaves, "what was the 2007 average rent?", 10.0)["years of a line"]


def test_ratio_and_amount_are_not_added_or_subtracted(leaves: NumberMatrix) -> None:
    forty, thirty = Operand("leaf", 0, 40.0), Operand("leaf", 1, 30.0)
    ratio = TurnAction("divide", (forty, thirty), 4 / 3, Dimension())
    state = DialogueState().after(read_question("the ratio of rent?"), ratio)
    question = read_question("what was the total?")
    signatures = Signatures({"add(result1,new)": 0.5, "subtract(result1,1)": 0.5})
    pool = build_pool(leaves, leaf_probabilities(leaves, 40, 30), state, question, signatures)
    outcomes = enumerate_candidates([pool], [signatures], question).outcomes()
    beside = {
        (o.operation, other.kind)
        for o in outcomes
        for other in o.operands
        if any(x.kind == "result" for x in o.operands)
        and other.kind != "result"
        and not (other.kind == "leaf" and leaves.percent[other.index])
    }
    assert {("subtract", "constant"), ("divide", "leaf"), ("multiply", "leaf")} <= beside
    assert beside.isdisjoint({("add", "leaf"), ("subtract", "leaf")})
