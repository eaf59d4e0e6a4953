"""What a draft says that its steps come to, recomputed.

A step may also be right on the rounded results that it was given.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext

from quaestor.core.answer_value import amount_words, number_of, print_value
from quaestor.core.quantity import Scale
from quaestor.errors import PlanError
from quaestor.plan.execute import Execution, StepResult, execute
from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION, rounds_to
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import Compute, Operand, Plan, Ref
from quaestor.solvers.reflection.drafts import DraftClaim, ParsedDraft
from quaestor.solvers.reflection.findings import Finding


def check_claims(draft: ParsedDraft, execution: Execution, history: Sequence[StepResult | None]) -> tuple[Finding, ...]:
    """Return a finding for each result of a draft that does not come out.

    Args:
        history: The answers of earlier turns.
    """
    findings: list[Finding] = []
    for step, claim, register in zip(draft.plan.steps, draft.claims, execution.registers, strict=True):
        if claim is None or not isinstance(step, Compute) or step.operation == "identity":
            continue
        if _agrees(claim, register):
            continue
        replayed = _on_claims(step, draft, execution, history)
        if replayed is None or not _agrees(claim, replayed):
            said = f"it gives {claim.words}, but the recomputed value is {shown_claims(register)}"
            findings.append(Finding("arithmetic", step.id, said))
    last, result = draft.plan.steps[-1], execution.result
    answer, claimed = draft.answer, _as_claimed(draft, result)
    if findings or answer is None or _agrees(answer, result) or (claimed and _agrees(answer, claimed)):
        return tuple(findings)
    said = f"the answer is {answer.words}, but the last step gives {shown_claims(result)}"
    return (Finding("arithmetic", last.id, said),)


def shown_claims(register: StepResult) -> str:
    """Return a result for people: twelve digits, and its scale; a fraction in percent."""
    shift, scale = (2, Scale.PERCENT) if register.fraction else (0, register.scale)
    with localcontext(prec=12):
        return print_value(register.value, lambda n: amount_words((+shift_decimal(n, shift)).normalize(), scale))


def _as_claimed(draft: ParsedDraft, result: StepResult) -> StepResult | None:
    claim = draft.claims[-1]
    return None if claim is None else StepResult(claim.value, claim.scale or Scale.ONE, fraction=result.fraction)


def _on_claims(
    step: Compute, draft: ParsedDraft, execution: Execution, history: Sequence[StepResult | None]
) -> StepResult | None:
    """Return what a step comes to on the results as the draft rounds them; None where to nothing."""
    given: list[StepResult | None] = []

    def taken(operand: Operand) -> Operand:
        if not isinstance(operand, Ref):
            return operand
        if operand.step < 0:
            given.append(history[operand.step])
        else:
            exact, claim = execution.registers[operand.step - 1], draft.claims[operand.step - 1]
            extracted = not isinstance(draft.plan.steps[operand.step - 1], Compute)
            if not extracted and claim is not None:
                scale = claim.scale or exact.scale
                exact = StepResult(
                    claim.value, scale, exact.unit, fraction=exact.fraction and scale is not Scale.PERCENT
                )
            given.append(exact)
        return Ref(-len(given))

    operands = tuple(taken(operand) for operand in step.operands)
    try:
        return execute(Plan((Compute(1, step.operation, operands),)), given[::-1]).result
    except PlanError:
        return None


def _agrees(claim: DraftClaim, register: StepResult) -> bool:
    value, claimed, scale = register.number, number_of(claim.value), claim.scale
    if value is None or claimed is None:
        return register.value == claim.value
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if scale in (None, register.scale) and rounds_to(value, claimed):
            return True
        if register.scale is Scale.ONE and (scale is Scale.PERCENT or (scale is None and register.fraction)):
            return rounds_to(value * 100, claimed)
        if scale is None or scale is register.scale:
            return False
        # Where the number itself says no scale, the labels of its table may.
        factor = Decimal(1) if register.scale is Scale.ONE else register.scale.factor / scale.factor
        return rounds_to(value * factor, claimed)
