"""The rich record of one result: what it is, how it was computed, where its numbers stand."""

from dataclasses import dataclass
from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver answered to one question.

    Units: `value` is in units of `scale`: a looked-up `13.7 %` is 13.7 with `Scale.PERCENT`, a computed ratio or
        percentage change is a fraction with `Scale.ONE`.

    Attributes:
        value: The number; True or False for yes or no; None where the solver found no answer.
        scale: What one unit of the value stands for.
        unit: What is counted, where the document says it.
        description: What the number is ("change in net revenue from 2007 to 2008").
        entity: The row, column or thing that it is about ("net revenue").
        metric_type: `value`, `change`, `percentage_change`, `ratio`, `sum`, `average`, `product`, `comparison`.
        period: The period that it is about, where there is one.
        formula: The arithmetic for people ("(206588 - 181001) / 181001").
        plan: The steps.
        sources: Every cell and span that the number rests on, earlier turns' included, each once.
        confidence: The solver's probability that the answer is right, where it gives one.
        reason: Why there is no answer, or what a reader should doubt.
    """

    value: Decimal | bool | None
    scale: Scale = Scale.ONE
    unit: str | None = None
    description: str = ""
    entity: str | None = None
    metric_type: str = "value"
    period: Period | None = None
    formula: str = ""
    plan: Plan | None = None
    sources: tuple[Source, ...] = ()
    confidence: float | None = None
    reason: str | None = None
