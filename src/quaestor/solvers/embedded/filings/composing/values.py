"""Single numbers: what is printed, what a measure's formula gives, what was measured before at another time."""

from collections.abc import Iterator, Sequence
from math import log

from quaestor.facts.moments import Moment
from quaestor.solvers.embedded.filings.composing.meant import Meant, mean_again, mean_swapped, read_whole
from quaestor.solvers.embedded.filings.composing.question import Proposal, Question, Terms, log_share

_MOST = 8
_OTHER_TIME = 0.6
"""How sure a number is that is of the latest time, not of the one that was talked about."""


def moments_to_try(question: Question) -> Sequence[Moment | None]:
    """Return the times at which one number may be wanted, in order; None is the latest."""
    if question.moments:
        return question.moments[:1]
    return (*question.wanted[:1], None)


def spell_value(question: Question, meant: Meant, terms: Terms, label: str = "") -> str | None:
    """Return the formula of something at the time that is asked for; None if there is no number."""
    for rank, moment in enumerate(moments_to_try(question)):
        text = meant.spell(moment, terms, label)
        if text is not None:
            terms.score += rank * log(_OTHER_TIME)
            return text
    return None


def propose_values(question: Question) -> Iterator[Proposal]:
    """Yield what a question may mean as one number; of several times that are named it is a list, if at all."""
    if len(question.moments) > 1:
        return
    for meant in (*read_whole(question)[:_MOST], *repeat_measured(question)):
        terms = Terms(question.table)
        text = spell_value(question, meant, terms)
        if text is not None and (
            made := terms.proposal(text, "value" if meant.kind == "series" else meant.kind, log_share(meant.share))
        ):
            yield made


def repeat_measured(question: Question) -> Iterator[Meant]:
    """Yield what was computed last, for the member that the question names."""
    if question.last is not None and question.own:
        yield from mean_swapped(question, question.last)
    elif question.last is not None and question.moments and question.last.form in ("sum", "average"):
        yield mean_again(question.last.measured[0], 0.3)
