from decimal import Decimal

from quaestor.application.plan_steps import plan_nodes
from quaestor.core.answer_value import Number
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.execute import StepResult
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Ref, RowRef


def cell(row: int) -> CellRef:
    return CellRef("page", 0, row, 1)


def extract_step(step: int, number: str) -> Extract:
    return Extract(step, cell(step), f"line {step}", Quantity(Decimal(number), text=f"$ {number}"))


def test_every_step_leads_to_the_answer() -> None:
    plan = Plan(
        (
            extract_step(1, "12"),
            extract_step(2, "10"),
            Compute(3, "subtract", (Ref(1), Ref(2))),
            Compute(4, "divide", (Ref(3), Ref(-1))),
        )
    )
    nodes = plan_nodes(plan, earlier=("5", "20"))
    assert [(node.key, node.kind, node.inputs) for node in nodes] == [
        ("s1", "taken", ()),
        ("s2", "taken", ()),
        ("s3", "operation", ("s1", "s2")),
        ("e-1", "earlier", ()),
        ("s4", "operation", ("s3", "e-1")),
    ]
    assert (nodes[0].title, nodes[0].value, nodes[0].sources, nodes[0].step) == ("line 1", "$ 12", (cell(1),), 1)
    assert (nodes[3].title, nodes[3].value, nodes[3].turn) == ("answer of turn 2", "20", 2)


def test_each_step_has_its_result() -> None:
    plan = Plan((extract_step(1, "12"), Compute(2, "percentage_change", (Ref(1), Constant(Decimal(100), "const_100")))))
    registers = (StepResult(Number(Decimal(12)), Scale.MILLION, "USD"), StepResult(Number(Decimal("-0.88"))))
    nodes = plan_nodes(plan, registers)
    assert [node.value for node in nodes] == ["$ 12 million", "100", "-88.0 %"]


def test_constants_of_an_operation_are_drawn_once_per_use() -> None:
    row = RowRef("rent", tuple(Quantity(Decimal(n), text=str(n)) for n in range(5)), tuple(cell(n) for n in range(5)))
    group = CellGroup("segments", ("a",), (Quantity(Decimal(3), text="3"),), (cell(9),))
    earlier = Compute(2, "add", (Ref(-1), Ref(-1)))
    nodes = plan_nodes(Plan((Compute(1, "table_sum", (row,)), earlier, Compute(3, "count", (group,)))), earlier=("7",))
    found = {node.key: node for node in nodes}
    assert found["r1-0"].value == "0, 1, 2 and 2 more"
    assert (found["g3-0"].title, found["g3-0"].sources) == ("segments", (cell(9),))
    assert found["s2"].inputs == ("e-1", "e-1")
    assert [node.kind for node in nodes].count("earlier") == 1


def test_answer_from_before_the_conversation_is_drawn() -> None:
    (earlier, _) = plan_nodes(Plan((Compute(1, "identity", (Ref(-3),)),)))
    assert (earlier.title, earlier.turn) == ("the answer 3 turns ago", None)
