"""Lists in drafts: looked-up numbers become a group and appear only there in the plan."""

from pages import page

from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.facts import extract_number
from quaestor.plan.steps import CellGroup, Compute, Plan, Ref
from quaestor.solvers.reflection.drafts import list_operands, without_grouped

PAGE = page([["", "2009", "2008"], ["rent", "5", "4"]])
NEW, OLD = GraphProvider.of([PAGE]).graph(PAGE).observations


def test_unlocated_numbers_are_omitted_and_forms_have_placeholders() -> None:
    (found,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {2: OLD}) or ()
    assert isinstance(found, CellGroup)
    assert found.labels == ("2008",)
    (form,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {}) or ()
    assert isinstance(form, CellGroup)


def test_unused_steps_of_a_group_are_omitted() -> None:
    (group,) = list_operands("argmax", (Ref(1), Ref(2)), (1, 2), {1: NEW, 2: OLD}) or ()
    steps = extract_number(1, NEW), extract_number(2, OLD)
    assert without_grouped(Plan((*steps, Compute(3, "argmax", (group,))))).steps == (Compute(1, "argmax", (group,)),)
    filtered = Plan((*steps, Compute(3, "above", (group, Ref(2))), Compute(4, "count", (Ref(3),))))
    assert without_grouped(filtered).steps == (
        extract_number(1, OLD), Compute(2, "above", (group, Ref(1))), Compute(3, "count", (Ref(2),)),
    )  # fmt: skip
