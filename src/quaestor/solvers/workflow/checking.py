"""What can be said of a written plan before a number of it is believed: all that is wrong, in one list.

Owns the order of the checks (empty fields, look-ups, literals, references and arity, execution) and the sentences, on
which a model can act. Decides nothing: which of several numbers of the text is meant is left open.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.parsing import find_quantities
from quaestor.core.periods import find_periods
from quaestor.errors import ExecutionError, PlanError
from quaestor.plan.execute import execute
from quaestor.plan.literals import needs_no_source
from quaestor.plan.steps import Plan
from quaestor.plan.validate import validate
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import TurnContext
from quaestor.solvers.workflow.lowering import Number, lower, value_of
from quaestor.solvers.workflow.schema import ComputeStep, LiteralNumber, TableExtract, TextExtract, WorkflowPlan
from quaestor.solvers.workflow.table_lookup import LookupFailure, look_up
from quaestor.solvers.workflow.text_lookup import TextMatch, find_numbers


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A written plan after its look-ups.

    Attributes:
        written: The plan.
        numbers: What its extract steps found, by their place from 0.
        open: The numbers of the text among which one is still to be chosen, by the step's place.
        issues: What is wrong; empty where all is well so far.
        remarks: What a reader should doubt.
    """

    written: WorkflowPlan
    numbers: Mapping[int, Number] = field(default_factory=dict)
    open: Mapping[int, TextMatch] = field(default_factory=dict)
    issues: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan with the numbers found so far."""
        return lower(self.written, self.numbers)


def check_workflow_plan(written: WorkflowPlan, question: str, context: TurnContext) -> CheckedPlan:
    """Returns a plan with what its words found, and all that is wrong with it.

    A plan whose numbers are all found is executed too. One that says that there is no answer has nothing to be judged,
    but for steps, which it cannot have.

    Args:
        written: The plan, as a model wrote it.
        question: As asked; numbers that it gives may be used as they are.
        context: The turn.
    """
    if written.no_answer is not None:
        both = "it has steps and says in no_answer that there is no answer: leave one of them out"
        return CheckedPlan(written, issues=(both,) if written.steps else ())
    numbers: dict[int, Number] = {}
    undecided: dict[int, TextMatch] = {}
    issues = list(_empty_fields(written))
    for place, step in enumerate(written.steps):
        try:
            if isinstance(step, TableExtract):
                numbers[place] = look_up(context.document, step.params.row_query, step.params.col_query)
            elif isinstance(step, TextExtract):
                found = find_numbers(context.graph, step.params)
                if found.decided:
                    numbers[place] = found.numbers[0]
                else:
                    undecided[place] = found
        except LookupFailure as failure:
            issues.append(f"step {place + 1}: {failure}")
    if not written.steps:
        issues.append("the plan has no steps: write them, or say in no_answer why there is no answer")
    copied, loose = _literals(written, question, context)
    issues += copied
    issues += validate(lower(written, numbers), len(context.memory.turns)) if written.steps else ()
    if not issues and not undecided:
        issues += run_issues(with_label_scales(lower(written, numbers), context.document), context)
    return CheckedPlan(written, numbers, undecided, tuple(issues), loose)


def run_issues(plan: Plan, context: TurnContext) -> tuple[str, ...]:
    """Returns why a plan has no result, naming the step; empty where it has one."""
    for count in range(1, len(plan.steps) + 1):
        try:
            execute(Plan(plan.steps[:count]), context.memory.registers)
        except PlanError as error:
            # An error that names its step counts from 1 as plans do.
            named = (
                str(error) if isinstance(error, ExecutionError) and error.step is not None else f"step {count}: {error}"
            )
            return (named,)
    return ()


def empty_fields(written: WorkflowPlan) -> int:
    """Returns how many fields of the steps are left empty."""
    return len(tuple(_empty_fields(written)))


def _empty_fields(written: WorkflowPlan) -> Iterator[str]:
    for place, step in enumerate(written.steps, 1):
        if isinstance(step, ComputeStep):
            continue
        for name in step.params.__slots__:
            if not getattr(step.params, name).strip():
                yield f"step {place} leaves {name} empty: say it in words"


def _literals(written: WorkflowPlan, question: str, context: TurnContext) -> tuple[list[str], tuple[str, ...]]:
    """Returns the literals that copy a number of the page as issues, and those that nothing accounts for as remarks."""
    said = _said([question, *context.memory.questions])
    graph = context.graph
    printed = {abs(o.quantity.value) for o in graph.observations} | {abs(m.quantity.value) for m in graph.mentions}
    years = {item.quantity.value for item in graph.labels if item.year}
    copied, loose = [], []
    for place, step in enumerate(written.steps, 1):
        for operand in step.operands if isinstance(step, ComputeStep) else ():
            if not isinstance(operand, LiteralNumber):
                continue
            value = value_of(operand)
            if not value.is_finite() or needs_no_source(value) or abs(value) in said or value in years:
                continue
            if abs(value) in printed:
                copied.append(f"step {place} writes {value:f}, which the page prints: extract it in a step of its own")
            else:
                loose.append(f"ungrounded: no step looked up {value:f}")
    return copied, tuple(dict.fromkeys(loose))


def _said(questions: Sequence[str]) -> set[Decimal]:
    """Returns the numbers that the user has named, as printed and in units."""
    found: set[Decimal] = set()
    for text in questions:
        for span in find_quantities(text):
            found |= {abs(span.quantity.value), abs(span.quantity.number)}
        found |= {Decimal(mention.period.year) for mention in find_periods(text)}
    return found
