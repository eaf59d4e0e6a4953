"""All that can be said of a draft without a model, in one list."""

from collections.abc import Iterable

from quaestor.conversation.turn import Memory
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute, Plan
from quaestor.questions.question import read_question
from quaestor.solvers.reflection.checks import CheckContext, check_plan
from quaestor.solvers.reflection.claims import check_claims
from quaestor.solvers.reflection.drafts import ParsedDraft
from quaestor.solvers.reflection.findings import Finding, Kind
from quaestor.solvers.reflection.numbers import NumberIndex


def examine_plan(plan: Plan, question: str, memory: Memory, numbers: NumberIndex) -> tuple[Finding, ...]:
    """Return what speaks against a plan, whoever made it; facts before rules of reading."""
    return _in_order(check_plan(CheckContext(plan, read_question(question), memory, numbers)))


def examine_draft(draft: ParsedDraft, question: str, memory: Memory, numbers: NumberIndex) -> tuple[Finding, ...]:
    """Return what speaks against an expert's draft: its plan, its places, and its arithmetic.

    Args:
        memory: The conversation before.
    """
    case = CheckContext(draft.plan, read_question(question), memory, numbers, draft.assumption)
    claims: tuple[Finding, ...] = ()
    if not isinstance(case.execution, PlanError):
        claims = check_claims(draft, case.execution, memory.registers)
    return _in_order((*draft.findings, *check_plan(case), *claims))


def checked_words(plan: Plan) -> tuple[str, ...]:
    """Return what was computed about a plan, in words: what "nothing was found" speaks of, and what it does not."""
    taken, computes = len(plan.extracts), plan_computes(plan)
    said = []
    if taken:
        said.append(f"place, sign and value of {taken} number{'s' * (taken != 1)}")
    if computes:
        said += ["arithmetic", "mixed or converted scales"]
        said.append("operation and order, where the question's words or the periods tell them")
    elif len(plan.steps) == 1 and taken:
        said.append("line and period, where the question names them in full")
    return tuple(said)


def plan_computes(plan: Plan) -> bool:
    """Return whether a plan does anything with the numbers and answers that it takes."""
    return any(isinstance(step, Compute) and step.operation not in ("identity", "explain") for step in plan.steps)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    first: dict[tuple[Kind, int], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.step), finding)
    return tuple(sorted(first.values(), key=lambda finding: not finding.hard))
