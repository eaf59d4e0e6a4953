"""Workflow solver: a model writes a plan, which is looked up, run, and returned with its faults until it runs.

The prompt has the page by the names of its lines; the model copies only words from it, never numbers. If several
numbers in the text fit, it chooses one from a list. The solver keeps no state between turns.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import NumberPicked, PlanProposed, PlanRefused, as_object
from quaestor.core import serial
from quaestor.core.computing import compute_little
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document, Section
from quaestor.documents.table import Cell, Table
from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.structured.request import TypedRequest
from quaestor.plan.steps import Plan
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import (
    answer_from_plan,
    answer_without_value,
    no_answer_reason,
    remarks_with,
    shows_more,
)
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds, Explainer, passage_names
from quaestor.solvers.page_text import select_text
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked
from quaestor.solvers.workflow.checking import (
    WRITE_PLAN,
    CheckedPlan,
    LookedUp,
    check_workflow_plan,
    found_events,
    query_of,
    run_issues,
)
from quaestor.solvers.workflow.schema import ComputeStep, LookUpStep, NumberChoice, NumberPlan, WorkflowPlan
from quaestor.solvers.workflow.spec import WorkflowLimits
from quaestor.solvers.workflow.table_lookup import Axes, axes_of
from quaestor.solvers.workflow.text_lookup import TextMatch, format_match


@lru_cache(maxsize=4)
def rendered_system(all_kinds: bool = False, explains: bool = False, *, always_answer: bool = False) -> str:
    """Return the fixed part of the prompt: format and examples."""
    variables = {"all_kinds": all_kinds, "explains": explains, "always_answer": always_answer}
    return render("workflow/system", **variables)


def rendered_prompt(question: str, context: TurnContext, all_kinds: bool = False, explains: bool = False) -> str:
    """Return the page, the conversation so far and the question."""
    document = context.document
    several = document.tables if len(document.tables) > 1 else ()
    first = {document.section_of(table).path: table.index + 1 for table in reversed(several)}
    shown = select_text(document, question, context.memory, all_sentences=all_kinds)
    places = {(sentence.section, sentence.index) for sentence in shown.sentences}
    named = passage_names(document)
    return render(
        "workflow/plan",
        **briefing.prompt_variables(question, context),
        document=briefing.page_name(document),
        tables=[
            _table(table, axes, document, first) for table, axes in zip(document.tables, axes_of(document), strict=True)
        ],
        sections=[
            {"heading": _heading(section, first.get(section.path)), "sentences": texts}
            for section, sentences in document.text
            if (texts := [(named[at], s.text) for s in sentences if (at := (s.section, s.index)) in places])
        ],
        left_out=shown.left_out,
        all_kinds=all_kinds,
        explains=explains,
    )


def _heading(section: Section, table: int | None) -> str:
    """Return the headings of a section of text; only the table's number if they are already shown with that table."""
    named = briefing.heading(section)
    return "" if not named else f"Of table {table}" if table else f'Section "{named}"'


def _table(table: Table, axes: Axes, document: Document, first: Mapping[tuple[str, ...], int]) -> dict[str, object]:
    section, number = document.section_of(table), table.index + 1
    under = briefing.heading(section)
    scale = table.scale.value if table.scale not in (None, Scale.ONE) else ""
    return {
        "number": number if len(document.tables) > 1 else None,
        "section": under
        and (
            f'"{under}"' if first.get(section.path, number) == number else f"the section of table {first[section.path]}"
        ),
        "caption": table.caption.strip("() ") or scale,
        "columns": [line.shown for line in axes.columns.values()],
        "rows": [
            " | ".join((line.shown, *(cells if any(cell != "-" for cell in cells) else ())))  # a heading has none
            for row, line in axes.rows.items()
            for cells in [[_cell_text(table.cells[row][column]) for column in axes.columns]]
        ],
        "left_out": document.rows_left_out(table.index),
    }


def _cell_text(cell: Cell) -> str:
    """Return a cell as printed; if it has several numbers, each is followed by its position."""
    if cell.repair:
        return "-"
    if len(cell.quantities) < 2:
        return cell.text.strip() or "-"
    shown, rest = "", cell.text.strip()
    for number, quantity in enumerate(cell.quantities, 1):
        before, printed, rest = rest.partition(quantity.text)
        shown += f"{before}{printed} (number {number})"
    return shown + rest


_PHASE = "PLAN"
_POINTING_ATTEMPTS = 2


class WorkflowSolver:
    """Solver that asks the model for a plan."""

    name = "workflow"

    def __init__(self, limits: WorkflowLimits | None = None) -> None:
        self.limits = limits or WorkflowLimits()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the model's plan, without a value if the model states that there is none.

        The trace records every plan as JSON, its faults, and the results of its look-ups.
        """
        model = context.model_for()
        planning = Planning(model, context, question, self.limits)
        examined = await planning.run()
        written = examined.written
        if written.no_answer is not None:
            return answer_without_value(context, no_answer_reason(written.no_answer), written.thought_process)
        plan, doubts = await compute_little(planning.explained, examined)
        if not plan.steps:
            return answer_without_value(context, "not_on_page", NOTHING_BOUND)
        remarks = remarks_with(written.assumption, doubts)
        return await compute_little(answer_from_plan, plan, context, question=question, reason=remarks)


@dataclass(slots=True)
class Planning:
    """The plans of one turn."""

    connection: Connection
    context: TurnContext
    question: str
    limits: WorkflowLimits
    _kinds: AnswerKinds = field(init=False)
    _explainer: Explainer = field(init=False)
    _examined: CheckedPlan | None = field(init=False, default=None)
    _plans: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._kinds = AnswerKinds.of(self.context.read(self.question), self.context)
        self._explainer = Explainer(self.context)

    async def run(self) -> CheckedPlan:
        """Ask for plans until one has a result or states why there is none.

        If a model limited to numbers replies that the answer is not a number, it gets the prompt for all kinds of
        answers; if it finds no answer in an excerpt, it gets a wider one, once.
        """
        prompt = await self._prompt()
        message, left, again, phase = prompt, self.limits.repairs + 1, 0, _PHASE
        while True:
            examined, used = await self._ask(message, left, phase)
            written = examined.written
            if self._kinds.widen(written.no_answer):
                phase = f"{_PHASE}_all_kinds"
                message = prompt = await self._prompt()
                continue
            if await shows_more(self.context, self.question, written.no_answer, written.thought_process):
                phase = f"{_PHASE}_wider"
                message = prompt = await self._prompt()
                continue
            examined, issues = await self._decide(examined)
            if not issues:
                self.context.trace.extend(found_events(examined))
                return examined
            left, again = left - used, again + 1
            phase = f"{_PHASE}_again_{again}"
            self.context.trace.append(PlanRefused(_PHASE, self._plans, tuple(issues)))
            if left <= 0:
                raise ModelReplyError(f"gave up after {self.limits.repairs + 1} plans that cannot be run: {issues[0]}")
            plan = json.dumps(serial.dump(written), ensure_ascii=False)
            message = f"{prompt}\n\n{render('workflow/again', plan=plan, issues=issues)}"

    def explained(self, examined: CheckedPlan) -> tuple[Plan, tuple[str, ...]]:
        """Return the plan with its explanation, and remarks for the reader on both."""
        self._explainer.bind(examined.written.explanation, examined.plan.steps)
        plan = self._explainer.settle(examined.final_plan, examined.written.verdict)
        return plan, (*examined.remarks, *self._explainer.remarks(plan, examined.remarks))

    async def _prompt(self) -> str:
        kinds = self._kinds
        return await compute_little(rendered_prompt, self.question, self.context, kinds.all, kinds.explained)

    async def _ask(self, prompt: str, attempts: int, phase: str) -> tuple[CheckedPlan, int]:
        """Ask for a plan without faults, apart from open choices; return it with the number of replies used."""
        system = rendered_system(self._kinds.all, self._kinds.explained, always_answer=self.limits.always_answer)
        request = TypedRequest(
            self.connection,
            WorkflowPlan,
            WRITE_PLAN,
            "The plan that answers the question.",
            attempts=attempts,
            on_rejected=self.context.note_rejected,
            check=self._check,
            doubt=self._doubt,
            shown=None if self._kinds.all else NumberPlan,
        )
        await request.ask(prompt, phase, system)
        assert self._examined is not None
        return self._examined, request.rejected + 1

    def _check(self, written: WorkflowPlan) -> Sequence[str]:
        self._plans += 1
        self.context.trace.append(PlanProposed(self._plans, as_object(written)))
        examined = check_workflow_plan(written, self.question, self.context)
        examined = replace(examined, issues=examined.issues or self._kinds.faults(written.no_answer))
        if not examined.issues and drops_sign_unasked(examined.plan, self.context.read(self.question)):
            examined = replace(examined, remarks=(*examined.remarks, SIGN_DROPPED))
        self._examined = examined
        return examined.issues

    def _doubt(self, written: WorkflowPlan) -> Sequence[str]:
        """Return objections to an executable plan, which are raised once."""
        examined = self._examined
        assert examined is not None
        sign = [f"{SIGN_DROPPED}; leave absolute out, or write the same plan again"]
        sentences = None if written.no_answer else written.explanation
        return [
            *(sign if SIGN_DROPPED in examined.remarks else ()),
            *self._explainer.bind(sentences, examined.likeliest_plan.steps),
        ]

    async def _decide(self, examined: CheckedPlan) -> tuple[CheckedPlan, tuple[str, ...]]:
        """Ask the model for all open choices; return the plan, and the issues if it cannot be run."""
        if not examined.open:
            return examined, ()
        numbers: dict[int, LookedUp] = dict(examined.found)
        issues: list[str] = []
        for place, match in examined.open.items():
            step = examined.written.steps[place]
            assert not isinstance(step, ComputeStep)
            pointed = await self._point(place + 1, step, match)
            if pointed:
                numbers[place] = match.numbers[pointed - 1]
                self.context.trace.append(NumberPicked(place + 1, pointed, len(match.numbers)))
            else:
                issues.append(f"step {place + 1}: none of the numbers that fit {query_of(step)!r} was chosen")
        chosen = replace(examined, found=numbers, open={})
        return chosen, tuple(issues) or await compute_little(run_issues, chosen.plan, self.context)

    async def _point(self, step: int, sought: LookUpStep, match: TextMatch) -> int:
        """Ask the model to choose a number; return its position from 1, or 0 for none."""
        count = len(match.numbers)

        def check(choice: NumberChoice) -> Sequence[str]:
            return () if 0 <= choice.number <= count else (f"{choice.number} is not in the list; give 0 to {count}",)

        prompt = render(
            "workflow/point",
            question=self.question,
            step=step,
            sought=query_of(sought),
            numbers=[format_match(number) for number in match.numbers],
        )
        request = TypedRequest(
            self.connection,
            NumberChoice,
            "point_to",
            "Which of the listed numbers is meant.",
            attempts=_POINTING_ATTEMPTS,
            on_rejected=self.context.note_rejected,
            check=check,
        )
        return (await request.ask(prompt, f"POINT_step_{step}", render("workflow/pointing"))).number
