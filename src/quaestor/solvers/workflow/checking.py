"""What can be said of a written plan before a number of it is believed: all that is wrong, in one list.

Decides nothing: which of several numbers of the text is meant is left open.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.parsing import find_quantities
from quaestor.core.periods import find_periods
from quaestor.errors import ExecutionError, PlanError
from quaestor.plan.execute import execute
from quaestor.plan.scales import needs_no_source
from quaestor.plan.steps import Plan
from quaestor.plan.validate import MOST_STEPS, validate
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import TurnContext
from quaestor.solvers.groups import groups_in_place
from quaestor.solvers.quoting import QuoteFailure, number_in_place, quote
from quaestor.solvers.workflow.lowering import LookedUp, lower, value_of
from quaestor.solvers.workflow.schema import (
    ComputeStep,
    LiteralNumber,
    LookUpStep,
    QuoteWords,
    SelectCells,
    TableExtract,
    WorkflowPlan,
)
from quaestor.solvers.workflow.selecting import select_cells
from quaestor.solvers.workflow.table_lookup import LookupFailure, look_up
from quaestor.solvers.workflow.text_lookup import TextMatch, find_numbers


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A written plan after its look-ups.

    Attributes:
        found: What its steps found, by their place from 0.
        open: The numbers of the text among which one is still to be chosen, by the step's place.
        issues: What is wrong; empty if all is well so far.
        remarks: What a reader should doubt.
    """

    written: WorkflowPlan
    found: Mapping[int, LookedUp] = field(default_factory=dict)
    open: Mapping[int, TextMatch] = field(default_factory=dict)
    issues: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan with what was found so far."""
        return lower(self.written, self.found)

    @property
    def likeliest_plan(self) -> Plan:
        """The plan with the first of the numbers among which one is still to be chosen."""
        return lower(self.written, {**self.found, **{place: match.numbers[0] for place, match in self.open.items()}})

    @property
    def final_plan(self) -> Plan:
        """The plan of one that has no issues: groups of cells stand where they are used."""
        return groups_in_place(self.plan)


def check_workflow_plan(written: WorkflowPlan, question: str, context: TurnContext) -> CheckedPlan:
    """Return a plan with what its words found, and all that is wrong with it.

    A plan whose numbers are all found is executed too. One that says that there is no answer has nothing to be judged,
    but for steps, which it cannot have.

    Args:
        written: The plan, as a model wrote it.
        question: As asked; numbers that it gives may be used as they are.
    """
    if written.no_answer is not None:
        both = "it has both steps and no_answer; leave one of them out"
        return CheckedPlan(written, issues=(both,) if written.steps else ())
    found: dict[int, LookedUp] = {}
    undecided: dict[int, TextMatch] = {}
    issues = list(_empty_fields(written))
    if len(written.steps) > MOST_STEPS:
        return CheckedPlan(written, issues=validate(lower(written, {}), len(context.memory.turns)))
    for place, step in enumerate(written.steps):
        if isinstance(step, ComputeStep):
            continue
        try:
            taken = _looked_up(step, question, context)
        except (LookupFailure, QuoteFailure) as failure:
            issues.append(f"step {place + 1}: {failure}")
        else:
            if isinstance(taken, TextMatch):
                undecided[place] = taken
            else:
                found[place] = taken
    if not written.steps and not written.explanation:
        issues.append("the plan has no steps; write them, or give the reason in no_answer")
    copied, loose = _literals(written, question, context)
    issues += copied
    issues += validate(lower(written, found), len(context.memory.turns)) if written.steps else ()
    if not issues and not undecided:
        issues += run_issues(with_label_scales(lower(written, found), context.document), context)
    return CheckedPlan(written, found, undecided, tuple(issues), loose)


def _looked_up(step: LookUpStep, question: str, context: TurnContext) -> LookedUp | TextMatch:
    """Return what a step's words find; of several numbers of the text all that are too close to call.

    Raises:
        LookupFailure: They find nothing, or not without doubt.
        QuoteFailure: Words that are quoted are not on the page.
    """
    if isinstance(step, TableExtract):
        return look_up(context.document, step.params.row_query, step.params.col_query)
    if isinstance(step, SelectCells):
        return select_cells(context.document, context.graph, step.rows, step.columns)
    if isinstance(step, QuoteWords):
        quoted = quote(context.document, step.words, question)
        if number_in_place(context.document, quoted):
            raise QuoteFailure(f"{quoted.text[:40]!r} is a number; take it with extract_value")
        return quoted
    found = find_numbers(context.graph, step.params)
    return found.numbers[0] if found.decided else found


def run_issues(plan: Plan, context: TurnContext) -> tuple[str, ...]:
    """Return why a plan has no result, naming the step; empty if it has one."""
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
    """Return how many fields of the steps are left empty."""
    return len(tuple(_empty_fields(written)))


def _empty_fields(written: WorkflowPlan) -> Iterator[str]:
    for place, step in enumerate(written.steps, 1):
        for name in () if isinstance(step, ComputeStep) else _unsaid(step):
            yield f"step {place} leaves {name} empty; describe it in words"


def _unsaid(step: LookUpStep) -> Iterator[str]:
    if isinstance(step, QuoteWords):
        said = {"words": step.words}
    elif isinstance(step, SelectCells):
        said = {"rows": " ".join(step.rows), "columns": " ".join(step.columns)}
    else:
        said = {name: getattr(step.params, name) for name in step.params.__slots__}
    yield from (name for name, words in said.items() if not words.strip())


def _literals(written: WorkflowPlan, question: str, context: TurnContext) -> tuple[list[str], tuple[str, ...]]:
    """Return the literals that copy a number of the page as issues, and those that nothing accounts for as remarks."""
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
                copied.append(f"step {place} writes {value:f}, which the page prints; extract it in its own step")
            else:
                loose.append(f"ungrounded: no step looked up {value:f}")
    return copied, tuple(dict.fromkeys(loose))


def _said(questions: Sequence[str]) -> set[Decimal]:
    """Return the numbers that the user has named, as printed and in units."""
    found: set[Decimal] = set()
    for text in questions:
        for span in find_quantities(text):
            found |= {abs(span.quantity.value), abs(span.quantity.number)}
        found |= {Decimal(mention.period.year) for mention in find_periods(text)}
    return found
