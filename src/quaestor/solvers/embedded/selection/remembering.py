"""What a choice leaves to the questions after it: the cell that was chosen, as if it had been looked up.

After "in which year were sales highest?" the conversation is about that year's sales: "what was it?" means the number,
"and in that year, what was rent?" the year.
"""

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Text, ValueList
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.plan.steps import CellGroup, Compute, Plan, Ref
from quaestor.questions.question import Question, read_question
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.selection.measured import measured_words
from quaestor.solvers.embedded.state.dialogue import Operand, TurnAction

_SELECTS = frozenset({"argmax", "argmin", "rank", "labels"})


def remembered_choice(question: Question, answer: Answer, leaves: NumberMatrix) -> tuple[Question, TurnAction] | None:
    """Return a turn that chose one cell as a turn that looked it up; None for every other turn."""
    label = _one_label(answer)
    if answer.plan is None or label is None:
        return None
    group = _group(answer.plan)
    if group is None or label not in group.labels:
        return None
    source, quantity = _cell(group, label)
    index = leaves.index.get((source, quantity.value))
    if index is None:
        return None
    value = float(leaves.value[index])
    selection = question.wants.selection
    measure = measured_words(selection.measure) if selection is not None else ""
    told = read_question(f"what was the {measure or 'value'} in {label}?" if label.isdigit() else f"what was {label}?")
    return told, TurnAction("lookup", (Operand("leaf", index, value),), value, leaves.counts[index])


def is_no_number(answer: Answer) -> bool:
    """Return whether an answer is words or a list, with which nothing can be calculated."""
    return isinstance(answer.value, Text | ValueList)


def _one_label(answer: Answer) -> str | None:
    if isinstance(answer.value, Text):
        return answer.value.value
    if isinstance(answer.value, ValueList) and len(answer.value.items) == 1:
        return answer.value.items[0].label
    return None


def _group(plan: Plan) -> CellGroup | None:
    """The cells that a plan chooses among: of a list of changes those of the later period."""
    step = plan.steps[-1]
    if not isinstance(step, Compute) or step.operation not in _SELECTS:
        return None
    operand = step.operands[0]
    while isinstance(operand, Ref) and operand.step > 0:
        step = plan.steps[operand.step - 1]
        if not isinstance(step, Compute):
            return None
        operand = step.operands[0]
    return operand if isinstance(operand, CellGroup) else None


def _cell(group: CellGroup, label: str) -> tuple[Source, Quantity]:
    place = group.labels.index(label)
    return group.sources[place], group.values[place]
