"""Validation of plans, which reports all faults at once.

Faults that depend on values (a division by zero, an earlier answer of yes) are found by `quaestor.plan.execute`.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from quaestor.core.answer_value import Text, kind_words
from quaestor.core.explanation import LONGEST_SENTENCE, MOST_SENTENCES, steps_referred
from quaestor.errors import PlanValidationError, ProgramError
from quaestor.plan.lists import MOST_ENTRIES
from quaestor.plan.operations import OPERATIONS, Operation
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef

MOST_STEPS = 64
"""Maximum number of steps of a plan."""


class _Kind(NamedTuple):
    """Kind of a step's result, as far as it is known before execution."""

    name: Literal["number", "yes or no", "words", "list", "unknown"]
    shown: str


_NUMBER = _Kind("number", "a number")
_YES_NO = _Kind("yes or no", "a yes or no")
_LIST = _Kind("list", "a list")
_UNKNOWN = _Kind("unknown", "")
_RESULT_KINDS = {
    "number": _NUMBER, "yes or no": _YES_NO, "label": _Kind("words", "a label"), "labels": _LIST, "list": _LIST,
    "words": _Kind("words", "an explanation"),
}  # fmt: skip

_ACCEPTED_KINDS = {
    "numbers": (_NUMBER, _UNKNOWN), "each": (_NUMBER, _LIST, _UNKNOWN), "all": (_NUMBER, _LIST, _UNKNOWN),
    "list": (_LIST, _UNKNOWN), "entries": (_NUMBER, _LIST, _UNKNOWN), "words": (_UNKNOWN,),
}  # fmt: skip
_ACCEPTED_TYPES = {"row": (RowRef, "the label of a table row"), "steps": (Ref, "references to steps")}
_SECOND_OPERAND_KINDS = (_NUMBER, _UNKNOWN)


def require_valid(plan: Plan, turns_before: int) -> None:
    """Raise a `PlanValidationError` with all issues of an invalid plan."""
    if issues := validate(plan, turns_before):
        raise PlanValidationError(issues)


def validate(plan: Plan, turns_before: int) -> tuple[str, ...]:
    """Return one sentence for each fault of the plan, in the order of the steps; empty if it is valid."""
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
        kinds.append(_result_kind(step, kinds))
    return (*issues, *_explanation_faults(plan))


def nearest_operation(name: str, names: tuple[str, ...] = tuple(OPERATIONS)) -> str:
    """Return the known name most like `name`."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(name[:40], names, scorer=fuzz.ratio)
    return str(found[0]) if found else names[0]


def _result_kind(step: Extract | Compute, kinds: Sequence[_Kind]) -> _Kind:
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
    return _RESULT_KINDS[operation.gives]


def _operand_kind(operand: Operand, kinds: Sequence[_Kind]) -> _Kind:
    """Return the kind of an operand; unknown for earlier turns and for steps without a value yet."""
    if isinstance(operand, CellGroup):
        return _LIST
    if not isinstance(operand, Ref):
        return _NUMBER
    return kinds[operand.step - 1] if 0 < operand.step <= len(kinds) else _UNKNOWN


def _explanation_faults(plan: Plan) -> Iterator[str]:
    explained = [step.id for step in plan.computes if step.operation == "explain"]
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
        # A single list is enough, since it has several numbers.
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
    if takes in _ACCEPTED_TYPES:
        accepted, words = _ACCEPTED_TYPES[takes]
        return None if isinstance(operand, accepted) else f"takes only {words}"
    if isinstance(operand, RowRef):
        return f"cannot take the row label {operand.text[:40]!r}; only table_ operations can"
    if takes == "anything":
        return "takes a reference or a constant; use items to list cells" if isinstance(operand, CellGroup) else None
    kind = _operand_kind(operand, kinds)
    if kind in (_SECOND_OPERAND_KINDS if place and takes == "list" else _ACCEPTED_KINDS[takes]):
        return None
    if takes == "entries" or (takes == "words" and kind.name == "words"):
        return None
    wanted = "takes a list, not" if takes == "list" and not place else "cannot compute with"
    return f"{wanted} {_describe_operand(operand, kind)}"


def _describe_operand(operand: Operand, kind: _Kind) -> str:
    if isinstance(operand, Ref):
        return f"step {operand.step}, which is {kind.shown}"
    return f"the group {operand.text[:40]!r}" if isinstance(operand, CellGroup) else kind.shown
