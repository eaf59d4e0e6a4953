"""Lists in drafts: looked-up numbers become a group, and stand nowhere else in the plan."""

from pages import page

from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.facts import extract_number
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Plan, Ref
from quaestor.solvers.reflection.drafts import list_operands, without_grouped

PAGE = page([["", "2009", "2008"], ["rent", "5", "4"]])
NEW, OLD = GraphProvider.of([PAGE]).graph(PAGE).observations
LIMIT = Constant(read_literal("4"), "4")


def test_looked_up_numbers_are_a_group_and_the_last_operand_a_number() -> None:
    operands = list_operands("above", (Ref(1), Ref(2), LIMIT), (1, 2), {1: NEW, 2: OLD})
    assert operands is not None
    group, limit = operands
    assert isinstance(group, CellGroup)
    assert (group.text, group.labels, limit) == ("rent", ("2009", "2008"), LIMIT)


def test_one_step_is_a_list_and_items_takes_anything() -> None:
    assert list_operands("argmax", (Ref(3),), (1, 2), {}) == (Ref(3),)
    assert list_operands("count", (Ref(-1),), (), {}) == (Ref(-1),)
    assert list_operands("items", (Ref(1), Ref(3)), (1,), {}) == (Ref(1), Ref(3))


def test_what_is_no_list_is_none() -> None:
    assert list_operands("argmax", (Ref(1), Ref(3)), (1,), {1: NEW}) is None
    assert list_operands("argmax", (LIMIT,), (), {}) is None
    assert list_operands("rank", (), (), {}) is None


def test_numbers_that_were_not_located_are_left_out_and_a_form_has_a_stand_in() -> None:
    (found,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {2: OLD}) or ()
    assert isinstance(found, CellGroup)
    assert found.labels == ("2008",)
    (form,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {}) or ()
    assert isinstance(form, CellGroup)


def test_the_steps_of_a_group_are_left_out_where_nothing_else_takes_them() -> None:
    (group,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {1: NEW, 2: OLD}) or ()
    steps = extract_number(1, NEW), extract_number(2, OLD)
    assert without_grouped(Plan((*steps, Compute(3, "argmax", (group,))))).steps == (Compute(1, "argmax", (group,)),)
    kept = Plan((*steps, Compute(3, "above", (group, Ref(2))), Compute(4, "count", (Ref(3),))))
    assert without_grouped(kept).steps == (
        extract_number(1, OLD), Compute(2, "above", (group, Ref(1))), Compute(3, "count", (Ref(2),)),
    )  # fmt: skip
