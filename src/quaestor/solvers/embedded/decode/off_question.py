"""Plans that do another thing than a question asks for: an amount for its change, a sum for a ratio.

The ranker weighs what it has seen, and now and then a likely number outweighs what the question says. These few turns
of phrase leave no choice, on a benchmark's page and in a filing alike: the labelled turns of ConvFinQA bear each of
them out, and what they have against it is told beside it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import TurnAction

_NOUN = r"change|increase|decrease|decline|growth|rise|drop|fall|reduction|movement|improvement|swing"
_VERB = r"change|increase|decrease|decline|ris[ei]n?|fall(?:en)?|gr[eo]wn?|drop|improve|shrink|move"
_CHANGE = re.compile(
    rf"\b(?:{_NOUN}) (?!in control)(?:in|of|from|over|between|since|during)\b"
    rf"|\bhow much (?:did|has|have|do|does) .+ (?:{_VERB})(?:d|ped)?\b"
)
_OF_CHANGE = re.compile(rf"\bof (?:the|this|that) (?:{_NOUN})\b|\bdue to\b|\b(?:{_NOUN}) (?:then )?represent")
"""A part of a change is no change of its own, nor is what it is a share of."""
CHANGES = frozenset(
    stems(
        "change increase decrease decline growth variance rise drop fall reduction improvement movement grew rose fell"
    )
)
"""Words, without their ending, that speak of a change."""
_VERB_FIRST = re.compile(
    r"^(?:and|so|but|then)?,? ?(?:is|was|are|were|do|does|did|has|have|had|can|could|will|would)\b"
)
_RATIO = re.compile(r"\bratio of\b")
_NO_RATIOS = frozenset({"add", "subtract", "multiply", "sum", "average"})
_PERCENTAGE = re.compile(r"\b(?:what|which) (?:is |was |were |are )?(?:the )?(?:percent|portion|share|proportion)")
_COUNT = re.compile(r"\bhow many\b|\bnumber of\b")
_TOTAL = re.compile(
    r"^(?:and |so |then |but )?(?:[^?]{0,60}, )?(?:what|how much) (?:is|was|were|are|would be)(?:, then,| then|,)? "
    r"(?:the |that |this |their |its )?(?:full |combined |overall |grand )*(?:total|sum)\b"
)
_OVER = re.compile(
    r"percent|portion|ratio|average|\bper\b|relation|divided|\bover\b|share of|return|number of|proportion|times"
    r"|multipl"
)
_PRICE = re.compile(r"\bprice\b|\b(?:cost|value) per\b|\beach\b")
_PRODUCT = re.compile(r"\btimes\b|\bproduct\b|\bmultipl|\bconvert|\bvalue\b")


def is_off_question(question: Question, outcome: TurnAction, taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Return whether a plan does another thing than the question asks for.

    Args:
        taken: The number of the page that each operand is or looked up; -1 of what is none.
    """
    asked = _asked(question)
    match outcome.operation:
        case "lookup":
            # Of the eight labelled turns that ask for yes or no none looks a number up.
            return asked.yes_or_no or (asked.change and _is_amount_for_change(taken, leaves))
        case "divide":
            return (
                (asked.percentage and _is_amount_over_percentage(taken, leaves))
                or (asked.total and _is_ratio_for_total(outcome, taken, leaves))
                or (asked.price and _is_count_for_price(taken, leaves))
                or (asked.average and _is_ratio_for_average(outcome))
            )
        case "multiply" if asked.count and _is_product_for_count(taken, leaves):
            return True
    return asked.ratio and outcome.operation in _NO_RATIOS


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question surely asks for."""

    change: bool
    yes_or_no: bool
    ratio: bool
    percentage: bool
    total: bool
    price: bool
    average: bool
    count: bool


@lru_cache(maxsize=64)
def _asked(question: Question) -> _Asked:
    text = question.lowered
    return _Asked(
        change=asks_for_change(question),
        # Most questions begin otherwise, and then need not be read for it.
        yes_or_no=_VERB_FIRST.search(text) is not None and question.wants.kind == "yes_no",
        ratio=_asks_for_ratio(question),
        percentage=_PERCENTAGE.search(text) is not None,
        total=_TOTAL.search(text) is not None and not _OVER.search(text),
        price=_PRICE.search(text) is not None,
        # Of nothing that is named.
        average="average" in text and not question.names,
        count=_COUNT.search(text) is not None and not _PRODUCT.search(text),
    )


@lru_cache(maxsize=64)
def asks_for_change(question: Question) -> bool:
    """Return whether a question asks how far one thing changed: "the increase in debt", "how much did sales fall"."""
    return bool(_CHANGE.search(question.lowered)) and not _OF_CHANGE.search(question.lowered)


def _is_amount_for_change(taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether, where a change is asked for, neither label nor sentence of what is looked up speaks of one.

    Of 709 turns that ask for one 21 are answered by a look-up, of numbers that are a change as they are printed.
    """
    return all(leaf >= 0 and not _speaks_of_change(leaf, leaves) for leaf in taken)


def _speaks_of_change(leaf: int, leaves: NumberMatrix) -> bool:
    number = leaves.leaves[leaf]
    return number.moved or bool(CHANGES & {*number.row, *number.column, *number.around})


def _asks_for_ratio(question: Question) -> bool:
    """Whether "the ratio of" one to another is asked for, and not how far apart ratios are.

    Of 47 turns that say so one is answered by a difference, and it speaks of "the common ratio of 9.5 %".
    """
    asked = _RATIO.search(question.lowered)
    return asked is not None and "differen" not in question.lowered[: asked.start()] and not asks_for_change(question)


def _is_amount_over_percentage(taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether "what percentage" is answered by an amount over a percentage, or the reverse. Of 546 turns none is."""
    if len(taken) != 2 or min(taken) < 0:
        return False
    first, second = (bool(leaves.counts[leaf].percent) for leaf in taken)
    return first is not second


def _is_ratio_for_total(outcome: TurnAction, taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether "what was the total" is answered by one number over another, neither of them a constant or a percentage.

    Of 509 turns none is: four divide by a thousand, a million or a percentage.
    """
    if any(operand.kind == "constant" for operand in outcome.operands):
        return False
    return not any(leaf >= 0 and leaves.counts[leaf].percent for leaf in taken)


def _is_count_for_price(taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether a price is answered by a count of things over what was paid for them."""
    if len(taken) != 2 or min(taken) < 0:
        return False
    first, second = taken
    return bool(leaves.counted[first]) and not leaves.counts[first].money and leaves.counts[second].money


def _is_ratio_for_average(outcome: TurnAction) -> bool:
    """Whether "the average", of nothing that is named, is answered by one number of the page over another.

    Of 47 turns none is.
    """
    return all(operand.kind == "leaf" for operand in outcome.operands)


def _is_product_for_count(taken: Sequence[int], leaves: NumberMatrix) -> bool:
    """Whether a number of things is asked for and two numbers of the page are multiplied, none of them a percentage.

    Of 158 turns none is that does not say "times", "product" or the like.
    """
    return all(leaf >= 0 and not leaves.counts[leaf].percent for leaf in taken)
