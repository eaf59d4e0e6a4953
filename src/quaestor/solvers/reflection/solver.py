"""Reflection solver: a draft is judged before it becomes the answer.

This module defines the rounds: when a draft is accepted, when another is worthwhile, and which draft is the best. The
solver keeps no state between turns.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, Protocol

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import (
    Drafted,
    DraftSettled,
    EvidenceFound,
    NoAnswerGiven,
    NotDrafted,
    Trace,
    VerdictGiven,
    VerdictMissing,
)
from quaestor.core.computing import compute_little
from quaestor.errors import OutageError, PlanError, SolverError
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import RankingSolver, Solver, TurnContext
from quaestor.solvers.reflection.evidence import select_binding_findings
from quaestor.solvers.reflection.experts import DraftProposal, RankedExpert, SolverExpert
from quaestor.solvers.reflection.spec import ReflectionOptions

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
        outcomes: A verdict or an error message for each critic that was asked.
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
        """Run the rounds; return the accepted or else the best one, or the reason for no answer.

        Raises:
            SolverError: No draft was written.
            PlanError: The plan of a solver has no result, and there is no earlier draft.
            OutageError: A model is not available.
        """
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
        """Judge a draft, and record the round."""
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
