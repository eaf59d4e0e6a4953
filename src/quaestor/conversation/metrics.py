"""What a question asks for, by the patterns of the ontology's core: metric type, scale, sign.

Owns the choice among the patterns that match. The patterns themselves are in `ontology/core.ttl`.
"""

from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.quantity import Scale
from quaestor.ontology.core import read_core
from quaestor.ontology.patterns import QuestionPattern, question_words


@dataclass(frozen=True, slots=True)
class ScoredMetric:
    """A metric type that a question may ask for.

    Attributes:
        metric_type: A name of `Core.metric_types`.
        score: How sure the pattern is, 0 to 1.
        pattern: The pattern's name.
    """

    metric_type: str
    score: float
    pattern: str


def classify_metric_type(question: str, previous: str | None = None) -> tuple[ScoredMetric, ...]:
    """Returns the metric types that a question may ask for, surest first; there is always one.

    Args:
        question: As asked.
        previous: The metric type of the turn before, which decides what "and in 2008?" asks for. None for the first.
    """
    best: dict[str, ScoredMetric] = {}
    for pattern in matching_patterns(question):
        asked = (previous or "value") if pattern.again else pattern.metric_type
        if asked is None or (pattern.after and previous not in pattern.after):
            continue
        if asked not in best or best[asked].score < pattern.weight:
            best[asked] = ScoredMetric(asked, pattern.weight, pattern.name)
    return tuple(sorted(best.values(), key=lambda metric: (-metric.score, metric.metric_type)))


@lru_cache(maxsize=4096)
def matching_patterns(question: str) -> tuple[QuestionPattern, ...]:
    """Returns the patterns of the core that are in a question, by name."""
    words = question_words(question)
    return tuple(pattern for pattern in read_core().patterns if pattern.matches(words))


def asked_scale(question: str) -> Scale | None:
    """Returns the scale that a question names ("in millions"), or None."""
    return next((Scale(pattern.scale) for pattern in matching_patterns(question) if pattern.scale), None)


def asks_magnitude(question: str) -> bool:
    """Returns whether a question wants the sign dropped; no other question does."""
    return any(pattern.magnitude for pattern in matching_patterns(question))
