"""Whether a plan can be executed: its steps, and the lists that they make."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, NamedTuple

from quaestor.core.answer_value import AnswerValue, ListItem, Text, ValueList, kind_words, print_value
from quaestor.core.explanation import LONGEST_SENTENCE, MOST_SENTENCES, steps_referred
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.errors import MagnitudeError, OperandError, PlanValidationError, ProgramError
from quaestor.plan.operations import OPERATIONS, Operation, require_in_range
from quaestor.plan.scales import Dimension, read_literal, shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef

# Lists while a plan is executed: entries with their numbers, what each counts, and where each stands.
#
# The choice among entries is `quaestor.plan.operations`'s.


MOST_ENTRIES = 1_000
"""The most entries of a list."""

_PARTS = lazy_regex(r"(?<!\s)\s*+[,|;]\s+")


Counted = tuple[Decimal, Dimension, tuple[Source, ...]]
"""A number, what it counts, and what it rests on."""


_NOTHING = Dimension()


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of a list.

    Attributes:
        label: What it is called, or None.
        number: Its number, in units of its scale; None if it is a label alone.
        sources: Where it is; empty of an entry of an earlier answer.
    """

    label: str | None
    number: Decimal | None
    counts: Dimension = _NOTHING
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """A list.

    Attributes:
        entries: In order.
        besides: What it rests on besides the places of its entries: those that were not selected, a limit.
    """

    entries: tuple[ListEntry, ...]
    besides: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        if len(self.entries) > MOST_ENTRIES:
            raise MagnitudeError(f"a list of {len(self.entries)} entries is too long; the limit is {MOST_ENTRIES}")

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every place that it rests on, each once, those of its entries first."""
        return tuple(dict.fromkeys((*(s for entry in self.entries for s in entry.sources), *self.besides)))

    @property
    def counts(self) -> Dimension:
        """What all its numbers count; nothing if they differ."""
        return self._common or Dimension()

    @property
    def _common(self) -> Dimension | None:
        """What all its numbers count: of a column "$" is beside the first number alone."""
        kinds = {entry.counts for entry in self.entries if entry.number is not None}
        units = {kind.unit for kind in kinds} - {None}
        if len(units) > 1 or len({(kind.scale, kind.in_ones) for kind in kinds}) != 1:
            return None
        kind = next(iter(kinds))
        return Dimension(kind.scale, next(iter(units), None), in_ones=kind.in_ones)

    @property
    def value(self) -> ValueList:
        """It as an answer: a number that counts in something else than the others says in what."""
        own = self._common is None
        return ValueList(tuple(_item(entry, own=own) for entry in self.entries))

    def chosen(self, places: Sequence[int], besides: Iterable[Source] = ()) -> "Listed":
        """Return the entries at some places, in the order of these; it rests on all others too."""
        return Listed(tuple(self.entries[place] for place in places), (*self.sources, *besides))


def reckonable(entry: ListEntry) -> Counted:
    """Return the number of an entry.

    Raises:
        OperandError: It has none.
    """
    if entry.number is None:
        raise OperandError(f"a list whose entry {(entry.label or '')[:40]!r} has no number")
    return require_in_range(entry.number), entry.counts, entry.sources


def of_group(group: CellGroup) -> Listed:
    """Return the cells of a group as a list."""
    cells = zip(group.labels, group.values, group.counts, group.sources, strict=True)
    entries = (ListEntry(label.strip() or None, require_in_range(q.value), kind, (at,)) for label, q, kind, at in cells)
    return Listed(tuple(entries))


def of_answer(value: ValueList, counts: Dimension, sources: tuple[Source, ...]) -> Listed:
    """Return an earlier answer as a list: which of its places is whose is no longer known."""
    entries = (
        ListEntry(item.label, item.number, counts if item.scale is None else Dimension(item.scale, item.unit))
        for item in value.items
    )
    return Listed(tuple(entries), sources)


def of_one(
    value: AnswerValue, number: Decimal | None, counts: Dimension, label: str | None, sources: tuple[Source, ...]
) -> Listed:
    """Return a number, words, or yes or no, as a list of one.

    Args:
        number: Its number, or None.
        label: What a number is called, or None.
    """
    if number is None:
        return Listed((ListEntry(print_value(value), None, sources=sources),))
    return Listed((ListEntry(label, require_in_range(number), counts, sources),))


def named(listed: Listed, names: Sequence[str | None]) -> Listed:
    """Return a list whose numbers without a label are called by some names."""
    pairs = zip(listed.entries, names, strict=True)
    entries = (entry if entry.label or entry.number is None else replace(entry, label=name) for entry, name in pairs)
    return replace(listed, entries=tuple(entries))


def told_apart(operations: Iterable[str | None], subjects: Iterable[str | None]) -> Sequence[str | None]:
    """Return names of what is computed: the operation, or the subject where one operation is done for several.

    >>> told_apart(["sum", "percentage change", "percentage change"], [None, "Paper", "Wood"])
    ['sum', 'Paper', 'Wood']
    """
    pairs = list(zip(operations, subjects, strict=True))
    count = Counter(operation for operation, _ in pairs)
    names = [subject if operation and count[operation] > 1 else operation for operation, subject in pairs]
    said = [name for name, (operation, _) in zip(names, pairs, strict=True) if operation]
    return names if all(said) and len(set(said)) == len(said) else [operation for operation, _ in pairs]


def common_parts(labels: Sequence[str]) -> str:
    """Return the parts that all labels of cells have: "Paper" of "Paper, 2024" and "Paper, 2023"."""
    parts = [_PARTS.split(label) for label in labels]
    return ", ".join(part for part in parts[0] if all(part in own for own in parts)) if parts else ""


def in_percent(listed: Listed) -> Listed:
    """Return a list of fractions with each in percent."""
    percent = Dimension(Scale.PERCENT)
    return replace(
        listed,
        entries=tuple(
            entry if entry.number is None else replace(entry, number=shift_decimal(entry.number, 2), counts=percent)
            for entry in listed.entries
        ),
    )


def joined_lists(lists: Sequence[Listed]) -> Listed:
    """Return lists one after the other, each entry called by what tells it from the others."""
    entries = tuple(entry for listed in lists for entry in listed.entries)
    labels = _telling_apart([entry.label for entry in entries])
    besides = tuple(source for listed in lists for source in listed.besides)
    return Listed(
        tuple(replace(entry, label=label) for entry, label in zip(entries, labels, strict=True)),
        besides,
    )


def paired(one: Listed, other: Listed) -> Iterator[tuple[ListEntry, ListEntry]]:
    """Yield the entries of two lists that have one label, in the order of the first.

    Raises:
        OperandError: The labels of the two are not the same.
    """
    labels, others = [entry.label for entry in one.entries], [entry.label for entry in other.entries]
    if labels == others:
        yield from zip(one.entries, other.entries, strict=True)
        return
    by_label = {entry.label: entry for entry in other.entries}
    if len(by_label) != len(others) or len(set(labels)) != len(labels) or set(labels) != set(others):
        odd = next((label for label in (*labels, *others) if (label in labels) != (label in others)), None)
        why = f"only one of them has {odd[:40]!r}" if odd else "some labels occur more than once"
        raise OperandError(f"two lists with different labels: {why}")
    for entry in one.entries:
        yield entry, by_label[entry.label]


def labels_of_entries(listed: Listed) -> tuple[str, ...]:
    """Return what the entries are called.

    Raises:
        OperandError: One has none, such as the first cell of a row of totals.
    """
    named = tuple(entry.label for entry in listed.entries if entry.label is not None)
    if len(named) != len(listed.entries):
        raise OperandError("a list with an unlabelled entry; refer to its number by a group of cells")
    return named


def _item(entry: ListEntry, *, own: bool) -> ListItem:
    if entry.label is None and entry.number is None:
        raise OperandError("a list with an entry that has neither a label nor a number")
    if entry.number is None or not own:
        return ListItem(entry.label, entry.number)
    return ListItem(entry.label, entry.number, entry.counts.scale, entry.counts.unit)


def _telling_apart(labels: Sequence[str | None]) -> list[str | None]:
    """Labels without the parts that all have ("net sales, 2009"), where what is left still tells them apart."""
    parts = [_PARTS.split(label) for label in labels if label is not None]
    if len(parts) < 2:
        return list(labels)
    common = set(parts[0]).intersection(*parts[1:])
    left = [", ".join(part for part in own if part not in common) for own in parts]
    if not all(left) or len(set(left)) < len(left):
        return list(labels)
    shorter = iter(left)
    return [label and next(shorter) for label in labels]


# Whether a plan can be run, said before it is run, with all faults at once.
#
# What depends on values (a division by zero, an earlier turn that answered yes) is told by `quaestor.plan.execute`.


MOST_STEPS = 64
"""The most steps of a plan."""


class _Kind(NamedTuple):
    """What a step gives, as far as the steps tell."""

    name: Literal["number", "yes or no", "words", "list", "unknown"]
    shown: str


_NUMBER = _Kind("number", "a number")
_YES_NO = _Kind("yes or no", "a yes or no")
_LIST = _Kind("list", "a list")
_UNKNOWN = _Kind("unknown", "")
_GIVEN = {
    "number": _NUMBER, "yes or no": _YES_NO, "label": _Kind("words", "a label"), "labels": _LIST, "list": _LIST,
    "words": _Kind("words", "an explanation"),
}  # fmt: skip

_FITTING = {
    "numbers": (_NUMBER, _UNKNOWN), "each": (_NUMBER, _LIST, _UNKNOWN), "all": (_NUMBER, _LIST, _UNKNOWN),
    "list": (_LIST, _UNKNOWN), "entries": (_NUMBER, _LIST, _UNKNOWN), "words": (_UNKNOWN,),
}  # fmt: skip
_ONLY = {"row": (RowRef, "the label of a table row"), "steps": (Ref, "references to steps")}
_BEHIND_A_LIST = (_NUMBER, _UNKNOWN)


def require_valid(plan: Plan, turns_before: int) -> None:
    """Return if the plan can be run.

    Args:
        turns_before: How many turns the conversation had before this one.

    Raises:
        PlanValidationError: It cannot; the error has all issues.
    """
    if issues := validate(plan, turns_before):
        raise PlanValidationError(issues)


def validate(plan: Plan, turns_before: int) -> tuple[str, ...]:
    """Return one sentence for each fault of the plan, in the order of the steps; empty if it can be run."""
    if not plan.steps:
        return ("the plan has no steps",)
    if len(plan.steps) > MOST_STEPS:
        return (f"the plan has {len(plan.steps)} steps, more than {MOST_STEPS}",)
    kinds: list[_Kind] = []
    issues: list[str] = []
    for index, step in enumerate(plan.steps, 1):
        if step.id != index:
            issues.append(f"step {index} has the id {step.id}; ids are 1, 2, ... in order")
        if isinstance(step, Extract):
            issues.extend(_extract_faults(step, index))
        else:
            issues.extend(_faults(step, index, len(plan.steps), turns_before, kinds))
        kinds.append(_given(step, kinds))
    return (*issues, *_explanation_faults(plan))


def nearest_operation(name: str, names: tuple[str, ...] = tuple(OPERATIONS)) -> str:
    """Return the known name most like `name`."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(name[:40], names, scorer=fuzz.ratio)
    return str(found[0]) if found else names[0]


def _given(step: Extract | Compute, kinds: Sequence[_Kind]) -> _Kind:
    """Return what a step gives."""
    if isinstance(step, Extract):
        return _Kind("words", kind_words(Text(step.text))) if step.quantity is None and step.text else _NUMBER
    operation = OPERATIONS.get(step.operation)
    if operation is None or not step.operands:
        return _UNKNOWN
    if operation.takes == "anything":
        return _operand_kind(step.operands[0], kinds)
    if operation.takes == "each":
        of = [_operand_kind(operand, kinds) for operand in step.operands]
        return next((kind for kind in (_LIST, _UNKNOWN) if kind in of), _NUMBER)
    return _GIVEN[operation.gives]


def _operand_kind(operand: Operand, kinds: Sequence[_Kind]) -> _Kind:
    """Return what an operand is; of an earlier turn, or a step that has no value yet, that is not known."""
    if isinstance(operand, CellGroup):
        return _LIST
    if not isinstance(operand, Ref):
        return _NUMBER
    return kinds[operand.step - 1] if 0 < operand.step <= len(kinds) else _UNKNOWN


def _explanation_faults(plan: Plan) -> Iterator[str]:
    explained = [step.id for step in plan.steps if isinstance(step, Compute) and step.operation == "explain"]
    if explained and not (plan.explanation and explained == [len(plan.steps)]):
        wanted = "must be the last step" if plan.explanation else "needs the sentences of an explanation"
        yield f"step {explained[0]} (explain) {wanted}"
    if len(plan.explanation) > MOST_SENTENCES:
        yield f"the explanation has {len(plan.explanation)} sentences, more than {MOST_SENTENCES}"
    last = len(plan.steps) - len(explained)
    for place, template in enumerate(plan.explanation, 1):
        sentence, referred = f"sentence {place} of the explanation", steps_referred(template)
        if len(template) > LONGEST_SENTENCE:
            yield f"{sentence} has {len(template)} characters, more than {LONGEST_SENTENCE}"
        if not referred:
            yield f"{sentence} refers to no step"
        yield from (
            f"{sentence} refers to step {step}; steps 1 to {last} can be named"
            for step in referred
            if not 0 < step <= last
        )


def _extract_faults(step: Extract, index: int) -> list[str]:
    if (step.quantity is None) == (not step.text):
        both = "both a number and words" if step.text else "neither a number nor words"
        return [f"step {index} extracts {both}"]
    if step.quantity is not None and not step.quantity.value.is_finite():
        return [f"step {index} extracts {step.quantity.value}, which is not a finite number"]
    return []


def _faults(step: Compute, index: int, steps: int, turns_before: int, kinds: Sequence[_Kind]) -> list[str]:
    operation = OPERATIONS.get(step.operation)
    if operation is None:
        shown = step.operation[:40]
        issues = [f"step {index} has the unknown operation {shown!r}; did you mean {nearest_operation(shown)!r}?"]
    else:
        issues = _arity_faults(step, index, operation, kinds)
    for place, operand in enumerate(step.operands):
        fault = _operand_fault(operand, index, steps, turns_before)
        if fault is None and operation is not None:
            fault = _type_fault(operand, place, operation, kinds)
        if fault is not None:
            issues.append(f"step {index} ({step.operation[:40]}) {fault}")
    return issues


def _arity_faults(step: Compute, index: int, operation: Operation, kinds: Sequence[_Kind]) -> list[str]:
    least, most = operation.arity
    if least <= len(step.operands) <= most:
        return []
    if operation.takes == "all" and len(step.operands) == 1:
        # One list has many numbers.
        only = _operand_kind(step.operands[0], kinds)
        if only is _LIST or only is _UNKNOWN:
            return []
    wanted = f"{least}" if least == most else f"{least} to {most}"
    noun = "operand" if wanted == "1" else "operands"
    return [f"step {index} ({operation.name}) takes {wanted} {noun}, not {len(step.operands)}"]


def _operand_fault(operand: Operand, index: int, steps: int, turns_before: int) -> str | None:
    if isinstance(operand, Constant):
        return _constant_fault(operand)
    if isinstance(operand, CellGroup):
        return _group_fault(operand)
    if not isinstance(operand, Ref):
        return None
    target = operand.step
    fault = None
    if target == 0:
        fault = "refers to step 0; steps are numbered from 1, earlier turns from -1 backwards"
    elif -target > turns_before:
        fault = f"refers to {-target} turns ago, but there are {turns_before} earlier turns"
    elif target == index:
        fault = "refers to itself"
    elif target > steps:
        fault = f"refers to step {target}, but the plan has {steps}"
    elif target > index:
        fault = f"refers forward to step {target}, which has no value yet"
    return fault


def _constant_fault(constant: Constant) -> str | None:
    if not constant.value.is_finite():
        return f"has the constant {constant.text[:40]!r}, which is not a finite number"
    try:
        value: Decimal | None = read_literal(constant.text)
    except ProgramError:
        value = None
    if value == constant.value:
        return None
    return f"has the constant {constant.text[:40]!r}, but its value is {constant.value:g}"


def _group_fault(group: CellGroup) -> str | None:
    cells, fault = len(group.values), None
    if not cells:
        fault = "no cells"
    elif cells > MOST_ENTRIES:
        fault = f"{cells} cells, more than {MOST_ENTRIES}"
    elif not cells == len(group.labels) == len(group.sources):
        fault = f"{cells} numbers, {len(group.labels)} labels and {len(group.sources)} places"
    elif strange := next((quantity for quantity in group.values if not quantity.value.is_finite()), None):
        fault = f"the number {strange.value}, which is not a finite number"
    return fault and f"has the group {group.text[:40]!r} with {fault}"


def _type_fault(operand: Operand, place: int, operation: Operation, kinds: Sequence[_Kind]) -> str | None:
    takes = operation.takes
    if takes in _ONLY:
        kind_taken, words = _ONLY[takes]
        return None if isinstance(operand, kind_taken) else f"takes only {words}"
    if isinstance(operand, RowRef):
        return f"cannot take the row label {operand.text[:40]!r}; only table_ operations can"
    if takes == "anything":
        return "takes a reference or a constant; use items to list cells" if isinstance(operand, CellGroup) else None
    kind = _operand_kind(operand, kinds)
    if kind in (_BEHIND_A_LIST if place and takes == "list" else _FITTING[takes]):
        return None
    if takes == "entries" or (takes == "words" and kind.name == "words"):
        return None
    wanted = "takes a list, not" if takes == "list" and not place else "cannot compute with"
    return f"{wanted} {_shown(operand, kind)}"


def _shown(operand: Operand, kind: _Kind) -> str:
    if isinstance(operand, Ref):
        return f"step {operand.step}, which is {kind.shown}"
    return f"the group {operand.text[:40]!r}" if isinstance(operand, CellGroup) else kind.shown
