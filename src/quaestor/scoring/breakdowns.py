"""The classes that judged turns are split by, of each kind of reference."""

from collections.abc import Callable, Mapping

from quaestor.scoring.scorers import PROGRAMS, STATED, Measures
from quaestor.scoring.taxonomy import TurnKind

_BREAKDOWNS: Mapping[str, Mapping[str, Callable[[TurnKind], str]]] = {
    PROGRAMS.right: {
        "turn": lambda kind: f"turn {kind.index + 1}",
        "operation": lambda kind: kind.operation,
        "origin": lambda kind: kind.origin.value,
        "conversation": lambda kind: "Double" if kind.joined else "Single",
    },
    STATED.right: {
        "answer": lambda kind: kind.stated.kind if kind.stated else "",
        "source": lambda kind: kind.stated.source if kind.stated else "",
        "form": lambda kind: kind.stated.form if kind.stated else "",
        "answer and source": lambda kind: f"{kind.stated.kind}, {kind.stated.source}" if kind.stated else "",
    },
}
"""By what the turns are split, by the scorer that says whether they are right."""


def classes_of_kind(kind: TurnKind, measures: Measures) -> dict[str, str]:
    """Returns the class of a kind of turn in each breakdown, by the breakdown's property."""
    return {by: name(kind) for by, name in _BREAKDOWNS[measures.right].items()}


def breakdowns_of(measures: Measures) -> tuple[str, ...]:
    """Returns the properties that turns are split by."""
    return tuple(_BREAKDOWNS[measures.right])
