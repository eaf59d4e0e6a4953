"""Between the solver's own terms and plans: a chosen candidate written out, earlier plans read back."""

from decimal import Decimal

from quaestor.conversation.memory import Memory
from quaestor.plan.scales import Kind as Counts
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.plan.steps import Operand as PlanOperand
from quaestor.solvers.embedded.leaves import LeafTable
from quaestor.solvers.embedded.state import Operand, Outcome, State


def write_plan(outcome: Outcome, magnitudes: tuple[bool, bool], leaves: LeafTable, turns: int) -> Plan:
    """Returns an outcome as a plan: its leaves as extracts, then its operation.

    Args:
        outcome: What the turn does.
        magnitudes: For each operand whether the printed minus sign is dropped.
        leaves: The page.
        turns: How many turns came before.
    """
    steps: list[Extract | Compute] = []
    operands: list[PlanOperand] = []
    for operand, magnitude in zip(outcome.operands, magnitudes, strict=False):
        if operand.kind == "leaf":
            leaf = leaves.leaves[operand.index]
            steps.append(
                Extract(
                    id=len(steps) + 1,
                    source=leaf.source,
                    label=leaf.label,
                    quantity=leaf.quantity,
                    reading="magnitude" if magnitude else "signed",
                )
            )
            operands.append(Ref(len(steps)))
        elif operand.kind == "result":
            operands.append(Ref(operand.index - turns))
        else:
            operands.append(_constant(operand.value))
    if outcome.operation != "lookup":
        steps.append(Compute(len(steps) + 1, outcome.operation, tuple(operands)))
    elif not steps:
        steps.append(Compute(1, "identity", tuple(operands)))
    return Plan(tuple(steps))


def _constant(value: float) -> Constant:
    number = Decimal(repr(value))
    whole = number == number.to_integral_value()
    text = "const_m1" if value == -1 else f"const_{int(number)}" if whole and value >= 0 else format(number, "f")
    return Constant(number.to_integral_value() if whole else number, text)


def read_state(memory: Memory, leaves: LeafTable) -> State:
    """Returns the conversation so far in the solver's terms, whichever solver answered."""
    state = State()
    for turn in memory.turns:
        answer = turn.answer
        value = None if answer.value is None else float(answer.value)
        counts = Counts(answer.scale, answer.unit)
        if answer.plan is None:
            outcome = Outcome("lookup", (), value, counts)
        else:
            outcome = _read_outcome(answer.plan, value, counts, leaves, state)
        state = state.after(turn.question, outcome)
    return state


def _read_outcome(plan: Plan, value: float | None, counts: Counts, leaves: LeafTable, state: State) -> Outcome:
    last = plan.steps[-1]
    if isinstance(last, Extract):
        return Outcome("lookup", (_leaf_operand(last, leaves),), value, counts)
    operands = []
    for operand in last.operands:
        if isinstance(operand, Constant):
            operands.append(Operand("constant", 0, float(operand.value)))
        elif isinstance(operand, Ref) and operand.step < 0:
            turn = len(state.outcomes) + operand.step
            operands.append(Operand("result", turn, state.outcomes[turn].value or 0.0))
        elif isinstance(operand, Ref):
            step = plan.steps[operand.step - 1]
            is_leaf = isinstance(step, Extract)
            operands.append(_leaf_operand(step, leaves) if is_leaf and isinstance(step, Extract) else _unknown())
        else:
            operands.append(_unknown())
    operation = "lookup" if last.operation == "identity" else last.operation
    return Outcome(operation, tuple(operands), value, counts)


def _leaf_operand(step: Extract, leaves: LeafTable) -> Operand:
    index = leaves.index.get((step.source, step.quantity.value))
    if index is None:
        return Operand("constant", 0, float(step.quantity.value))
    value = float(leaves.value[index])
    return Operand("leaf", index, abs(value) if step.reading == "magnitude" else value)


def _unknown() -> Operand:
    return Operand("constant", 0, float("nan"))
