"""The last answer held against an earlier one: "the average?", "and in 2007?", "was it greater than the average?"."""

import re

from quaestor.conversation.memory import Memory
from quaestor.core.stop_words import STOP_WORDS
from quaestor.core.words import search_words
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.questions.question import Question

_MORE = r"(?:greater|higher|more|larger|bigger|above)"
_LESS = r"(?:less|lower|smaller|fewer|below)"
_FORM = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:is|are|was|were) (?:it|that|this|they|these|those) "
    rf"(?:(?P<more>{_MORE})|{_LESS})(?: than)? (?:the|that|this) (?P<other>[^?.!,]+?)[\s?.!]*"
)


def comparison_plan(question: Question, memory: Memory) -> Plan | None:
    """Return the plan that holds the last answer against the earlier one that is named; None if that is unclear.

    Args:
        memory: The turns before.
    """
    found = _FORM.fullmatch(" ".join(question.lowered.split()))
    if found is None or question.periods or question.numbers or not memory.answers:
        return None
    wanted = _telling(found["other"])
    turns = len(memory.answers)
    named = [turn for turn in range(turns - 1) if wanted and wanted <= _telling(memory.asked[turn].lowered)]
    if len(named) != 1 or any(memory.answers[turn].number is None for turn in (named[0], turns - 1)):
        return None
    last, other = Ref(-1), Ref(named[0] - turns)
    return Plan((Compute(1, "greater", (last, other) if found["more"] else (other, last)),))


def _telling(text: str) -> set[str]:
    return set(search_words(text)) - STOP_WORDS
