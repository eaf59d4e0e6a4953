"""Convert reference programs to plans on their page, as a solver that makes no mistake would.

A program contains numbers, not cells. If the page prints a number several times, the place that was used before is
preferred, then one whose scale the other numbers of the program have, then the one whose words are most like those of
the question, then one in a sentence that was used before. The result is not used to choose.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.words import words
from quaestor.graph.facts import HeaderNumber, MentionFact, Observation, extract_number
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.program import parse_program
from quaestor.plan.scales import Dimension, shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step
from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import TurnContext

Number = Observation | MentionFact | HeaderNumber


@dataclass
class GoldPlans:
    """The plans of one conversation in the order of its turns."""

    graph: KnowledgeGraph
    _earlier: dict[str, int] = field(default_factory=dict)
    _places: dict[str, Number] = field(default_factory=dict)
    _questions: list[str] = field(default_factory=list)
    _scales: frozenset[Scale] = frozenset()
    _turns: int = 0

    def add(self, question: str, program: str) -> Plan:
        """Return the plan of the next turn: results of earlier turns are referenced, other numbers are extracted."""
        parsed = parse_program(program)
        self._questions.append(question)
        self._scales = self._unambiguous_scales(parsed)
        builder = _Builder(parsed, self)
        builder.operand(Ref(len(parsed.steps)), whole=True)
        self._earlier[expression(parsed, Ref(len(parsed.steps)))] = self._turns
        self._turns += 1
        return Plan(tuple(builder.steps))

    def find_earlier_turn(self, question: str) -> Ref | None:
        """Return a reference to the earlier turn whose whole program is this expression; None if there is none."""
        return Ref(self._earlier[question] - self._turns) if question in self._earlier else None

    def place(self, literal: Constant) -> tuple[Number, bool] | None:
        """Return the place of a program's number and whether its minus sign is dropped; None if it is not printed."""
        found, magnitude = self._printed(literal)
        if not found:
            return None
        known = self._places.get(literal.text)
        best = known if known in found else max(found, key=self._likeness)
        self._places[literal.text] = best
        return best, magnitude

    @property
    def numbers(self) -> Sequence[Number]:
        return (*self.graph.observations, *self.graph.mentions, *self.graph.labels)

    def _printed(self, literal: Constant) -> tuple[list[Number], bool]:
        """Return all places that print a number, and whether they print it only with a minus sign."""
        found = [n for n in self.numbers if _prints(n, literal, magnitude=False)]
        return (found, False) if found else ([n for n in self.numbers if _prints(n, literal, magnitude=True)], True)

    def _unambiguous_scales(self, parsed: Plan) -> frozenset[Scale]:
        """Return the scales of those numbers of a program that are printed in one scale only."""
        literals = {o for step in parsed.steps if isinstance(step, Compute) for o in step.operands}
        each = [{_scale(n) for n in self._printed(o)[0]} for o in literals if _is_number(o)]
        return frozenset(scale for scales in each if len(scales) == 1 for scale in scales)

    def _likeness(self, number: Number) -> tuple[int, int, int, int, int]:
        own = set(words(number.label))
        latest, before = set(words(self._questions[-1])), set(words(" ".join(self._questions[-3:])))
        used = isinstance(number, MentionFact) and _sentence(number) in {_sentence(n) for n in self._places.values()}
        fits = _scale(number) in self._scales
        return fits, len(own & latest), len(own & before), used, isinstance(number, Observation)


@dataclass
class _Builder:
    parsed: Plan
    plans: GoldPlans
    steps: list[Step] = field(default_factory=list)
    _known: dict[str, Ref] = field(default_factory=dict)

    def operand(self, operand: Operand, whole: bool = False) -> Operand:
        text = expression(self.parsed, operand)
        if text in self._known:
            return self._known[text]
        if (earlier := self.plans.find_earlier_turn(text)) and not whole:
            return earlier
        result: Operand = operand
        if isinstance(operand, Ref):
            step = self.parsed.steps[operand.step - 1]
            assert isinstance(step, Compute)
            if step.operation == "identity":
                result = self.operand(step.operands[0])
                return result if isinstance(result, Ref) and result.step > 0 else self._add("identity", (result,))
            result = self._add(step.operation, tuple(self.operand(o) for o in step.operands))
        elif _is_number(operand):
            result = self._extract(operand)
        if isinstance(result, Ref):
            self._known[text] = result
        return result

    def _add(self, operation: str, operands: tuple[Operand, ...]) -> Ref:
        self.steps.append(Compute(len(self.steps) + 1, operation, operands))
        return Ref(len(self.steps))

    def _extract(self, literal: Constant) -> Operand:
        found = self.plans.place(literal)
        if found is None:
            return literal
        number, magnitude = found
        self.steps.append(extract_number(len(self.steps) + 1, number, "magnitude" if magnitude else "signed"))
        return Ref(len(self.steps))


def expression(plan: Plan, operand: Operand) -> str:
    """Return an operand as an expression without step numbers."""
    if not isinstance(operand, Ref):
        return operand.text
    step = plan.steps[operand.step - 1]
    assert isinstance(step, Compute)
    inner = ", ".join(expression(plan, o) for o in step.operands)
    return inner if step.operation == "identity" else f"{step.operation}({inner})"


def _is_number(operand: Operand) -> TypeGuard[Constant]:
    return isinstance(operand, Constant) and not operand.text.startswith("const_")


def _scale(number: Number) -> Scale:
    return number.scale if isinstance(number, Observation) else number.quantity.scale


def _sentence(number: Number) -> tuple[str, int] | None:
    source = number.source
    return (source.section, source.sentence) if isinstance(source, SentenceRef) else None


def _prints(number: Number, literal: Constant, magnitude: bool) -> bool:
    quantity = number.quantity
    wanted = -literal.value if magnitude else literal.value
    if magnitude and quantity.value >= 0:
        return False
    if literal.text.endswith("%"):
        return quantity.scale is Scale.PERCENT and quantity.value == shift_decimal(wanted, 2)
    return wanted in (quantity.value, quantity.number)


def plan_of(question: str, context: TurnContext, golds: Sequence[GoldTurn]) -> Plan:
    """Return the plan of a turn, given the references of all turns up to it."""
    plans = GoldPlans(context.graph)
    questions = (*context.memory.questions, question)
    plan = [plans.add(question, gold.program) for question, gold in zip(questions, golds, strict=True)][-1]
    return with_reference_scales(plan, context)


def with_reference_scales(plan: Plan, context: TurnContext) -> Plan:
    """Return a plan that converts no scale that the reference does not convert.

    If the scale of a number comes only from labels and meets another scale, the number is used `as_printed`.
    """
    labelled = with_label_scales(plan, context.document)
    counted: list[Dimension] = []
    steps: list[Step] = []
    numbers: dict[int, int] = {}

    def counts(operand: Operand) -> Dimension:
        if isinstance(operand, RowRef | CellGroup):
            return Dimension()
        if isinstance(operand, Constant):
            return operand.counts
        register = context.memory.registers[operand.step] if operand.step < 0 else None
        return counted[operand.step - 1] if operand.step > 0 else register.counts if register else Dimension()

    def kept(operand: Operand) -> Operand:
        return Ref(numbers[operand.step]) if isinstance(operand, Ref) and operand.step > 0 else operand

    for step in labelled.steps:
        if isinstance(step, Extract):
            counted.append(step.counts)
            steps.append(replace(step, id=len(steps) + 1))
        else:
            operands = [kept(operand) for operand in step.operands]
            reading = OPERATIONS[step.operation].rule([counts(operand) for operand in step.operands])
            counted.append(reading.counts)
            if len(operands) == 2 and any(shift > 0 for shift in reading.shifts):
                place = max((0, 1), key=lambda place: _by_labels(step.operands[place], labelled))
                steps.append(Compute(len(steps) + 1, "as_printed", (operands[place],)))
                operands[place] = Ref(len(steps))
            steps.append(replace(step, id=len(steps) + 1, operands=tuple(operands)))
        numbers[step.id] = len(steps)
    return replace(plan, steps=tuple(steps))


def _by_labels(operand: Operand, plan: Plan) -> bool:
    """Return whether only labels around a number give its scale."""
    step = plan.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
    return isinstance(step, Extract) and step.quantity is not None and step.quantity.scale is Scale.ONE
