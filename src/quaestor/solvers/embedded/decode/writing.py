"""Between the solver's own terms and plans: a chosen candidate written out, earlier plans read back."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from quaestor.conversation.memory import Memory
from quaestor.core.answer_value import as_float
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.plan.steps import Operand as PlanOperand
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.selection.ellipsis import whole_question
from quaestor.solvers.embedded.selection.remembering import is_no_number, remembered_choice
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand, TurnAction

_NONE: Mapping[int, int] = MappingProxyType({})


def write_plan(outcome: TurnAction, leaves: NumberMatrix, state: DialogueState, given: Sequence[bool]) -> Plan:
    """Return an outcome as a plan: its leaves as extracts, then its operation.

    Args:
        state: The turns before, as they are read.
        given: For each of them, whether that was its answer. One that was not cannot be referred to: its steps are
            written out.
    """
    writer = _Writer(leaves, state, given)
    writer.write(outcome)
    return Plan(tuple(writer.steps))


class _Writer:
    """Steps in the making."""

    def __init__(self, leaves: NumberMatrix, state: DialogueState, given: Sequence[bool]) -> None:
        self.steps: list[Extract | Compute] = []
        self._leaves, self._state, self._given = leaves, state, given

    def write(self, outcome: TurnAction) -> PlanOperand:
        """Add the steps of an outcome; what a lookup takes becomes the last step."""
        operands = tuple(self._operand(operand) for operand in outcome.operands)
        if outcome.operation != "lookup":
            self.steps.append(Compute(len(self.steps) + 1, outcome.operation, operands))
        elif not self.steps:
            self.steps.append(Compute(1, "identity", operands))
        return Ref(len(self.steps))

    def _operand(self, operand: Operand) -> PlanOperand:
        if operand.kind == "constant":
            return _constant(operand.value)
        if operand.kind == "leaf":
            return self._leaf(operand)
        if self._given[operand.index]:
            return Ref(operand.index - len(self._given))
        outcome = self._state.outcomes[operand.index]
        if outcome.operation == "lookup":
            return self._operand(outcome.operands[0])
        return self.write(outcome)

    def _leaf(self, operand: Operand) -> Ref:
        leaf = self._leaves.leaves[operand.index]
        dropped = operand.value > 0 > leaf.quantity.value
        step = len(self.steps) + 1
        self.steps.append(
            Extract(step, leaf.source, leaf.label, leaf.quantity, reading="magnitude" if dropped else "signed")
        )
        return Ref(step)


def _constant(value: float) -> Constant:
    number = Decimal(repr(value))
    whole = number == number.to_integral_value()
    text = "const_m1" if value == -1 else f"const_{int(number)}" if whole and value >= 0 else format(number, "f")
    return Constant(number.to_integral_value() if whole else number, text)


def read_state(memory: Memory, leaves: NumberMatrix, restated: Mapping[int, int] = _NONE) -> DialogueState:
    """Return the conversation so far in the solver's terms, whichever solver answered.

    Args:
        memory: The turns before.
        restated: The turns that only gave an earlier answer again, each with the turn that it was of.
    """
    state = DialogueState()
    for place, (question, answer) in enumerate(zip(memory.asked, memory.answers, strict=True)):
        if is_no_number(answer):
            chosen = remembered_choice(whole_question(question, memory.asked[:place]), answer, leaves)
            if chosen is not None:
                state = state.after(*chosen)
                continue
        if place in restated and answer.plan is not None:
            again = restated[place]
            state = state.after(state.questions[again], state.outcomes[again])
            continue
        value = as_float(answer.value)
        counts = Dimension(answer.scale, answer.unit, in_ones=answer.in_ones)
        if answer.plan is None:
            outcome = TurnAction("lookup", (), value, counts)
        else:
            outcome = _read_outcome(answer.plan, value, counts, leaves, state)
        state = state.after(question, outcome)
    return state


def _read_outcome(
    plan: Plan, value: float | None, counts: Dimension, leaves: NumberMatrix, state: DialogueState
) -> TurnAction:
    last = plan.steps[-1]
    if isinstance(last, Extract):
        return TurnAction("lookup", (_leaf_operand(last, leaves),), value, counts)
    operands = []
    for operand in last.operands:
        if isinstance(operand, Constant):
            operands.append(Operand("constant", 0, float(operand.value)))
        elif isinstance(operand, Ref) and operand.step < 0:
            turn = len(state.outcomes) + operand.step
            operands.append(Operand("result", turn, state.outcomes[turn].value or 0.0))
        elif isinstance(operand, Ref):
            step = plan.steps[operand.step - 1]
            operands.append(_leaf_operand(step, leaves) if isinstance(step, Extract) else _unknown())
        else:
            operands.append(_unknown())
    operation = "lookup" if last.operation == "identity" else last.operation
    return TurnAction(operation, tuple(operands), value, counts)


def _leaf_operand(step: Extract, leaves: NumberMatrix) -> Operand:
    if step.quantity is None:
        return _unknown()
    index = leaves.index.get((step.source, step.quantity.value))
    if index is None:
        return Operand("constant", 0, float(step.quantity.value))
    value = float(leaves.value[index])
    return Operand("leaf", index, abs(value) if step.reading == "magnitude" else value)


def _unknown() -> Operand:
    return Operand("constant", 0, float("nan"))
