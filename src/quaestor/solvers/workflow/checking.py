"""Check a written plan: look up its words, collect its faults, and lower it to a `Plan`.

A choice among several numbers in the text is left open. Statistics of plans in a run are here too.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from quaestor.conversation.events import Event, NoAnswerGiven, PlanProposed, PlanRefused, ReplyRejected
from quaestor.conversation.events import LookedUp as NumberFound
from quaestor.core import serial
from quaestor.core.parsing import find_quantities
from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.errors import ExecutionError, PlanError
from quaestor.graph.facts import HeaderNumber, MentionFact
from quaestor.plan.execute import execute
from quaestor.plan.scales import needs_no_source, write_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, Step
from quaestor.plan.validate import MOST_STEPS, validate
from quaestor.solvers.answering import assumed_words, with_label_scales
from quaestor.solvers.base import TurnContext
from quaestor.solvers.groups import groups_in_place
from quaestor.solvers.quoting import Quotation, QuoteFailure, number_in_place, quote
from quaestor.solvers.workflow.schema import (
    ComputeStep,
    LiteralNumber,
    LookUpStep,
    QuoteWords,
    SelectCells,
    StepReference,
    TableExtract,
    TextExtract,
    WorkflowPlan,
)
from quaestor.solvers.workflow.table_lookup import LookupFailure, SelectedCells, TableMatch, look_up, select_cells
from quaestor.solvers.workflow.text_lookup import TextMatch, find_numbers

_LONGEST_LABEL = 500

WRITE_PLAN = "write_plan"
"""Name of the output tool for plans."""
Number = TableMatch | MentionFact | HeaderNumber
"""A number of the page found by a step."""

LookedUp = Number | SelectedCells | Quotation
"""Anything found by a step."""

_EXACT = 2**53
_LONGEST_QUERY = 2_000
_UNKNOWN = Quantity(Decimal(1), text="1")
_NOWHERE = CellRef("", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A written plan after its look-ups.

    Attributes:
        open: Steps with several candidates in the text, by index, of which one must still be chosen.
    """

    written: WorkflowPlan
    found: Mapping[int, LookedUp] = field(default_factory=dict)
    open: Mapping[int, TextMatch] = field(default_factory=dict)
    issues: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan with the results so far."""
        return lower(self.written, self.found)

    @property
    def likeliest_plan(self) -> Plan:
        """The plan with the best candidate for each open choice."""
        return lower(self.written, {**self.found, **{place: match.numbers[0] for place, match in self.open.items()}})

    @property
    def final_plan(self) -> Plan:
        """The plan, if there are no issues, with groups of cells inlined into the steps that use them."""
        return groups_in_place(self.plan)


def check_workflow_plan(written: WorkflowPlan, question: str, context: TurnContext) -> CheckedPlan:
    """Look up the words of a plan and collect its faults.

    If all numbers are found, the plan is also executed. A plan that states a reason for no answer is only checked for
    steps, which it must not have.
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
            result = _looked_up(step, question, context)
        except (LookupFailure, QuoteFailure) as failure:
            issues.append(f"step {place + 1}: {failure}")
        else:
            if isinstance(result, TextMatch):
                undecided[place] = result
            else:
                found[place] = result
    if not written.steps and not written.explanation:
        issues.append("the plan has no steps; write them, or give the reason in no_answer")
    copied, loose = _literals(written, question, context)
    issues += copied
    issues += validate(lower(written, found), len(context.memory.turns)) if written.steps else ()
    if not issues and not undecided:
        issues += run_issues(with_label_scales(lower(written, found), context.document), context)
    return CheckedPlan(written, found, undecided, tuple(issues), loose)


def _looked_up(step: LookUpStep, question: str, context: TurnContext) -> LookedUp | TextMatch:
    """Look up the words of a step; return all candidates if several numbers in the text fit equally well."""
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
    """Return the error of a plan with its step; empty if the plan has a result."""
    for count in range(1, len(plan.steps) + 1):
        try:
            execute(Plan(plan.steps[:count]), context.memory.registers)
        except PlanError as error:
            # An error that includes its step already counts from 1.
            named = (
                str(error) if isinstance(error, ExecutionError) and error.step is not None else f"step {count}: {error}"
            )
            return (named,)
    return ()


def _empty_fields(written: WorkflowPlan) -> Iterator[str]:
    for place, step in enumerate(written.steps, 1):
        for name in () if isinstance(step, ComputeStep) else _blank_words(step):
            yield f"step {place} leaves {name} empty; describe it in words"


def _blank_words(step: LookUpStep) -> Iterator[str]:
    if isinstance(step, QuoteWords):
        words_of = {"words": step.words}
    elif isinstance(step, SelectCells):
        words_of = {"rows": " ".join(step.rows), "columns": " ".join(step.columns)}
    else:
        words_of = {name: getattr(step.params, name) for name in step.params.__slots__}
    yield from (name for name, words in words_of.items() if not words.strip())


def _literals(written: WorkflowPlan, question: str, context: TurnContext) -> tuple[list[str], tuple[str, ...]]:
    """Return issues for literals that copy a number of the page, and remarks for those without any source."""
    question_numbers = _numbers_asked([question, *context.memory.questions])
    graph = context.graph
    printed = {abs(o.quantity.value) for o in graph.observations} | {abs(m.quantity.value) for m in graph.mentions}
    years = {item.quantity.value for item in graph.labels if item.year}
    copied, loose = [], []
    for place, step in enumerate(written.steps, 1):
        for operand in step.operands if isinstance(step, ComputeStep) else ():
            if not isinstance(operand, LiteralNumber):
                continue
            value = value_of(operand)
            if not value.is_finite() or needs_no_source(value) or abs(value) in question_numbers or value in years:
                continue
            if abs(value) in printed:
                copied.append(f"step {place} writes {value:f}, which the page prints; extract it in its own step")
            else:
                loose.append(f"{value:f}")
    return copied, (assumed_words(loose),) if loose else ()


def _numbers_asked(questions: Sequence[str]) -> set[Decimal]:
    found: set[Decimal] = set()
    for text in questions:
        for span in find_quantities(text):
            found |= {abs(span.quantity.value), abs(span.quantity.number)}
        found |= {Decimal(mention.period.year) for mention in find_periods(text)}
    return found


def lower(written: WorkflowPlan, found: Mapping[int, LookedUp]) -> Plan:
    """Convert a written plan to a `Plan`, step by step.

    Args:
        found: The results of steps, by index from 0. A step without result becomes a placeholder: such a plan can be
            validated, but not executed. Selected cells become a separate step that lists them.
    """
    sizes = _sizes(written)
    steps: list[Step] = []
    for place, step in enumerate(written.steps):
        if isinstance(step, ComputeStep):
            operation = "identity" if step.step_id in sizes else step.operation
            steps.append(Compute(step.step_id, operation, tuple(map(_operand, step.operands))))
        else:
            steps.append(_lookup_step(step, found.get(place), step.step_id in sizes.values()))
    return Plan(tuple(steps), thought=written.thought_process)


def _sizes(written: WorkflowPlan) -> Mapping[int, int]:
    """Return the steps that drop the sign of a number not used elsewhere, each with the step of that number.

    Such numbers are lowered to an extract step that reads the magnitude, as in the plans of all solvers.
    """
    uses = Counter(
        operand.step_ref
        for step in written.steps
        if isinstance(step, ComputeStep)
        for operand in step.operands
        if isinstance(operand, StepReference)
    )
    extracted = {step.step_id for step in written.steps if isinstance(step, TableExtract | TextExtract)}
    return {
        step.step_id: operand.step_ref
        for step in written.steps
        if isinstance(step, ComputeStep) and step.operation == "absolute" and len(step.operands) == 1
        for operand in step.operands
        if isinstance(operand, StepReference) and operand.step_ref in extracted and uses[operand.step_ref] == 1
    }


def query_of(step: LookUpStep) -> str:
    """Return the words that a step looks up, in one line."""
    if isinstance(step, SelectCells):
        return f"{', '.join(step.rows)} | {', '.join(step.columns)}"[:_LONGEST_QUERY]
    if isinstance(step, QuoteWords):
        return step.words[:_LONGEST_QUERY]
    if isinstance(step, TableExtract):
        return f"{step.params.row_query} | {step.params.col_query}"
    params = step.params
    return f"{params.sought} | {params.value_context} | {params.unit} | {params.period}"


def _lookup_step(step: LookUpStep, found: LookedUp | None, as_size: bool) -> Step:
    query = query_of(step)
    if isinstance(step, SelectCells):
        group = found.group if isinstance(found, SelectedCells) else CellGroup("", ("",), (_UNKNOWN,), (_NOWHERE,))
        return Compute(step.step_id, "items", (group,))
    if isinstance(step, QuoteWords):
        return (found if isinstance(found, Quotation) else Quotation("?", _NOWHERE, "")).step(step.step_id, query)
    assert not isinstance(found, SelectedCells | Quotation)
    reading: Literal["signed", "magnitude"] = "magnitude" if as_size else "signed"
    if found is None:
        return Extract(step.step_id, _NOWHERE, "", _UNKNOWN, reading, query)
    source = found.cell.ref if isinstance(found, TableMatch) else found.source
    return Extract(step.step_id, source, found.label, found.quantity, reading, query)


def _operand(written: StepReference | LiteralNumber) -> Operand:
    if isinstance(written, StepReference):
        return Ref(written.step_ref)
    value = value_of(written)
    return Constant(value, write_literal(value))


def value_of(literal: LiteralNumber) -> Decimal:
    """Return a literal as it was written: 0.27 is not the nearest binary fraction, and 100 has no decimals."""
    value = Decimal(str(literal.value))
    return Decimal(int(literal.value)) if abs(literal.value) < _EXACT and literal.value.is_integer() else value


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """Statistics of the plans in a run.

    Attributes:
        empty: Fields of steps left empty in the last plans.
        silent: Turns in which the model stated that there is no answer.
    """

    turns: int
    first: int
    repaired: int
    failed: int
    steps: float
    empty: int
    silent: int = 0


def found_events(examined: CheckedPlan) -> list[NumberFound]:
    """Return an event for each number found: the words, the match with its score, and the runner-up."""
    found = []
    for place, step in enumerate(examined.written.steps):
        number = examined.found.get(place)
        if isinstance(step, ComputeStep) or number is None:
            continue
        if isinstance(number, SelectedCells):
            found.append(NumberFound(place + 1, query_of(step), number.label[:_LONGEST_LABEL], number.score))
        elif isinstance(number, TableMatch):
            runner_up = (number.runner_up, number.runner_up_score) if number.runner_up else (None, None)
            found.append(NumberFound(place + 1, query_of(step), number.label, number.score, *runner_up))
        else:
            found.append(NumberFound(place + 1, query_of(step), number.label))
    return found


def statistics(turns: Iterable[tuple[Sequence[Event], bool]]) -> PlanStatistics:
    """Compute the statistics of turns."""
    plan_turns = [
        (events, answered)
        for events, answered in turns
        if any(isinstance(event, PlanProposed) or _is_fault(event) for event in events)
    ]
    faultless = [not any(map(_is_fault, events)) for events, _ in plan_turns]
    silent = sum(not answered and any(isinstance(e, NoAnswerGiven) for e in events) for events, answered in plan_turns)
    proposed = ([event.plan for event in events if isinstance(event, PlanProposed)] for events, _ in plan_turns)
    plans = [plan for found in proposed if found and (plan := serial.restore(WorkflowPlan, found[-1])) is not None]
    return PlanStatistics(
        turns=len(plan_turns),
        first=sum(well and answered for well, (_, answered) in zip(faultless, plan_turns, strict=True)),
        repaired=sum(not well and answered for well, (_, answered) in zip(faultless, plan_turns, strict=True)),
        failed=sum(not answered for _, answered in plan_turns) - silent,
        steps=sum(len(plan.steps) for plan in plans) / len(plans) if plans else 0.0,
        empty=sum(len(tuple(_empty_fields(plan))) for plan in plans),
        silent=silent,
    )


def _is_fault(event: Event) -> bool:
    return isinstance(event, PlanRefused) or (isinstance(event, ReplyRejected) and event.wanted == WRITE_PLAN)
