"""The input and the output of the composers: a question bound to series, and a plan that may answer it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.plan.steps import Plan
from quaestor.questions.understanding import ParsedQuestion, QuestionOperand
from quaestor.solvers.embedded.filings.past import COMPARATIVES, PastAnswer

_LEAST = 1e-6
"""Added to probabilities to avoid the logarithm of 0."""

_EXCLUDED = lazy_regex(
    r"(?:\b(?:outside(?: of)?|other than|except(?: for)?|besides|apart from|beyond|leav(?:e|ing) out|excluding)"
    r"|^(?:and )?(?:after|behind|next to)(?= [^\d,]{2,40}, (?:who|which|what|in which)\b)) (?:the )?"
    r"((?:[a-z]\.){2,4}|[\w'&-]{2,30}(?: states| kingdom)?)"
)

_INTENTS_OF_FORM: Mapping[str, tuple[str, ...]] = {
    "value": ("lookup", "text_fact"), "before": ("lookup", "text_fact"), "measure": ("lookup", "ratio"),
    "ratio": ("ratio", "share"), "share": ("share", "ratio"), "difference": ("change",), "members": ("list",),
    "compare": ("comparison", "yesno"), "verdict": ("yesno", "comparison"), "parts": ("two_part",),
    "words": ("text_fact", "why", "description"),
}  # fmt: skip
"""Intents of questions that are answered in a form, if the form is not named like the intent."""


@dataclass(frozen=True, slots=True)
class BoundOperand:
    """Candidate series of an operand.

    Attributes:
        share: Its probability.
        features: The features by which it was ranked.
    """

    series: Series
    share: float
    features: Mapping[str, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Plan that may answer a question.

    Attributes:
        score: The logarithm of its probability.
        form: The kind of computation: `value`, `growth`, `ratio`.
        series: The series of its numbers.
        features: Input of the confidence model.
    """

    plan: Plan
    score: float
    form: str
    series: tuple[Series, ...]
    moments: tuple[Moment, ...]
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """Question with the candidate series of its operands: the input of all composers.

    Attributes:
        intents: The probability of each intent.
        operands: The series that each operand may mean, likeliest first.
        base: The time of the previous turn, or the latest.
        before: The last answers that were read from the document, latest first.
        falls: Whether the last question asked for a decrease.
        bind: Returns the series that other words may mean.
    """

    reading: ParsedQuestion
    table: FactTable
    intents: Mapping[str, float]
    operands: tuple[tuple[BoundOperand, ...], ...]
    moments: tuple[Moment, ...]
    base: Moment
    before: tuple[PastAnswer, ...]
    falls: bool
    bind: Callable[[QuestionOperand], tuple[BoundOperand, ...]]

    @property
    def text(self) -> str:
        """The question in lower case, with a marker for each line that it quotes."""
        return self.reading.operation_text

    @property
    def own(self) -> bool:
        """Whether the question names something to measure."""
        return any(self.names(place) for place in range(len(self.reading.operands)))

    def names(self, place: int) -> bool:
        """Return whether an operand names something to measure, instead of only an operation."""
        operands = self.reading.operands
        if place >= len(operands):
            return False
        named = set(operands[place].terms) - COMPARATIVES
        # "% of sales in the later one" names only sales.
        of_whole = len(operands) == 2 and place == 0 and self.reading.relation in ("ratio", "part")
        return bool(named) and not (of_whole and self.last is not None and named <= set(operands[1].terms))

    @property
    def left_out(self) -> frozenset[str]:
        """The terms of the excluded member: "outside the US", "after Japan, which country is largest?"."""
        found = _EXCLUDED.search(self.text)
        return frozenset(terms(found[1])) if found else frozenset()

    @property
    def last(self) -> PastAnswer | None:
        """The last answer that was read from the document."""
        return self.before[0] if self.before else None

    @property
    def looks_ahead(self) -> bool:
        """Whether all named times are in the future, so that schedules of payments apply."""
        return bool(self.moments) and min(self.moments).end > self.table.latest.end

    @property
    def wanted(self) -> Sequence[Moment]:
        """The named times, else that of the previous turn; empty if there is none."""
        if self.moments:
            return self.moments
        return (self.last.anchor,) if self.last is not None and self.last.anchor is not None else ()

    @property
    def first_wanted(self) -> Moment:
        """The first named time, else that of the previous turn, else the latest."""
        return (*self.wanted, self.table.latest)[0]


def list_intents(form: str) -> tuple[str, ...]:
    """Return the intents of questions that are answered in a form, the usual one first."""
    return _INTENTS_OF_FORM.get(form, (form,))


def log_share(share: float) -> float:
    """Return the logarithm of a probability that may be 0."""
    return log(share + _LEAST)


def softmax(scores: Sequence[float]) -> list[float]:
    """Return probabilities in proportion to the exponentials of scores."""
    best = max(scores, default=0.0)
    odds = [exp(score - best) for score in scores]
    return [one / sum(odds) for one in odds]
