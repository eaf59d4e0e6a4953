"""Around a solver that asks a model: it answers as often as is wanted, and the answer says how sure it is.

What speaks for an answer and against it is counted here; `calibration` weighs it.
"""

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
from quaestor.solvers.reflection.evidence import examine_plan, hard
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.spec import ConfidenceOptions

_OFFERED = 20
"""How many answers of the ranking solver are looked at."""

_TIED = 2.0
"""Points of a look-up's score, of 100, that its runner-up may be behind and count as a tie."""


@dataclass(slots=True)
class _Sample:
    """One answer of the model, with what happened on the way; or why there is none."""

    context: TurnContext
    answer: Answer | None = None
    failure: Exception | None = None

    @property
    def key(self) -> str:
        return "" if self.answer is None else result_key(self.answer)


@dataclass(slots=True)
class RatedSolver:
    """A solver whose answers are measured.

    Attributes:
        ranking: Who says how likely each result is; it asks no model.
    """

    inner: Solver
    ranking: RankingSolver
    options: ConfidenceOptions
    name: str = field(init=False)
    _calibration: AnswerCalibration | None = field(init=False)

    def __post_init__(self) -> None:
        """Read the calibration, where one is named."""
        self.name, named = self.inner.name, self.options.calibration
        self._calibration = None if named is None else read_calibration(Path(named))

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer; by a calibration with a confidence, and without a value below what is asked.

        Of several samples it is the first of those with the result that most have; no answer is a result too.
        """
        samples = [await self._sample(question, context) for _ in range(self.options.samples)]
        votes = Counter(sample.key for sample in samples)
        chosen = max(samples, key=lambda sample: votes[sample.key])  # of equals the first
        _take_over(context, chosen, samples)
        if chosen.answer is None:
            assert chosen.failure is not None
            raise chosen.failure
        answer = chosen.answer
        if answer.value is None or not (self.options.measure or self._calibration):
            return answer
        agreeing = (votes[chosen.key], len(samples))
        found = await compute(measured, answer, question, context, self.ranking, agreeing)
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


def _take_over(context: TurnContext, chosen: _Sample, samples: Sequence[_Sample]) -> None:
    """Make what happened in the chosen sample what happened in the turn; used is what all of them did."""
    if chosen.context is context:
        return
    context.trace.extend(chosen.context.trace)
    context.tool_calls.extend(chosen.context.tool_calls)
    context.document, context.graph = chosen.context.document, chosen.context.graph
    before = context.usage
    for sample in samples:
        context.usage = context.usage + sample.context.usage.since(before)


def measured(
    answer: Answer, question: str, context: TurnContext, ranking: RankingSolver, samples: tuple[int, int] = (1, 1)
) -> AnswerMeasured:
    """Return what can be counted of an answer.

    Args:
        samples: How many of the model's answers came to this result, and how many there were.
    """
    agreement, rank = _agreement(answer, question, context, ranking)
    numbers = NumberIndex(context.graph)
    findings = examine_plan(answer.plan, question, context.memory, numbers) if answer.plan is not None else ()
    events = tuple(_flat(context.trace))
    return AnswerMeasured(
        agreement=agreement,
        rank=rank,
        findings=len(findings),
        facts=len(hard(findings)),
        ties=sum(map(_is_tie, events)),
        repairs=sum(isinstance(event, PlanRefused | ReplyRejected) for event in events),
        agreeing=samples[0],
        samples=samples[1],
    )


def result_key(answer: Answer) -> str:
    """Return what an answer comes to, the same text for the same result; "" of none."""
    return "" if answer.value is None else value_to_text(answer.value)


def _agreement(answer: Answer, question: str, context: TurnContext, ranking: RankingSolver) -> tuple[float, int]:
    """The probability that the ranking solver gives the answer's result, and which of its results it is; 0 of none."""
    wanted = result_key(answer)
    try:
        offered = ranking.answers(question, replace(context, trace=Trace()))
        for rank, other in enumerate(islice(offered, _OFFERED), start=1):
            if result_key(other) == wanted:
                return round(other.confidence or 0.0, 6), rank
    except NO_ANSWER_ERRORS:
        return 0.0, 0  # a page without numbers: it has nothing to say
    return 0.0, 0


def _flat(events: Iterable[Event]) -> Iterable[Event]:
    for event in events:
        if isinstance(event, ExpertEvent):
            yield from _flat((event.event,))
        else:
            yield event


def _is_tie(event: Event) -> bool:
    if not isinstance(event, LookedUp) or event.score is None or event.runner_up_score is None:
        return False
    return event.score - event.runner_up_score <= _TIED
