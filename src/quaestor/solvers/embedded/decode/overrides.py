"""Rules that overrule the ranking: few, each with its reason.

The benchmark takes a relative change in two turns, the difference and then its share of the base, so the ranker hardly
ever saw one asked at once. Neither a difference nor an amount of the page answers who asks for the percentage change:
of 229 turns of the labelled files that surely ask for one, none is a look-up of what is no percentage.
"""

import re
from dataclasses import replace

from quaestor.questions.question import Question
from quaestor.solvers.embedded.state.dialogue import PLAIN, TurnAction

_ASKED = "kg:PatternPercentageChange"
_COMPARES = re.compile(r"differen|points?\b|compar|\bless\b|minus")
"""Of these the difference itself is asked: "the difference between the two percentage changes"."""


def is_ruled_out(question: Question, outcome: TurnAction) -> bool:
    """Returns whether an outcome only looks an amount up where the question asks for a percentage change."""
    if outcome.operation != "lookup" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return False
    return not outcome.counts.percent


def apply_overrides(question: Question, outcome: TurnAction) -> TurnAction:
    """Returns the outcome, a difference made a relative change where the question asks for the percentage change.

    A ratio less one is relative already, and stays.
    """
    if outcome.operation != "subtract" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return outcome
    base = outcome.operands[1]
    if outcome.value is None or base.value == 0 or (base.kind == "constant" and base.value == 1):
        return outcome
    return replace(outcome, operation="percentage_change", value=outcome.value / base.value, counts=PLAIN)
