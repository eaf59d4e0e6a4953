"""Solver wrapper that samples a model's answers and measures their confidence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import AnswerMeasured, Event, ExpertEvent, LookedUp, PlanRefused, ReplyRejected, Trace
from quaestor.conversation.turn import ToolCall
from quaestor.core.answer_value import value_to_text
from quaestor.core.computing import compute
from quaestor.errors import OutageError
from quaestor.solvers.base import NO_ANSWER_ERRORS, RankingSolver, Solver, TurnContext
from quaestor.solvers.confidence.calibration import AnswerCalibration, read_calibration
from quaestor.solvers.reflection.evidence import examine_plan, select_binding_findings
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.spec import ConfidenceOptions

_OFFERED = 20
"""Number of answers of the ranking solver to compare with."""

_TIED = 2.0
"""Difference in look-up score, out of 100, up to which the runner-up counts as a tie."""


@dataclass(slots=True)
class _Sample:
    """One answer of the model with its context, or the error if there is none."""

    context: TurnContext
    answer: Answer | None = None
    failure: Exception | None = None

    @property
    def key(self) -> str:
        return "" if self.answer is None else result_key(self.answer)


@dataclass(slots=True)
class RatedSolver:
    """A solver whose answers are measured."""

    inner: Solver
    ranking: RankingSolver
    options: ConfidenceOptions
    name: str = field(init=False)
    _calibration: AnswerCalibration | None = field(init=False)

    def __post_init__(self) -> None:
        self.name, named = self.inner.name, self.options.calibration
        self._calibration = None if named is None else read_calibration(Path(named))

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer; a calibration adds a confidence and withholds answers below `abstain_below`.

        Of several samples the first with the most frequent result is returned; no answer counts as a result.
        """
        samples = [await self._sample(question, context) for _ in range(self.options.samples)]
        votes = Counter(sample.key for sample in samples)
        chosen = max(samples, key=lambda sample: votes[sample.key])  # the first if several are equally frequent
        _adopt_sample(context, chosen, samples)
        if chosen.answer is None:
            assert chosen.failure is not None
            raise chosen.failure
        answer = chosen.answer
        if answer.value is None or not (self.options.measure or self._calibration):
            return answer
        agreeing = (votes[chosen.key], len(samples))
        found = await compute(measure_answer, answer, question, context, self.ranking, agreeing)
        context.trace.append(found)
        if self._calibration is None:
            return answer
        sure = round(self._calibration.confidence(found), 6)
        if sure < self.options.abstain_below:
            why = f"withheld: the model's answer has a probability of {sure:.2f}, below {self.options.abstain_below:g}"
            return replace(answer, value=None, confidence=sure, reason=why)
        return replace(answer, confidence=sure)

    async def _sample(self, question: str, context: TurnContext) -> _Sample:
        if self.options.samples == 1:
            return _Sample(context, await self.inner.solve(question, context))
        calls: list[ToolCall] = []
        own = _Sample(replace(context, trace=Trace(), tool_calls=calls))
        try:
            own.answer = await self.inner.solve(question, own.context)
        except OutageError:
            raise
        except NO_ANSWER_ERRORS as failure:
            own.failure = failure
        return own


def _adopt_sample(context: TurnContext, chosen: _Sample, samples: Sequence[_Sample]) -> None:
    """Copy the trace, tool calls and document of the chosen sample into the turn, and the usage of all samples."""
    if chosen.context is context:
        return
    context.trace.extend(chosen.context.trace)
    context.tool_calls.extend(chosen.context.tool_calls)
    context.document, context.graph = chosen.context.document, chosen.context.graph
    before = context.usage
    for sample in samples:
        context.usage = context.usage + sample.context.usage.since(before)


def measure_answer(
    answer: Answer, question: str, context: TurnContext, ranking: RankingSolver, samples: tuple[int, int] = (1, 1)
) -> AnswerMeasured:
    """Measure an answer."""
    agreement, rank = _agreement(answer, question, context, ranking)
    numbers = NumberIndex(context.graph)
    findings = examine_plan(answer.plan, question, context.memory, numbers) if answer.plan is not None else ()
    events = tuple(_flatten(context.trace))
    return AnswerMeasured(
        agreement=agreement,
        rank=rank,
        findings=len(findings),
        facts=len(select_binding_findings(findings)),
        ties=sum(map(_is_tie, events)),
        repairs=sum(isinstance(event, PlanRefused | ReplyRejected) for event in events),
        agreeing=samples[0],
        samples=samples[1],
    )


def result_key(answer: Answer) -> str:
    """Return the result of an answer as text, equal for equal results; "" if there is no value."""
    return "" if answer.value is None else value_to_text(answer.value)


def _agreement(answer: Answer, question: str, context: TurnContext, ranking: RankingSolver) -> tuple[float, int]:
    """Return the ranking solver's probability and rank of the answer's result; 0 if it does not give that result."""
    wanted = result_key(answer)
    try:
        offered = ranking.answers(question, replace(context, trace=Trace()))
        for rank, other in enumerate(islice(offered, _OFFERED), start=1):
            if result_key(other) == wanted:
                return round(other.confidence or 0.0, 6), rank
    except NO_ANSWER_ERRORS:
        return 0.0, 0  # a page without numbers
    return 0.0, 0


def _flatten(events: Iterable[Event]) -> Iterable[Event]:
    for event in events:
        if isinstance(event, ExpertEvent):
            yield from _flatten((event.event,))
        else:
            yield event


def _is_tie(event: Event) -> bool:
    if not isinstance(event, LookedUp) or event.score is None or event.runner_up_score is None:
        return False
    return event.score - event.runner_up_score <= _TIED
