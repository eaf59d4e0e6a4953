"""What a question asks for, by the question patterns of the ontology's core: metric types.

The patterns are defined in `ontology/core.ttl`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from quaestor.ontology.core import QuestionPattern, question_words, read_core

SEVERAL = frozenset({"kg:PatternSum", "kg:PatternSumOfYears", "kg:PatternAverage", "kg:PatternAverageNamed"})
"""Question patterns of the core for several numbers taken together."""


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
