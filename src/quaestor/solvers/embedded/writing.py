"""Conversion between the solver's outcomes and plans, and completion of questions that refer to earlier ones."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import Text, ValueList, as_float
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Ref
from quaestor.plan.steps import Operand as PlanOperand
from quaestor.questions.conditions import read_condition
from quaestor.questions.question import Question, read_question
from quaestor.solvers.embedded.beam import measure_turns
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.page import NumberMatrix, PageFeatures
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction, make_turn_view

# ---- Rewriting of a choice as a question for a number.
#
# "In which year was net income highest?" measures net income. The scorer, which was trained on questions for numbers,
# finds the cells of such a measure.


_POINTS_BACK = lazy_regex(r"^(?:(?:the|that|this|it|its|they|those|these|value|amount|number|figure|one)\s*)*$")
_LEAD = lazy_regex(r"^(?:(?:the|and|of|for|in|,)\s+)*")
_TAIL = lazy_regex(r"(?:[\s,]{1,3}(?:the|and|of|for|in|an?|with|during|to|by)){0,8}[\s,.?]{0,8}$")


def trim_measure(measure: str) -> str:
    """Remove filler words at the ends of a measure; return "" if only a pronoun is left.

    >>> trim_measure("the sales in 2012, the"), trim_measure("that")
    ('sales in 2012', '')
    """
    left = _TAIL.sub("", _LEAD.sub("", measure))
    return "" if _POINTS_BACK.match(left) else left


def build_number_question(measure: str) -> Question:
    """Return the question for the number of a measure.

    Args:
        measure: The result of `trim_measure`; "" asks for the number of the previous question.
    """
    return read_question(f"what was the {measure}?" if measure else "what was it?")


def score_cells(
    question: Question,
    state: DialogueState,
    page: PageFeatures,
    weights: EmbeddedWeights,
) -> NDArray[np.float64]:
    """Return the probability of each number of the page that a question means it."""
    if not len(page.leaves):
        return np.zeros(0)
    turn = make_turn_view(question, state, page, weights.references)
    (reading,) = measure_turns([turn], weights.signature)
    return weights.leaves.predict([reading.measured])[0]


# ---- Completion of questions after a choice: "which years?", "and in 2011?", "what about freight?"
#
# Questions after other questions are not completed here.


_NOUN = r"(?:ones?|years?|quarters?|periods?|lines?|segments?|regions?|of them)"
_WHICH = lazy_regex(rf"(?:and\s+|so\s+)?(?:which|what)(?:\s+{_NOUN})?\s*\?*")
_CONTINUES = lazy_regex(
    r"(?:and|what about|how about|and what about)\s+(?:(?:in|for|of|at|during)\s+)?(?P<rest>[^?]{2,60}?)\s*\?*"
)
_VERB = lazy_regex(
    r"\b(?:is|are|was|were|did|do|does|has|have|had|what|which|who|when|why|how|much|many|it|that|this|them|change"
    r"|difference|percent\w*|ratio|share|total|sum|average)\b"
)
_WHICH_IS = lazy_regex(r"(?:and\s+)?which(?:\s+one)?\s+(?P<rest>(?:is|was|were|are|had|has)\b.*)")
_BESIDE_DEGREE = lazy_regex(
    r"(?:(?:and|so|then|what about|how about)\s+)*(?:the\s*)?(?:\s*(?:in|for|of)\s+(?:fiscal\s+)?\d{4})?[\s?]*"
)
_MOST_EARLIER = 8
"""Maximum number of earlier questions that a question may continue."""


def complete_question(question: Question, earlier: Sequence[Question]) -> Question:
    """Complete a question from the ones before; return it unchanged if it is complete.

    >>> asked = [read_question("in which year were wages highest?")]
    >>> complete_question(read_question("what about freight?"), asked).text
    'in which year were freight highest?'
    """
    before: Question | None = None
    for each in (*earlier[-_MOST_EARLIER:], question):
        before = _complete_by_last(each, before)
    return before or question


def _complete_by_last(question: Question, before: Question | None) -> Question:
    text = " ".join(question.lowered.split())
    selection = before.wants.selection if before is not None else None
    if before is None or selection is None or question.wants.selection is not None:
        return question
    if selection.noun and (of_noun := _WHICH_IS.fullmatch(text)):
        named = read_question(f"which {selection.noun} {of_noun['rest']}")
        return named if named.wants.selection is not None else question
    if _WHICH.fullmatch(text):
        return _ask_for_choice(before) or question
    opposite, continued = _replace_degree(before, question), _CONTINUES.fullmatch(text)
    if opposite is not None or continued is None:
        return opposite or question
    rest = continued["rest"]
    if question.years and len(rest.split()) <= 2:
        return _replace_year(before, question)
    return _replace_measure(before, rest) or question


def _ask_for_choice(before: Question) -> Question | None:
    """Turn a question for a count into one for the counted things."""
    text, count = re.subn(r"\bhow many\b", "which", " ".join(before.lowered.split()), count=1)
    return read_question(text) if count else None


def _replace_degree(before: Question, question: Question) -> Question | None:
    """Return the question before with another degree, such as lowest for highest, if nothing else is asked."""
    text = " ".join(question.lowered.split())
    selection, degree = before.wants.selection, read_condition(text)
    if selection is None or selection.condition.extreme is None or degree.extreme is None or len(degree.spans) != 1:
        return None
    (start, end), (first, last) = degree.spans[0], selection.condition.spans[0]
    if not _BESIDE_DEGREE.fullmatch(f"{text[:start]}{text[end:]}"):
        return None
    opposite = read_question(f"{selection.text[:first]}{text[start:end]}{selection.text[last:]}")
    return _replace_year(opposite, question) if question.years else opposite


def _replace_year(before: Question, question: Question) -> Question:
    text, year = " ".join(before.lowered.split()).rstrip(" ?"), str(question.years[0])
    if len(before.years) == 1:
        return read_question(f"{text.replace(str(before.years[0]), year)}?")
    return read_question(f"{text} in {year}?") if not before.years else question


def _replace_measure(before: Question, words: str) -> Question | None:
    selection = before.wants.selection
    measure = trim_measure(selection.measure) if selection is not None else ""
    if not measure or _VERB.search(words) or selection is None:
        return None
    for mention in before.periods:
        # After "sales in 2012", "and costs?" means "costs in 2012".
        measure = trim_measure(measure.replace(before.lowered[mention.start : mention.end], ""))
    if measure not in selection.text:
        return None
    return read_question(selection.text.replace(measure, words.removeprefix("the "), 1))


# ---- Choices in the conversation state: the chosen cell counts as looked up.
#
# After "in which year were sales highest?" the conversation is about that year's sales: "what was it?" asks for their
# amount, and "that year" in "what was rent in that year?" is the chosen year.


_SELECTS = frozenset({"argmax", "argmin", "rank", "labels"})


def recall_choice(question: Question, answer: Answer, leaves: NumberMatrix) -> tuple[Question, TurnAction] | None:
    """Convert a turn that chose one cell to a turn that looked it up; return None for other turns."""
    label = _find_one_label(answer)
    if answer.plan is None or label is None:
        return None
    group = _find_group(answer.plan)
    if group is None or label not in group.labels:
        return None
    source, quantity = _find_cell(group, label)
    index = leaves.index.get((source, quantity.value))
    if index is None:
        return None
    value = float(leaves.value[index])
    selection = question.wants.selection
    measure = trim_measure(selection.measure) if selection is not None else ""
    lookup_question = read_question(
        f"what was the {measure or 'value'} in {label}?" if label.isdigit() else f"what was {label}?"
    )
    return lookup_question, TurnAction("lookup", (Operand("leaf", index, value),), value, leaves.counts[index])


def is_no_number(answer: Answer) -> bool:
    """Return whether an answer is words or a list, which ranked plans cannot use."""
    return isinstance(answer.value, Text | ValueList)


def _find_one_label(answer: Answer) -> str | None:
    if isinstance(answer.value, Text):
        return answer.value.value
    if isinstance(answer.value, ValueList) and len(answer.value.items) == 1:
        return answer.value.items[0].label
    return None


def _find_group(plan: Plan) -> CellGroup | None:
    """Return the cells that a plan chooses among; for a list of changes those of the later period."""
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


def _find_cell(group: CellGroup, label: str) -> tuple[Source, Quantity]:
    place = group.labels.index(label)
    return group.sources[place], group.values[place]


_NONE: Mapping[int, int] = MappingProxyType({})


def write_plan(outcome: TurnAction, leaves: NumberMatrix, state: DialogueState, given: Sequence[bool]) -> Plan:
    """Convert an outcome to a plan.

    Args:
        given: For each earlier turn whether its answer agrees with the reading. If not, the plan cannot refer to the
            answer and repeats the steps of the turn.
    """
    writer = _PlanWriter(leaves, state, given)
    writer.write(outcome)
    return Plan(tuple(writer.steps))


class _PlanWriter:
    """Builder of the steps of a plan."""

    def __init__(self, leaves: NumberMatrix, state: DialogueState, given: Sequence[bool]) -> None:
        self.steps: list[Extract | Compute] = []
        self._leaves, self._state, self._given = leaves, state, given

    def write(self, outcome: TurnAction) -> PlanOperand:
        """Add the steps of an outcome; the operand of a lookup becomes the last step."""
        operands = tuple(self._write_operand(operand) for operand in outcome.operands)
        if outcome.operation != "lookup":
            self.steps.append(Compute(len(self.steps) + 1, outcome.operation, operands))
        elif not self.steps:
            self.steps.append(Compute(1, "identity", operands))
        return Ref(len(self.steps))

    def _write_operand(self, operand: Operand) -> PlanOperand:
        if operand.kind == "constant":
            return _build_constant(operand.value)
        if operand.kind == "leaf":
            return self._write_leaf(operand)
        if self._given[operand.index]:
            return Ref(operand.index - len(self._given))
        outcome = self._state.outcomes[operand.index]
        if outcome.operation == "lookup":
            return self._write_operand(outcome.operands[0])
        return self.write(outcome)

    def _write_leaf(self, operand: Operand) -> Ref:
        leaf = self._leaves.leaves[operand.index]
        dropped = operand.value > 0 > leaf.quantity.value
        step = len(self.steps) + 1
        self.steps.append(
            Extract(step, leaf.source, leaf.label, leaf.quantity, reading="magnitude" if dropped else "signed")
        )
        return Ref(step)


def _build_constant(value: float) -> Constant:
    number = Decimal(repr(value))
    whole = number == number.to_integral_value()
    text = "const_m1" if value == -1 else f"const_{int(number)}" if whole and value >= 0 else format(number, "f")
    return Constant(number.to_integral_value() if whole else number, text)


def read_state(memory: Memory, leaves: NumberMatrix, restated: Mapping[int, int] = _NONE) -> DialogueState:
    """Convert the conversation so far, by any solver, to a `DialogueState`.

    Args:
        restated: The turns that only repeated an earlier answer, with the turn of that answer.
    """
    state = DialogueState()
    for place, (question, answer) in enumerate(zip(memory.parsed_questions, memory.answers, strict=True)):
        if is_no_number(answer):
            chosen = recall_choice(complete_question(question, memory.parsed_questions[:place]), answer, leaves)
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
        return TurnAction("lookup", (_find_leaf_operand(last, leaves),), value, counts)
    operands = []
    for operand in last.operands:
        if isinstance(operand, Constant):
            operands.append(Operand("constant", 0, float(operand.value)))
        elif isinstance(operand, Ref) and operand.step < 0:
            turn = len(state.outcomes) + operand.step
            operands.append(Operand("result", turn, state.outcomes[turn].value or 0.0))
        elif isinstance(operand, Ref):
            step = plan.steps[operand.step - 1]
            operands.append(_find_leaf_operand(step, leaves) if isinstance(step, Extract) else _build_unknown())
        else:
            operands.append(_build_unknown())
    operation = "lookup" if last.operation == "identity" else last.operation
    return TurnAction(operation, tuple(operands), value, counts)


def _find_leaf_operand(step: Extract, leaves: NumberMatrix) -> Operand:
    if step.quantity is None:
        return _build_unknown()
    index = leaves.find(step)
    if index is None:
        return Operand("constant", 0, float(step.quantity.value))
    value = float(leaves.value[index])
    return Operand("leaf", index, abs(value) if step.reading == "magnitude" else value)


def _build_unknown() -> Operand:
    return Operand("constant", 0, float("nan"))
