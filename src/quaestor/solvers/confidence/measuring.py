"""What speaks for an answer of a model, and against it: counted, nothing weighed."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from quaestor.conversation.answer import Answer
from quaestor.conversation.event_lines import Trace
from quaestor.conversation.events import AnswerMeasured, Event, ExpertEvent, LookedUp, PlanRefused, ReplyRejected
from quaestor.core.answer_value import value_to_text
from quaestor.errors import GraphError, PlanError, QuantityError, SolverError
from quaestor.solvers.base import RankingSolver, TurnContext
from quaestor.solvers.reflection.evidence import examine_plan, hard
from quaestor.solvers.reflection.numbers import NumberIndex

_OFFERED = 20
"""How many answers of the ranking solver are looked at."""

_TIED = 2.0
"""Points of a look-up's score, of 100, that its runner-up may be behind and count as a tie."""


def measured(
    answer: Answer, question: str, context: TurnContext, ranking: RankingSolver, samples: tuple[int, int] = (1, 1)
) -> AnswerMeasured:
    """Return what can be counted of an answer.

    Args:
        context: The turn, with all that happened in it.
        ranking: Says how likely it finds each result.
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
    except (SolverError, PlanError, GraphError, QuantityError):
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
