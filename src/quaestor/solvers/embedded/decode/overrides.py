"""Rules that overrule the ranking: few, each with its reason.

The benchmark takes a relative change in two turns, the difference and then its share of the base, so the ranker hardly
ever saw one asked at once. Neither a difference nor an amount of the page answers who asks for the percentage change:
of 229 turns of the labelled files that surely ask for one, none is a look-up of what is not a percentage.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from quaestor.questions.developments import as_change, as_share
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.state.dialogue import PLAIN, TurnAction

_ASKED = "kg:PatternPercentageChange"
_COMPARES = re.compile(
    r"differen|points?\b|compar|\bless\b|minus|\babsolute\b"
    r"|\bin (?:the )?(?:percent(?:age)?|%) of (?!(?:the )?(?:change|increase|decrease|decline|growth))"
)
"""Of these the difference itself is asked: "the difference between the two percentage changes", "the change in the
percentage of sales"."""


_IN_PERCENT = re.compile(r"\b(?:in|by) (?:percent\b|per cent\b|%)|\bpercentage[- ]?wise\b|\bin percentage terms\b")
_SHARE = re.compile(
    r"\b(?:percent(?:age)?|share|proportion|fraction) of\b|% of\b|\bas a (?:percent|share|proportion|%)"
)
_VERB = r"\b(?:is|are|was|were|did|does|do|has|had)\b"
_SHARE_OF = re.compile(
    r"\b(?:(?:as a |what |which )?(?:percent(?:age)?|share|proportion|fraction|part|portion|%)|(?P<much>how much)) of "
    rf"(?:(?!{_VERB}).)+?(?(much)(?=\s*{_VERB} (?:it|that|this|they|these|those)\b)"
    rf"|(?=$|[?.,]|{_VERB} (?:it|that|this|they|these|those)\b))"
)
_FROM_TO = re.compile(
    r"\b(?:from|between)\b[a-z\s]{0,60}((?:19|20)\d\d)\b[a-z\s]{0,60}\b(?:to|and)\b[a-z\s]{0,60}((?:19|20)\d\d)\b"
)
_ONE_OF_TWO = re.compile(r"differen|\b(?:less|more|fewer|minus)\b")
"""What is compared as it is named, and did not change from one to the other."""
_CHANGES = frozenset({"subtract", "percentage_change"})
_CONSTANTS_ASKED = re.compile(r"thousand|million|billion|percent|%|average|\bmean\b|\bhalf\b|twice|double|index|invest")
_YEAR_WORDS = re.compile(
    r"\b(?:prior|previous|preceding|last|next|following|same|year|years|fiscal|earlier|before|ago)\b"
)
_AMOUNTS = frozenset({"lookup", "subtract", "add", "sum", "average"})


def in_benchmark_words(question: Question) -> Question:
    """Return a filing's question in the words that the weights know: those of reports, a development as a change."""
    worded = as_share(as_change(in_words_of_reports(question.text)))
    return question if worded == question.text else read_question(worded)


def in_order_of_years(question: Question, outcome: TurnAction, years: Sequence[int]) -> TurnAction:
    """Return a filing's change from the year that the question says to the other, else from the earlier to the later.

    Args:
        years: Of its operands, 0 if none is known.
    """
    if outcome.operation not in _CHANGES or outcome.value is None or len(years) != 2 or years[0] == years[1]:
        return outcome
    named = _FROM_TO.search(question.lowered)
    if named is not None:
        turned = tuple(years) == (int(named[1]), int(named[2]))
    else:
        developed = question.order == "later first" and not _ONE_OF_TWO.search(question.lowered)
        turned = developed and 0 < years[0] < years[1]
    if not turned:
        return outcome
    new, old = outcome.operands[1], outcome.operands[0]
    difference = new.value - old.value
    value = difference if outcome.operation == "subtract" else difference / old.value if old.value else None
    return outcome if value is None else replace(outcome, operands=(new, old), value=value)


def asks_share_of_last(question: Question) -> bool:
    """Return whether the last answer is asked for as a share of what the question names: "as a percentage of it?"."""
    named = _SHARE_OF.search(question.lowered)
    return named is not None and not stems(question.lowered[: named.start()] + " " + question.lowered[named.end() :])


def asks_for_other_year(question: Question) -> bool:
    """Return whether the last look-up is asked for at another year, and nothing else: "and in the prior year?"."""
    left = _YEAR_WORDS.sub(" ", question.lowered)
    return bool(question.years or question.offsets) and not stems(left)


def is_amount_for_percentage(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome is an amount where a filing is asked for a percentage, in so many words."""
    asked = _IN_PERCENT.search(question.lowered) or _SHARE.search(question.lowered)
    return bool(asked) and outcome.operation in _AMOUNTS and not outcome.counts.percent


def has_unasked_constant(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome calculates with a number that a filing's question neither says nor hints at."""
    if _CONSTANTS_ASKED.search(question.lowered):
        return False
    said = {*question.numbers, *question.counts}
    return any(operand.kind == "constant" and operand.value not in said for operand in outcome.operands)


def with_change_asked(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome for a filing, a ratio of two amounts made the change that is asked for in percent."""
    relative = outcome.operation == "divide" and _ASKED in question.pattern_names and outcome.value is not None
    if not relative or any(operand.kind == "constant" for operand in outcome.operands):
        return outcome
    return replace(outcome, operation="percentage_change", value=(outcome.value or 0.0) - 1, counts=PLAIN)


def with_percentage_asked(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome for a filing, a difference made a relative change: "how much more than 2020, in percent?"."""
    if not _IN_PERCENT.search(question.lowered) or outcome.operation != "subtract" or outcome.counts.percent:
        return outcome
    return _relative(outcome)


def is_ruled_out(question: Question, outcome: TurnAction) -> bool:
    """Return whether an outcome only looks an amount up where the question asks for a percentage change."""
    if outcome.operation != "lookup" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return False
    return not outcome.counts.percent


def apply_overrides(question: Question, outcome: TurnAction) -> TurnAction:
    """Return the outcome, a difference made a relative change where the question asks for the percentage change.

    A ratio less one is relative already, and stays.
    """
    if outcome.operation != "subtract" or _ASKED not in question.pattern_names or _COMPARES.search(question.lowered):
        return outcome
    return _relative(outcome)


def _relative(outcome: TurnAction) -> TurnAction:
    base = outcome.operands[1]
    if outcome.value is None or base.value == 0 or (base.kind == "constant" and base.value == 1):
        return outcome
    return replace(outcome, operation="percentage_change", value=outcome.value / base.value, counts=PLAIN)
