"""Reflection solver: a draft is judged before it becomes the answer.

Drafts are written by a model (see `model_roles`) or by another solver, which revises its answer after objections or
offers its next most likely one. The rounds decide when a draft is accepted, when another is worthwhile, and which draft
is the best. The solver keeps no state between turns.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, Protocol

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import (
    Drafted,
    DraftSettled,
    EvidenceFound,
    ExpertEvent,
    NoAnswerGiven,
    NotDrafted,
    Trace,
    VerdictGiven,
    VerdictMissing,
)
from quaestor.core.computing import compute, compute_little
from quaestor.errors import OutageError, PlanError, SolverError
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import RankingSolver, Solver, TurnContext
from quaestor.solvers.briefing import format_answer
from quaestor.solvers.reflection.evidence import (
    Finding,
    checked_words,
    examine_plan,
    plan_computes,
    select_binding_findings,
)
from quaestor.solvers.reflection.numbers import NumberIndex, place_code
from quaestor.solvers.reflection.spec import ReflectionOptions

_MOST_CELLS = 40
"""Limit of cells written out for a list."""


@dataclass(frozen=True, slots=True)
class DraftProposal:
    """A draft with its steps, result and findings."""

    plan: Plan
    words: str
    steps: tuple[str, ...]
    result: str
    findings: tuple[Finding, ...]
    remark: str | None = None
    stated_answer: str | None = None

    @property
    def checked(self) -> tuple[str, ...]:
        """The checks that were applied, whatever they found."""
        return checked_words(self.plan)

    @property
    def computes(self) -> bool:
        """Whether there is a calculation to judge."""
        return plan_computes(self.plan)


def proposal_of(answer: Answer, question: str, context: TurnContext) -> DraftProposal:
    """Convert a solver's answer to a proposal; in a long document, add its sources to the excerpt."""
    if answer.plan is None:
        raise SolverError(f"the expert answers without a plan: {answer.reason or 'no reason given'}")
    plan = answer.plan
    if answer.sources:
        context.widen(answer.sources)
    findings = examine_plan(plan, question, context.memory, NumberIndex(context.graph))
    steps = plan_steps(plan)
    return DraftProposal(plan, "\n".join(steps), steps, result_words(plan, question, context), findings, answer.reason)


def plan_steps(plan: Plan) -> tuple[str, ...]:
    """Format the steps of a plan: `1. net revenue, 2008 = 206588 (T0R1C1)`, `2. subtract #1, #-1`."""
    return tuple(f"{step.id}. {_step_words(step)}" for step in plan.steps)


def _step_words(step: Extract | Compute) -> str:
    if isinstance(step, Compute):
        return f"{step.operation} {', '.join(map(_operand_words, step.operands))}"
    sign = " without its sign" if step.reading == "magnitude" else ""
    printed = step.text if step.quantity is None else step.quantity.text or step.quantity.value
    return f"{step.label[:80]} = {printed}{sign} ({place_code(step.source)})"


def _operand_words(operand: Operand) -> str:
    if isinstance(operand, Ref):
        return f"#{operand.step}"
    if isinstance(operand, CellGroup):
        cells = zip(operand.labels, operand.values, operand.sources, strict=True)
        listed = (f"{label[:40]} = {value.text or value.value} ({place_code(place)})" for label, value, place in cells)
        return f"the list {operand.text[:80]!r} [{'; '.join(islice(listed, _MOST_CELLS))}]"
    return operand.text.removeprefix("const_") if isinstance(operand, Constant) else f"the row {operand.text!r}"


def result_words(plan: Plan, question: str, context: TurnContext) -> str:
    """Format the result of a plan as shown in the conversation, percentages in percent, or the error."""
    try:
        return format_answer(answer_from_plan(plan, context, question=question))
    except PlanError as error:
        return f"none, {error}"


@dataclass
class SolverExpert:
    """A solver that is asked again with the objections."""

    question: str
    context: TurnContext
    solver: Solver
    revises = True

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the plan of the solver's next answer, or the reason for no answer."""
        context, trace = self.context, Trace()
        inner = replace(
            context, model=context.models.get("expert", context.model), feedback=tuple(objections), trace=trace
        )
        try:
            answer = await self.solver.solve(self.question, inner)
        finally:
            context.trace.extend(ExpertEvent(number, self.solver.name, event) for event in trace)
        given = next((event for event in trace if isinstance(event, NoAnswerGiven)), None)
        if answer.plan is None and given is not None:
            return given
        return await compute(proposal_of, answer, self.question, context)


@dataclass
class RankedExpert:
    """A solver that ranks several answers: each draft is the next most likely answer."""

    question: str
    context: TurnContext
    answers: Iterator[Answer]
    revises = False

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | None:
        """Return the plan of the next answer; None if there are no more."""
        del objections  # a ranking solver cannot use objections
        answer = await compute(next, self.answers, None)
        if answer is None and number == 1:
            raise SolverError(f"no plan fits the question {self.question[:80]!r}")
        return await compute(proposal_of, answer, self.question, self.context) if answer else None


_MOST, _LONGEST = 20, 1000
"""Limits of a critic's recorded sentences, and of characters in each."""

_MOST_OFFERED = 20
"""Limit of answers offered by a solver that ranks them."""

Duty = Literal["extraction", "calculation"]
"""What a critic judges: the extracted numbers, or the calculation."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A critic's verdict on a draft."""

    reasoning: str
    is_correct: bool
    issues: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


class Expert(Protocol):
    """Writes drafts and revises them. One expert serves one turn."""

    revises: bool
    """Whether later drafts take objections into account; otherwise earlier drafts are more likely."""

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the next draft, or the reason for no answer; None if there are no more drafts."""
        ...


Critics = Callable[[DraftProposal, int], Awaitable[Mapping[Duty, Verdict | str]]]
"""Function that judges a draft by its number: a verdict, or an error message, for each critic that was asked."""


async def no_critics(_proposal: DraftProposal, _number: int, /) -> Mapping[Duty, Verdict | str]:
    """Return no verdicts, so that only the computed checks decide."""
    return {}


@dataclass(frozen=True, slots=True)
class Round:
    """One draft with its verdicts and findings.

    Attributes:
        repeated: Whether the expert repeated an earlier draft despite the objections.
    """

    number: int
    proposal: DraftProposal
    outcomes: Mapping[Duty, Verdict | str]
    repeated: bool = False

    @property
    def verdicts(self) -> Mapping[Duty, Verdict]:
        """The usable verdicts."""
        return {duty: outcome for duty, outcome in self.outcomes.items() if isinstance(outcome, Verdict)}

    @property
    def missing(self) -> Mapping[Duty, str]:
        """The critics without a usable verdict, with the error."""
        return {duty: outcome for duty, outcome in self.outcomes.items() if isinstance(outcome, str)}

    @property
    def accepted(self) -> bool:
        """Whether the draft is the answer.

        All critics must approve, and no fact may speak against it. If a rule of reading does, the expert must have
        repeated the draft, so that critics have seen both.
        """
        findings = self.proposal.findings
        if (
            self.missing
            or select_binding_findings(findings)
            or not all(verdict.is_correct for verdict in self.verdicts.values())
        ):
            return False
        return not findings or (self.repeated and bool(self.verdicts))

    @property
    def objections(self) -> tuple[str, ...]:
        """The objections to the draft, one sentence each, for the expert."""
        objections = [finding.words for finding in self.proposal.findings]
        for duty, verdict in self.verdicts.items():
            if not verdict.is_correct:
                objections += [f"the {duty} critic: {issue.strip()}" for issue in verdict.issues if issue.strip()]
                objections += [
                    f"the {duty} critic would change: {change.strip()}" for change in verdict.changes if change.strip()
                ]
        return tuple(objections)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the draft was not accepted, for readers: objections, missing critics, and checks that it passed."""
        if not self.missing:
            return self.objections or ("it was not repeated",)
        silent = [f"the {duty} critic gave no usable verdict" for duty in self.missing]
        if self.proposal.findings:
            return (*self.objections, *silent)
        checked = ", ".join(self.proposal.checked)
        return (*self.objections, *silent, f"computed evidence found nothing against it ({checked})" if checked else "")

    @property
    def weight(self) -> tuple[int, int, int, int]:
        """Badness of the draft, for comparison: facts, rejections by critics, all findings, missing critics."""
        findings = self.proposal.findings
        against = sum(not verdict.is_correct for verdict in self.verdicts.values())
        return len(select_binding_findings(findings)), against, len(findings), len(self.missing)


@dataclass(slots=True)
class ReflectionRounds:
    """The rounds of one turn."""

    expert: Expert
    critics: Critics
    limits: ReflectionOptions
    trace: Trace
    finished_rounds: list[Round] = field(default_factory=list)

    async def play(self) -> Round | NoAnswerGiven:
        """Run the rounds; return the accepted or else the best one, or the reason for no answer."""
        while True:
            number = len(self.finished_rounds) + 1
            try:
                proposal = await self.expert.draft(
                    number, self.finished_rounds[-1].objections if self.finished_rounds else ()
                )
                if isinstance(proposal, NoAnswerGiven):
                    return proposal
                if proposal is not None:
                    await self._judge(number, proposal)
            except OutageError:
                raise
            except (SolverError, PlanError) as failure:
                if not self.finished_rounds:
                    raise
                self.trace.append(NotDrafted(number, str(failure)))
                proposal = None
            if proposal is None or self.finished_rounds[-1].accepted or not self._worth_another():
                return self._settle_round()

    async def _judge(self, number: int, proposal: DraftProposal) -> None:
        self.trace.append(Drafted(number, proposal.steps, proposal.result, proposal.stated_answer, proposal.checked))
        self.trace.extend(EvidenceFound(number, found.kind, found.step, found.text) for found in proposal.findings)
        repeated = any(earlier.proposal.plan.steps == proposal.plan.steps for earlier in self.finished_rounds)
        judged = Round(number, proposal, await self.critics(proposal, number), repeated)
        for duty, verdict in judged.verdicts.items():
            issues, changes = _bounded(verdict.issues), _bounded(verdict.changes)
            self.trace.append(VerdictGiven(number, duty, verdict.is_correct, issues, changes))
        self.trace.extend(VerdictMissing(number, duty, error) for duty, error in judged.missing.items())
        self.finished_rounds.append(judged)

    def _worth_another(self) -> bool:
        round_count = len(self.finished_rounds)
        if not self.finished_rounds[-1].objections:
            return False  # only a verdict is missing, which another draft cannot fix
        if round_count < self.limits.max_iterations:
            return True
        return (
            1 < round_count < self.limits.hard_limit
            and self.finished_rounds[-1].weight < self.finished_rounds[-2].weight
        )

    def _settle_round(self) -> Round:
        best = last = self.finished_rounds[-1]
        if not last.accepted:
            order = -1 if self.expert.revises else 1
            best = min(self.finished_rounds, key=lambda judged: (judged.weight, order * judged.number))
        self.trace.append(DraftSettled(best.number, len(self.finished_rounds), accepted=last.accepted))
        return best


def _bounded(sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(sentence[:_LONGEST] for sentence in sentences[:_MOST])


class ReflectionSolver:
    """Solver that drafts, has the draft judged, and revises it."""

    name = "reflection"

    def __init__(self, limits: ReflectionOptions | None = None, expert: Solver | None = None) -> None:
        """Create the solver; without `expert` a model writes the drafts."""
        self.limits = limits or ReflectionOptions()
        self.expert = expert

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the accepted draft, else of the best one, whose `reason` says that it is contested.

        If the expert's model finds no answer, the answer has no value. The trace records every draft, finding and
        verdict. Without a model only the computed checks decide.
        """
        rounds = ReflectionRounds(
            self._expert(question, context), self._critics(question, context), self.limits, context.trace
        )
        best = await rounds.play()
        if isinstance(best, NoAnswerGiven):
            return answer_without_value(context, best.reason, best.explanation)
        remarks = [best.proposal.remark] if best.proposal.remark else []
        if not best.accepted:
            drafts, doubts = len(rounds.finished_rounds), "; ".join(filter(None, best.doubts))
            remarks.append(f"contested after {drafts} draft{'s' * (drafts != 1)}: {doubts[:1000]}")
        elif best.proposal.findings:
            remarks.append("approved all the same: " + "; ".join(f.words for f in best.proposal.findings))
        reason = "; ".join(remarks) or None
        return await compute_little(answer_from_plan, best.proposal.plan, context, question=question, reason=reason)

    def _expert(self, question: str, context: TurnContext) -> Expert:
        if self.expert is None:
            from quaestor.solvers.reflection.model_roles import ModelExpert

            return ModelExpert(question, context, self.limits.repairs + 1, always_answer=self.limits.always_answer)
        if isinstance(self.expert, RankingSolver):
            return RankedExpert(question, context, islice(self.expert.answers(question, context), _MOST_OFFERED))
        return SolverExpert(question, context, self.expert)

    def _critics(self, question: str, context: TurnContext) -> Critics:
        if context.model is None and not context.models:
            return no_critics
        from quaestor.solvers.reflection.model_roles import CriticRoles  # without a model nothing of `llm` is loaded

        return CriticRoles(question, context, self.limits.repairs + 1).judge
