"""Cascade solver: asks its stages in order until one is confident enough.

The conversation has one history, whichever stage answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.conversation.events import StageAnswered, StageEvent, Trace
from quaestor.errors import OutageError, SolverError
from quaestor.llm.usage import Usage
from quaestor.solvers.base import NO_ANSWER_ERRORS, Solver, TurnContext
from quaestor.solvers.cascade.spec import role_of


@dataclass(frozen=True, slots=True)
class Stage:
    """One solver of a cascade.

    Attributes:
        least: The minimum confidence of its answers; None for the last stage, whose answer is always accepted.
    """

    solver: Solver
    least: float | None = None

    def takes(self, answer: Answer) -> bool:
        """Return whether to accept an answer of this stage; one without a confidence counts as 0."""
        if self.least is None:
            return True
        return answer.value is not None and (answer.confidence or 0.0) >= self.least


class CascadeSolver:
    """Solver that asks several solvers in order."""

    name = "cascade"

    def __init__(self, stages: Sequence[Stage], *, show_doubts: bool = False, abstain_below: float = 0.0) -> None:
        self.stages, self._show_doubts, self._abstain_below = tuple(stages), show_doubts, abstain_below

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the first stage that is confident enough, else that of the last.

        If the last stage fails, the most confident earlier answer is used, and its `reason` says so. An answer below
        `abstain_below` is returned without its value.
        """
        return self._withhold(await self._ask_stages(question, context))

    def _withhold(self, answer: Answer) -> Answer:
        sure = answer.confidence or 0.0
        if answer.value is None or sure >= self._abstain_below:
            return answer
        measured = "its probability is unknown" if answer.confidence is None else f"its probability is {sure:.2f}"
        why = f"withheld: {show_number(answer)}; {measured}, below {self._abstain_below:g}"
        return replace(answer, value=None, reason=why)

    async def _ask_stages(self, question: str, context: TurnContext) -> Answer:
        unsure: list[Answer] = []
        for number, stage in enumerate(self.stages, start=1):
            last = number == len(self.stages)
            doubts = doubts_of(unsure[-1]) if self._show_doubts and unsure else ()
            try:
                answer = await self._ask_stage(number, question, context, doubts)
            except OutageError:
                raise
            except NO_ANSWER_ERRORS as failure:
                if not last:
                    continue
                surest = max(unsure, key=lambda found: found.confidence or 0.0, default=None)
                if surest is None:
                    raise
                remark = f"unsure, but the {stage.solver.name} stage found nothing better: {failure}"
                return replace(surest, reason="; ".join(filter(None, (surest.reason, remark))))
            if stage.takes(answer):
                return answer
            if answer.value is not None:
                unsure.append(answer)
        raise SolverError("the cascade has no stages")

    async def _ask_stage(self, number: int, question: str, context: TurnContext, doubts: Sequence[str]) -> Answer:
        """Return the answer of a stage and record it, even if it fails."""
        stage, role = self.stages[number - 1], role_of(number)
        solver, outer = stage.solver, context.trace
        inner = replace(
            context,
            model=context.models.get(role, context.model),
            feedback=(*context.feedback, *doubts),
            trace=Trace(lambda event: outer.append(StageEvent(number, solver.name, event))),
        )
        before, begun = _usage_so_far(inner), perf_counter()
        answer, error = Answer(None), None
        try:
            answer = await solver.solve(question, inner)
        except Exception as failure:
            error = str(failure)
            raise
        finally:
            # Parts of a long document that a stage has found are kept for the turn.
            context.document, context.graph, context.usage = inner.document, inner.graph, inner.usage
            used = _usage_so_far(inner).since(before)
            context.trace.append(
                StageAnswered(
                    stage=number,
                    solver=solver.name,
                    accepted=error is None and stage.takes(answer),
                    shown=show_number(answer) if answer.value is not None else None,
                    confidence=answer.confidence,
                    least=stage.least,
                    error=error,
                    seconds=round(perf_counter() - begun, 6),
                    usage=used.counts() if used != Usage() else {},
                )
            )
        return answer


def _usage_so_far(context: TurnContext) -> Usage:
    """The usage of the turn so far; one meter counts all models of a run."""
    connection = context.model or next(iter(context.models.values()), None)
    if connection is None:
        return context.usage
    from quaestor.llm.transcript import current_place  # without a model nothing of `llm` is loaded

    return context.usage + connection.meter.turn(current_place())


def doubts_of(answer: Answer) -> tuple[str, ...]:
    """Describe an answer for the next stage: its value, its confidence and the next most likely reading."""
    named = f" ({answer.description})" if answer.description else ""
    sure = "its probability is unknown" if answer.confidence is None else f"its probability is {answer.confidence:.2f}"
    found = f"it was {show_number(answer)}{named}; {sure}"
    others = (
        f"the next most likely reading was {other.shown}{f' ({other.description})' if other.description else ''}"
        for other in answer.other_readings[:1]
    )
    return (found, *others)
