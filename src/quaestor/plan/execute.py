"""Exact execution of a plan: one result per step, with its scale, unit and sources.

`quaestor.plan.scales` decides how operands are scaled. Results follow the benchmark's conventions (numbers as printed,
percentage points as points, ratios as fractions) but are not rounded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo, amount_words, kind_words, number_of
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.errors import OperandError
from quaestor.plan import lists
from quaestor.plan.lists import Entries, ListEntry
from quaestor.plan.operations import OPERATIONS, PRECISION, Operation, Selection, metric_of, require_in_range
from quaestor.plan.scales import Dimension, linear, mixes_units, shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step
from quaestor.plan.validate import require_valid

_PERCENTAGES = frozenset({"percentage", "percentage_change"})
_SAME_KIND = frozenset({"identity", "absolute", "add", "subtract", "sum", "average", "minimum", "maximum"})
_POWERS = frozenset({"divide", "exp"})
_JOINING_WORDS = {"change": "less", "ratio": "to"}
"""Word between the names of two lines, by the metric of the computation: "Sales less Costs"."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of one step.

    Attributes:
        sources: All cells and spans used, each once, in the order of use. For a selection from a list these are the
            sources of the selected entries, then those of the entries that they were compared with.
        in_ones: Whether the scale is known to be one; if False, `Scale.ONE` means that the scale is unknown.
        fraction: Whether the value is a share or relative change, or a sum, average and the like of these, which is
            displayed in percent.
    """

    value: AnswerValue
    scale: Scale = Scale.ONE
    unit: str | None = None
    sources: tuple[Source, ...] = ()
    in_ones: bool = False
    fraction: bool = False

    @property
    def counts(self) -> Dimension:
        """The scale and unit, for operations on this result."""
        return Dimension(self.scale, self.unit, in_ones=self.in_ones)

    @property
    def number(self) -> Decimal | None:
        """The number, or None if the value is not a number."""
        return number_of(self.value)


@dataclass(frozen=True, slots=True)
class Execution:
    """Results of a plan."""

    registers: tuple[StepResult, ...]

    @property
    def result(self) -> StepResult:
        """The result of the last step, which is the answer."""
        return self.registers[-1]


def execute(plan: Plan, history: Sequence[StepResult | None] = ()) -> Execution:
    """Execute a plan.

    Args:
        history: The answers of earlier turns, oldest first, so that `Ref(-1)` is the last; None for a turn without an
            answer.

    Raises:
        PlanValidationError: The plan is invalid.
        DivisionByZeroError: A divisor is zero.
        MagnitudeError: A number is too large or too precise, or a list too long.
        OperandError: An operand has no number, or one that the operation does not accept.
    """
    require_valid(plan, len(history))
    run = _Run(plan, history)
    with localcontext(Context(prec=PRECISION, traps=[DivisionByZero, InvalidOperation, Overflow])):
        for step in plan.steps:
            run.add(step)
    return Execution(tuple(run.registers))


def unique_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return each source once, in the order of its first use."""
    return tuple(dict.fromkeys(sources))


class _Run:
    """Running execution: the results so far, and the lists among them with the sources of each entry."""

    def __init__(self, plan: Plan, history: Sequence[StepResult | None]) -> None:
        self._plan, self._history = plan, history
        self._lists: dict[int, Entries] = {}
        self.registers: list[StepResult] = []

    def add(self, step: Step) -> None:
        """Execute the next step."""
        if isinstance(step, Extract):
            self.registers.append(_extract(step))
            return
        try:
            entries = self._compute(step, OPERATIONS[step.operation])
            if isinstance(entries, Entries):
                self._lists[step.id] = entries
                entries = _make_result(entries.value, entries.counts, entries.sources)
        except OperandError as error:
            if error.step is not None:
                raise
            raise OperandError(f"step {step.id} ({step.operation}) cannot compute with {error}", step.id) from error
        self.registers.append(entries)

    def _compute(self, step: Compute, operation: Operation) -> StepResult | Entries:
        if operation.takes == "anything":
            return self._copy(step.operands[0], step)
        if operation.takes == "entries":
            return self._join_entries(step)
        if operation.takes == "list":
            return self._select(step, operation)
        if operation.takes in ("words", "steps"):
            return self._read(step, operation) if operation.takes == "words" else self._explain(step)
        if operation.takes == "each" and any(self._is_list(operand) for operand in step.operands):
            return self._compute_each(step, operation)
        numbers = [number for operand in step.operands for number in self._numbers(operand, step, operation)]
        value, counts = _apply(operation, numbers)
        result = _make_result(value, counts, unique_sources(source for _, _, sources in numbers for source in sources))
        plain = result.number is not None and result.scale is Scale.ONE and not result.unit
        return replace(result, fraction=plain and self._is_fraction(step))

    def _copy(self, operand: Operand, step: Compute) -> StepResult | Entries:
        if isinstance(operand, Ref):
            return self._lists.get(operand.step) or self._register(operand, step)
        (number, counts, sources) = self._number(operand, step)
        return _make_result(Number(number), counts, sources)

    def _read(self, step: Compute, operation: Operation) -> StepResult:
        """Return yes or no, with the passages that state it as sources."""
        read = [self._register(operand, step) for operand in step.operands if isinstance(operand, Ref)]
        if len(read) < len(step.operands) or not all(isinstance(register.value, Text) for register in read):
            raise OperandError("anything but words")
        value, counts = _apply(operation, ())
        return _make_result(value, counts, unique_sources(source for register in read for source in register.sources))

    def _explain(self, step: Compute) -> StepResult:
        """Return the explanation's templates, with the sources of all steps that they refer to."""
        registers = [self._register(operand, step) for operand in step.operands if isinstance(operand, Ref)]
        sources = unique_sources(source for register in registers for source in register.sources)
        return StepResult(Text(" ".join(self._plan.explanation)), sources=sources)

    def _select(self, step: Compute, operation: Operation) -> StepResult | Entries:
        listed = self._listed(step.operands[0], step)
        limit = [self._limit(operand, step) for operand in step.operands[1:]]
        limit_sources = [source for _, _, sources in limit for source in sources]
        if operation.of_labels:
            value = operation.function([Decimal(0)] * len(listed.entries))
        else:
            value, _ = _calculate(operation, [*map(lists.reckonable, listed.entries), *limit])
        if not isinstance(value, Selection):
            return _make_result(value, Dimension(in_ones=True), listed.sources)
        chosen = listed.select(value.places, limit_sources)
        if operation.gives == "list":
            return chosen
        labels = lists.labels_of_entries(chosen)
        if operation.gives == "label" and len(labels) == 1:
            return _make_result(Text(labels[0]), Dimension(), chosen.sources)
        named = (ListEntry(entry.label, None, sources=entry.sources) for entry in chosen.entries)
        return Entries(tuple(named), chosen.other_sources)

    def _compute_each(self, step: Compute, operation: Operation) -> Entries:
        """Compute with each entry of a list: alone, with the same label's entry of another list, or with a number."""
        operands = [self._listed(o, step) if self._is_list(o) else self._number(o, step) for o in step.operands]
        listed = [one for one in operands if isinstance(one, Entries)]
        pairs = list(lists.pair(*listed)) if len(listed) == 2 else [(entry,) for entry in listed[0].entries]
        extra = [source for one in operands for source in (one.other_sources if isinstance(one, Entries) else one[2])]
        new_entries: list[ListEntry] = []
        for entries in pairs:
            waiting = iter(entries)
            numbers = [lists.reckonable(next(waiting)) if isinstance(one, Entries) else one for one in operands]
            value, counts = _apply(operation, numbers)
            sources = unique_sources(source for entry in entries for source in entry.sources)
            new_entries.append(ListEntry(entries[0].label, number_of(value), counts, sources))
        return Entries(tuple(new_entries), unique_sources(extra))

    def _is_list(self, operand: Operand) -> bool:
        if isinstance(operand, Ref) and operand.step < 0:
            register = self._history[operand.step]
            return register is not None and isinstance(register.value, ValueList)
        return isinstance(operand, CellGroup) or (isinstance(operand, Ref) and operand.step in self._lists)

    def _listed(self, operand: Operand, step: Compute) -> Entries:
        if isinstance(operand, CellGroup):
            return lists.of_group(operand)
        if isinstance(operand, Ref):
            register = self._register(operand, step)
            if isinstance(register.value, ValueList):
                return self._lists.get(operand.step) or lists.of_answer(
                    register.value, register.counts, register.sources
                )
            raise OperandError(f"{kind_words(register.value)}, only with a list")
        raise OperandError("a single number, only with a list")

    def _entries(self, operand: Operand, step: Compute) -> Entries:
        """Return the list entries of an operand of `items`; a number of the page keeps its label."""
        if self._is_list(operand):
            return self._listed(operand, step)
        if isinstance(operand, Ref):
            register = self._register(operand, step)
            source_step = self._plan.steps[operand.step - 1] if operand.step > 0 else None
            label = (source_step.label or None) if isinstance(source_step, Extract) else None
            return lists.single_entry(register.value, register.number, register.counts, label, register.sources)
        number, counts, sources = self._number(operand, step)
        return lists.single_entry(Number(number), number, counts, None, sources)

    def _join_entries(self, step: Compute) -> Entries:
        """Return the list of `items`: shares in percent, computed numbers named by their operation or subject."""
        parts = [self._entries(operand, step) for operand in step.operands]
        fractions = [isinstance(o, Ref) and self._register(o, step).fraction for o in step.operands]
        parts = [lists.in_percent(part) if of else part for part, of in zip(parts, fractions, strict=True)]
        called = lists.distinct_names(map(self._metric, step.operands), map(self._subject, step.operands))
        names = [name for name, part in zip(called, parts, strict=True) for _ in part.entries]
        return lists.with_names(lists.join(parts), names)

    def _find_computation(self, operand: Operand) -> Compute | None:
        step = self._plan.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
        return step if isinstance(step, Compute) else None

    def _is_fraction(self, step: Compute) -> bool:
        """Whether a plain number is a share or a relative change, or combines such numbers."""
        first = step.operands[0]
        if isinstance(first, RowRef):
            return any(counts.percent for counts in first.counts)
        if metric_of(step.operation) in _PERCENTAGES or self._is_relative_change(step):
            return True
        if step.operation not in _SAME_KIND:
            return False
        registers = [self._register(operand, step) for operand in step.operands if isinstance(operand, Ref)]
        ones = all(isinstance(o, Constant) and o.value == 1 for o in step.operands if not isinstance(o, Ref))
        return ones and any(r.fraction for r in registers) and all(r.fraction or r.counts.percent for r in registers)

    def _is_relative_change(self, step: Compute) -> bool:
        over = self._find_computation(step.operands[0])
        if over is None or step.operation not in ("divide", "subtract"):
            return False
        base = step.operands[1]
        if step.operation == "divide":
            return over.operation == "subtract" and over.operands[1] == base
        return over.operation in _POWERS and isinstance(base, Constant) and base.value == 1

    def _metric(self, operand: Operand) -> str | None:
        """Return the name of a computed operand's metric in words."""
        step = self._find_computation(operand)
        if step is None:
            return None
        metric = "percentage_change" if self._is_relative_change(step) else OPERATIONS[step.operation].metric
        word = _JOINING_WORDS.get(metric)
        if word is not None and (pair := lists.name_pair(self._read_labels(step), word)):
            return pair
        return None if metric == "value" else metric.replace("_", " ")

    def _read_labels(self, step: Compute) -> Sequence[str]:
        """Return the labels of a step's operands that come from the document."""
        extracts = [self._plan.steps[ref.step - 1] for ref in step.operands if isinstance(ref, Ref) and ref.step > 0]
        return [one.label for one in extracts if isinstance(one, Extract)]

    def _subject(self, operand: Operand) -> str | None:
        """Return the common parts of the labels of all cells used by an operand: their line or period."""
        step = self._find_computation(operand)
        labels, left, seen = list[str](), [step] if step else list[Step](), set[int]()
        while left:
            current = left.pop()
            if isinstance(current, Extract):
                labels.append(current.label)
                continue
            named = {ref.step for ref in current.operands if isinstance(ref, Ref) and ref.step > 0} - seen
            seen |= named
            left += [self._plan.steps[place - 1] for place in named]
        return lists.common_parts(labels) or None

    def _limit(self, operand: Operand, step: Compute) -> lists.Amount:
        """Return the second operand of a list operation."""
        number, counts, sources = self._number(operand, step)
        return number, operand.limits if isinstance(operand, Constant) else counts, sources

    def _numbers(self, operand: Operand, step: Compute, operation: Operation) -> Sequence[lists.Amount]:
        if isinstance(operand, RowRef):
            return _row(operand, step)
        if operation.takes == "all" and self._is_list(operand):
            listed = self._listed(operand, step)
            if not listed.entries:
                raise OperandError("an empty list")
            return [(*lists.reckonable(entry)[:2], listed.sources) for entry in listed.entries]
        return [self._number(operand, step)]

    def _number(self, operand: Operand, step: Compute) -> lists.Amount:
        if isinstance(operand, Constant):
            return require_in_range(operand.value), operand.counts, ()
        if not isinstance(operand, Ref):
            raise OperandError("a group of cells, only with single numbers")
        register = self._register(operand, step)
        number = register.number
        if number is None:
            raise OperandError(kind_words(register.value))
        # The results of this plan's steps were already checked against the range.
        return (number if operand.step > 0 else require_in_range(number)), register.counts, register.sources

    def _register(self, operand: Ref, step: Compute) -> StepResult:
        register = self.registers[operand.step - 1] if operand.step > 0 else self._history[operand.step]
        if register is None:
            answer = "the last answer" if operand.step == -1 else f"the answer {-operand.step} turns ago"
            raise OperandError(f"step {step.id} ({step.operation}) needs {answer}, but there is none", step.id)
        return register


def _apply(operation: Operation, operands: Sequence[lists.Amount]) -> tuple[Number | YesNo, Dimension]:
    value, counts = _calculate(operation, operands)
    assert not isinstance(value, Selection)  # an operation on numbers
    return value, counts


def _calculate(operation: Operation, operands: Sequence[lists.Amount]) -> tuple[Number | YesNo | Selection, Dimension]:
    kinds = [counts for _, counts, _ in operands]
    if operation.rule is linear and mixes_units(kinds):
        by_unit = {
            kind.percent or kind.unit: (number, kind) for number, kind, _ in operands if kind.percent or kind.unit
        }
        named = " and ".join(amount_words(number, kind.scale, kind.unit) for number, kind in by_unit.values())
        raise OperandError(f"{named}: they count different things")
    reading = operation.rule(kinds)
    numbers = [shift_decimal(operands[place][0], shift) for place, shift in enumerate(reading.shifts)]
    return operation.function(numbers), reading.counts


def _extract(step: Extract) -> StepResult:
    if step.quantity is None or step.number is None:
        return StepResult(Text(step.text or ""), sources=(step.source,))
    return _make_result(Number(require_in_range(step.number)), step.counts, (step.source,))


def _make_result(value: AnswerValue, counts: Dimension, sources: tuple[Source, ...]) -> StepResult:
    return StepResult(value, counts.scale, counts.unit, sources, counts.in_ones)


def _row(label: RowRef, step: Compute) -> Sequence[lists.Amount]:
    if not label.values or len(label.values) != len(label.sources):
        raise OperandError(f"step {step.id} ({step.operation}) has no numbers for the row {label.text[:60]!r}", step.id)
    return [
        (require_in_range(quantity.value), counts, (source,))
        for quantity, counts, source in zip(label.values, label.counts, label.sources, strict=True)
    ]
