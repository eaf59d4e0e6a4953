"""What a question asks for, by the question patterns of the ontology's core: metric type, scale, sign.

The patterns are defined in `ontology/core.ttl`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.ontology.core import QuestionPattern, question_words, read_core

SEVERAL = frozenset({"kg:PatternSum", "kg:PatternSumOfYears", "kg:PatternAverage", "kg:PatternAverageNamed"})
"""Question patterns of the core for several numbers taken together."""

_DOLLARS = lazy_regex(r"\bin (?:full |us |u\.s\. )*dollars\b")


@dataclass(frozen=True, slots=True)
class ScoredMetric:
    """Metric type that a question may ask for.

    Attributes:
        score: The certainty of the pattern, from 0 to 1.
    """

    metric_type: str
    score: float
    pattern: str


def scored_metrics(patterns: Iterable[QuestionPattern], previous: str | None) -> tuple[ScoredMetric, ...]:
    """Return the metric types that a question may ask for, most certain first; never empty.

    Args:
        previous: The metric type of the previous turn, which decides what "and in 2008?" asks for; None in the first
            turn.
    """
    best: dict[str, ScoredMetric] = {}
    for pattern in patterns:
        metric_type = (previous or "value") if pattern.again else pattern.metric_type
        if metric_type is None or (pattern.after and previous not in pattern.after):
            continue
        if metric_type not in best or best[metric_type].score < pattern.weight:
            best[metric_type] = ScoredMetric(metric_type, pattern.weight, pattern.name)
    return tuple(sorted(best.values(), key=lambda metric: (-metric.score, metric.metric_type)))


def matching_patterns(text: str) -> tuple[QuestionPattern, ...]:
    """Return the core's patterns that match a text."""
    words = question_words(text)
    return tuple(pattern for pattern in read_core().patterns if pattern.matches(words))


def asked_scale(patterns: Iterable[QuestionPattern]) -> Scale | None:
    """Return the scale that a question names ("in millions"), or None."""
    return next((Scale(pattern.scale) for pattern in patterns if pattern.scale), None)


def asked_power(text: str, scale: Scale | None) -> float | None:
    """Return the power of ten that a question asks for ("in dollars" is 0), or None.

    Args:
        text: The question in lower case.
    """
    if scale is not None and scale is not Scale.PERCENT:
        return float(math.log10(scale.factor))
    return 0.0 if _DOLLARS.search(text) else None
