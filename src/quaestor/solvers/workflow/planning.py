"""The rounds of one turn: a plan is asked for, looked up, run, and given back with its faults until it can be run.

Owns the bound on replies and what the model is told. A number of the text that words alone do not decide is pointed at
by the model, in a list; it never writes one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.prompts import render
from quaestor.solvers.asking.ask import ask
from quaestor.solvers.asking.replies import opening
from quaestor.solvers.base import TurnContext
from quaestor.solvers.workflow.briefing import rendered_prompt, rendered_system
from quaestor.solvers.workflow.checking import Examined, examine, run_issues
from quaestor.solvers.workflow.lowering import Number, query_of
from quaestor.solvers.workflow.record import PHASE, as_json, found_lines, plan_line
from quaestor.solvers.workflow.schema import ComputeStep, Pointing, WorkflowPlan
from quaestor.solvers.workflow.spec import WorkflowLimits
from quaestor.solvers.workflow.text_lookup import TextMatch, shown

_POINTING_ATTEMPTS = 2


@dataclass(slots=True)
class Planning:
    """The plans of one turn.

    Attributes:
        connection: The model.
        context: The turn.
        question: What is asked.
        limits: How long it may take.
    """

    connection: Connection
    context: TurnContext
    question: str
    limits: WorkflowLimits
    _examined: Examined | None = field(init=False, default=None)
    _plans: int = field(init=False, default=0)

    async def run(self) -> Examined:
        """Returns a plan that has a result.

        Raises:
            ModelReplyError: None was found within the bounds.
            OutageError: The model cannot be asked.
        """
        prompt = rendered_prompt(self.question, self.context)
        told, left, again = prompt, self.limits.repairs + 1, 0
        while True:
            examined, used = await self._ask(told, left, f"{PHASE}_again_{again}" if again else PHASE)
            examined, issues = await self._decided(examined)
            if not issues:
                self.context.trace.extend(found_lines(examined))
                return examined
            left, again = left - used, again + 1
            self.context.trace.append(f"{PHASE}, plan {self._plans} cannot be run: {'; '.join(issues)}")
            if left <= 0:
                raise ModelReplyError(f"after {self.limits.repairs + 1} plans that could not be run: {issues[0]}")
            told = f"{prompt}\n\n{render('workflow/again', plan=as_json(examined.written), issues=issues)}"

    async def _ask(self, prompt: str, attempts: int, phase: str) -> tuple[Examined, int]:
        """Returns a plan without faults but for what is still to be chosen, and how many replies it took."""
        trace = self.context.trace
        faults = len([line for line in trace if line.startswith(f"{phase}, reply")])
        await ask(
            self.connection,
            WorkflowPlan,
            opening(rendered_system(), prompt),
            name="write_plan",
            description="The plan that answers the question.",
            phase=phase,
            attempts=attempts,
            trace=trace,
            check=self._check,
        )
        assert self._examined is not None
        used = len([line for line in trace if line.startswith(f"{phase}, reply")]) - faults + 1
        return self._examined, used

    def _check(self, written: WorkflowPlan) -> Sequence[str]:
        self._plans += 1
        self.context.trace.append(plan_line(self._plans, written))
        self._examined = examine(written, self.question, self.context)
        return self._examined.issues

    async def _decided(self, examined: Examined) -> tuple[Examined, tuple[str, ...]]:
        """Returns the plan with every number chosen, and why it cannot be run, if so."""
        if not examined.open:
            return examined, ()
        numbers: dict[int, Number] = dict(examined.numbers)
        issues: list[str] = []
        for place, match in examined.open.items():
            step = examined.written.steps[place]
            assert not isinstance(step, ComputeStep)
            pointed = await self._point(place + 1, examined, match)
            if pointed:
                numbers[place] = match.numbers[pointed - 1]
                self.context.trace.append(f"step {place + 1}: pointed to {pointed} of {len(match.numbers)} numbers")
            else:
                issues.append(f"step {place + 1}: none of the numbers that fit {query_of(step)!r} is the one meant")
        chosen = replace(examined, numbers=numbers, open={})
        return chosen, tuple(issues) or run_issues(chosen.plan, self.context)

    async def _point(self, step: int, examined: Examined, match: TextMatch) -> int:
        """Returns the place from 1 of the number that the model means, or 0 if it means none of them."""
        count = len(match.numbers)

        def check(said: Pointing) -> Sequence[str]:
            return () if 0 <= said.number <= count else (f"{said.number} is not in the list: say 0 to {count}",)

        prompt = render(
            "workflow/point",
            question=self.question,
            plan=as_json(examined.written),
            step=step,
            numbers=[shown(number) for number in match.numbers],
        )
        said = await ask(
            self.connection,
            Pointing,
            opening(render("workflow/pointing"), prompt),
            name="point_to",
            description="Which of the listed numbers is meant.",
            phase=f"POINT_step_{step}",
            attempts=_POINTING_ATTEMPTS,
            trace=self.context.trace,
            check=check,
        )
        return said.number
