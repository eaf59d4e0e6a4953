"""Builder for the plan of a turn, with a step for every number that a tool returned or computed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext

from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import AnswerValue, Number, print_value
from quaestor.core.parsing import find_quantities
from quaestor.core.quantity import Scale
from quaestor.errors import SolverError
from quaestor.graph.facts import PrintedNumber, TextCell, extract_number
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.formula import render_formula
from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION, rounds_to
from quaestor.plan.scales import needs_no_source, write_literal
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, Step, closed_plan

_HUNDRED = Constant(Decimal(100), "const_100")
# Minimum digits to recognise a number that was copied with fewer digits.
_DIGITS_COPIED = 3


@dataclass(frozen=True, slots=True)
class Grounding:
    """The origin of a value.

    Attributes:
        grounded: False if no tool returned the value and the page does not print it.
        also: The number of other matches on the page.
    """

    operand: Operand
    origin: str
    label: str
    grounded: bool = True
    also: int = 0


class PlanBuilder:
    """Builder for the plan of one turn."""

    def __init__(self, graph: KnowledgeGraph, memory: Memory) -> None:
        self.graph, self._memory = graph, memory
        self.history: Sequence[StepResult | None] = memory.registers
        self._steps: list[Step] = []
        self._results: list[StepResult] = []
        self._shown: dict[int, PrintedNumber] = {}
        self._known: tuple[PrintedNumber, ...] = ()
        self._latest = 0
        self._question_numbers: frozenset[Decimal] = frozenset()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far."""
        return tuple(self._steps)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The steps, latest first, without those that tools only showed as alternatives."""
        return tuple(step for step in range(len(self._steps), 0, -1) if step not in self._shown)

    def formula(self, step: int) -> str:
        """Return the complete formula of a step."""
        earlier = [answer.formula or None for answer in self._memory.answers]
        return render_formula(self.plan(step), earlier, self._memory.counts)

    def result(self, step: int) -> StepResult:
        """Return the result of a step."""
        return self._results[step - 1]

    def label(self, step: int) -> str:
        """Describe a step or, counted from -1 backwards, an earlier answer."""
        if step < 0:
            return self._memory.answers[step].description
        origin = self._steps[step - 1]
        return origin.label if isinstance(origin, Extract) else origin.operation

    @property
    def mark(self) -> tuple[int, int]:
        """Position to rewind to: the number of steps, and the step returned last."""
        return len(self._steps), self._latest

    def rewind(self, mark: tuple[int, int]) -> None:
        """Remove the steps added after a mark by a call that failed."""
        steps, self._latest = mark
        del self._steps[steps:], self._results[steps:]
        self._shown = {step: number for step, number in self._shown.items() if step <= steps}

    def know(self, numbers: Iterable[PrintedNumber]) -> None:
        """Register numbers visible to the caller, so that using one of them gives it a source."""
        self._known = tuple(numbers)

    def accept_numbers_of(self, question: str) -> None:
        """Accept the numbers of a question as grounded operands."""
        quantities = [span.quantity for span in find_quantities(question)]
        self._question_numbers = frozenset(number for q in quantities for number in (q.value, q.value * q.scale.factor))

    def needs_source(self, value: Decimal) -> bool:
        """Return whether a number of the plan needs a source on the page."""
        return value not in self._question_numbers and not needs_no_source(value)

    def show(self, number: PrintedNumber | TextCell, query: str | None = None) -> int:
        """Return the step of a number or words shown as an alternative, which can be referred to but is not chosen."""
        before = len(self._steps)
        step = self._extract_fact(number, query)
        if step > before and not isinstance(number, TextCell):
            self._shown[step] = number
        return step

    def extract(self, number: PrintedNumber | TextCell, query: str | None = None) -> int:
        """Return the step that extracts a number or the words of a cell; the same source always has the same step."""
        self._latest = self._extract_fact(number, query)
        self._shown.pop(self._latest, None)
        return self._latest

    def _extract_fact(self, number: PrintedNumber | TextCell, query: str | None) -> int:
        step = len(self._steps) + 1
        if isinstance(number, TextCell):
            return self._extracted(Extract(step, number.source, number.label, None, query=query, text=number.text))
        return self._extracted(extract_number(step, number, query=query))

    def compute(self, operation: str, operands: Sequence[Operand]) -> int:
        """Add a step with an operation on earlier steps and return its number.

        Raises:
            PlanError: The operation has no result; nothing was added.
        """
        step = Compute(len(self._steps) + 1, operation, tuple(operands))
        plan = closed_plan((*self._steps, step))
        self._results.append(execute(plan, self.history).result)
        self._steps.append(step)
        self._latest = step.id
        return step.id

    def plan(self, step: int | None = None) -> Plan:
        """Return the plan that ends in a step, by default the latest, with only the steps that it needs, renumbered."""
        if not (step or self._latest):
            raise SolverError("no tool returned a number, so there is no plan")
        return closed_plan(self._steps[: step or self._latest])

    def plan_of(self, value: AnswerValue) -> tuple[Plan, Grounding | None]:
        """Return the plan with a given result, and how the value was traced; None if it is not a number.

        A percentage such as 14.14 may match a step whose result is a fraction; the plan then yields the fraction.
        """
        if not isinstance(value, Number):
            found = [i for i, register in enumerate(self._results, 1) if register.value == value]
            if not found:
                raise SolverError(f"no step of this turn gives {print_value(value)}; calculate it with greater")
            return self.plan(found[-1]), None
        for place in reversed(range(len(self._steps))):
            if self._results[place].fraction and _same(self._results[place].number, value.value, shift=2):
                return self.plan(place + 1), self.traced(place + 1)
        traced = self.trace(value.value)
        if isinstance(traced.operand, Ref) and traced.operand.step > 0:
            return self.plan(traced.operand.step), traced
        return Plan((Compute(1, "identity", (traced.operand,)),)), traced

    def traced(self, step: int) -> Grounding:
        """Return a step of this turn or, counted from -1 backwards, an earlier answer."""
        origin = f"step {step}" if step > 0 else f"answer {-step} turn{'s' * (step < -1)} ago"
        return Grounding(Ref(step), origin, self.label(step))

    def trace(self, value: Decimal, scale: Scale | None = None) -> Grounding:
        """Find the origin of a value; computed and retrieved values are preferred to other numbers of the page.

        Args:
            scale: The stated scale; a number known to have another scale does not match.
        """
        mark = self.mark
        for found in self._traces(value):
            if scale is None or self._counts_in(found.operand, scale):
                return found
            self.rewind(mark)
        if scale is not None:
            for found in self._traces(value * scale.factor):
                if isinstance(found.operand, Ref):
                    return found
        text = format(value, "f")
        constant = Constant(value * scale.factor, format(value * scale.factor, "f")) if scale is Scale.PERCENT else None
        label = text if scale is None else f"{text} {scale.value}"
        in_question = value in self._question_numbers
        origin = "question" if in_question else "ungrounded"
        return Grounding(constant or Constant(value, text, scale), origin, label, grounded=in_question)

    def _counts_in(self, operand: Operand, scale: Scale) -> bool:
        if not isinstance(operand, Ref):
            return False
        register = self.result(operand.step) if operand.step > 0 else self.history[operand.step]
        if register is None or register.scale is scale:
            return register is not None
        computed = operand.step > 0 and register.fraction
        return (
            not register.counts.known and not register.counts.percent and not (computed and scale is not scale.PERCENT)
        )

    def _traces(self, value: Decimal) -> Iterator[Grounding]:
        own = [(step, self.result(step)) for step in self.chosen]
        own += [(-ago, register) for ago, register in enumerate(reversed(self.history), 1) if register is not None]
        shown = [(step, self.result(step)) for step in sorted(self._shown, reverse=True)]
        yield from self._among_results(value, own, exact=True)
        yield from self._among_results(value, shown, exact=True)
        yield from self._among_numbers(value, tuple(self._shown.values()), "shown")
        yield from self._among_results(value, own, exact=False)
        if needs_no_source(value):
            text = write_literal(value)
            yield Grounding(Constant(value, text), "constant", text)
        yield from self._among_numbers(value, self._known, "shown")
        yield from self._among_numbers(value, (*self.graph.observations, *self.graph.mentions, *self.graph.labels))

    def _among_results(
        self, value: Decimal, results: Iterable[tuple[int, StepResult]], exact: bool
    ) -> Iterator[Grounding]:
        """Yield the results that a value may mean, each given with its step or, below 0, its earlier answer."""
        for step, register in results:
            if _is(register, value, exact):
                yield self.traced(step)
            elif register.fraction and _same(register.number, value, 2, exact):
                # The tool showed the fraction in percent, so the percentage is meant: 14.14 and not 0.1414.
                yield replace(self.traced(step), operand=Ref(self.compute("multiply", (Ref(step), _HUNDRED))))

    def _among_numbers(
        self, value: Decimal, numbers: Sequence[PrintedNumber], origin: str = "page"
    ) -> Iterator[Grounding]:
        for magnitude in (False, True):
            found = [n for n in numbers if _prints(n, value, magnitude)]
            for number in found:
                step = extract_number(len(self._steps) + 1, number, "magnitude" if magnitude else "signed")
                yield Grounding(Ref(self._extracted(step)), origin, number.label, also=len(found) - 1)

    def _extracted(self, step: Extract) -> int:
        for known in self._steps:
            if isinstance(known, Extract) and replace(known, id=step.id, query=step.query) == step:
                return known.id
        self._results.append(execute(Plan((replace(step, id=1),))).result)
        self._steps.append(step)
        return step.id


def _is(register: StepResult, value: Decimal, exact: bool) -> bool:
    """Return whether a value matches a result, as printed or in units (0.137 for 13.7 %, 2.7e9 for 2.7 billion)."""
    if _same(register.number, value, exact=exact):
        return True
    if register.number is None or register.scale is Scale.ONE:
        return False
    return _same(register.number * register.scale.factor, value, exact=exact)


def _same(known: Decimal | None, value: Decimal, shift: int = 0, exact: bool = False) -> bool:
    """Return whether a value is a known number or, unless `exact`, its float or the number rounded to fewer digits."""
    if known is None:
        return False
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        known = known.scaleb(shift)
    return known == value or (not exact and rounds_to(known, value, _DIGITS_COPIED))


def _prints(number: PrintedNumber, value: Decimal, magnitude: bool) -> bool:
    quantity = number.quantity
    wanted = -value if magnitude else value
    if magnitude and quantity.value >= 0:
        return False
    return wanted in (quantity.value, quantity.number)
