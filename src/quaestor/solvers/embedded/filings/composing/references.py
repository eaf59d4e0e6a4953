"""Earlier answers that a question refers to: "the first", "both", "the gap between the two"."""

from quaestor.core.patterns import lazy_regex
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion
from quaestor.solvers.embedded.filings.past import Node, is_printed_twice

_TWO = r"(?:both|(?:the|those|these) two|them|those|these)"
_NAMES_TWO = lazy_regex(rf"\b{_TWO}\b")
_BOTH_TOGETHER = lazy_regex(
    r"\b(?:both|(?:the|those|these) two)(?: of (?:them|these|those))? (?:together|combined|added up|in sum|in total)\b"
)
_ONLY_BOTH = lazy_regex(
    r"(?:\W|\b(?:and|so|now|ok|then|total|sum|of|all|if|added|the|those|these|are|is|were|was|as)\b)*"
    r"\b(?:both|two|together|combined|total)\b(?:\W|\b(?:of|them|these|those|together|combined|are|is|were|was|as)\b)*"
)
"""Operands that are only the last two answers: "those two plus cash", "together as a share of sales"."""
_GAP = lazy_regex(
    rf"\b(?:gap|differences?|spread|apart)\b|\bnet of {_TWO}\b"
    rf"|\b(?:change|drop|rise|swing|increase|decrease) between {_TWO}\b"
)
_ORDINAL = lazy_regex(r"\b(?:(?P<earlier>first|former)|second|latter)\b")


def names_two(text: str) -> bool:
    """Return whether a question in lower case refers to two earlier things."""
    return bool(_NAMES_TWO.search(text))


def asks_for_gap(text: str) -> bool:
    """Return whether a question in lower case asks for the difference of two earlier numbers."""
    return bool(_GAP.search(text))


def list_last_two(question: BoundQuestion, *, alike: bool = False) -> tuple[Node, Node] | None:
    """Return the last two numbers, the earlier one first; None unless they measure different things.

    Args:
        alike: Whether to skip numbers of another kind than the last one before it: prices between amounts.
    """
    last = question.last
    if last is None or not last.measured:
        return None
    if len(last.measured) == 2 and last.form in ("members", "compare"):
        nodes: tuple[Node, ...] = last.measured
    else:
        singles = [past.measured[0] for past in question.before if len(past.measured) == 1]
        kinds = [{leaf.series.kind or "money" for leaf in node.leaves() if leaf.series} for node in singles]
        places = [place for place in range(1, len(singles)) if kinds[place] == kinds[0]] if alike else [1]
        if last.measured[0] not in singles or not places or places[0] >= len(singles):
            return None
        nodes = (singles[places[0]], singles[0])
    one, other = nodes
    return None if one.shape() == other.shape() or is_printed_twice(one, other) else (one, other)


def find_referred(question: BoundQuestion, place: int = 0) -> Node | None:
    """Return the earlier measurement that an operand without a name refers to; None if it is the last answer."""
    operands = question.reading.operands
    text = operands[place].text if len(operands) > 1 else question.text
    if _BOTH_TOGETHER.search(question.text) or (len(operands) > 1 and _ONLY_BOTH.fullmatch(text)):
        both = list_last_two(question, alike=True)
        return None if both is None else Node("sum", parts=both)
    if (two := list_last_two(question)) is None:
        return None
    ordinal = _ORDINAL.search(text)
    return None if ordinal is None else two[0] if ordinal["earlier"] else two[1]
