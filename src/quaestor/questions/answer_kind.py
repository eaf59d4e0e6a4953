"""The kind of answer that a question asks for: a number, yes or no, a name, names, numbers, a count, or words.

The default is a number, because most questions ask for one.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.questions.developments import asks_for_development
from quaestor.questions.selection import QuestionSelection, read_selection

AskedKind = Literal["number", "yes_no", "label", "labels", "numbers", "count", "span"]
"""`label` is the name of a line, column, year or entity; `labels` are several of them; `numbers` are several numbers in
the order of the question; `span` is a span of text.
"""

_LEAD = r"^(?:(?:and|so|then|now|but|also|ok|okay|please|well)\b[\s,]*)*"
_SEVERAL = lazy_regex(r"\brespective(?:ly)?\b")
_WORDS = lazy_regex(
    rf"{_LEAD}(?:[^?,]{{0,40}}, )?(?:"
    r"why\b|where\b|who(?:se|m)?\b|when\b(?! .*\bby how much)"
    r"|how\s+(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would|often|come)\b)(?! much| many)"
    r"|(?:from|to|at|on|under|with|by)\s+(?:where|whom|which\s+\w+\s+(?:is|are|was|were))\b"
    r"|what\s+(?:does|do|did)\s+.+?\b(?:mean|represent(?=\s*\??$)|reflect|show|include|consist|comprise|refer|relate|allow"
    r"|require|exclude|contain|depend|result)\b"
    r"|what\s+(?:caused?|led|drove|drives|factors?|reasons?|method|type|types|kind|happens|happened|determines)\b"
    r"|what\s+(?:is|are|was|were)\s+(?:the\s+)?(?:(?:primary|main|key|major)\s+)?"
    r"(?:reasons?|causes?|meaning|definition|purpose|nature|description|drivers?)\b"
    r"|what\s+(?:is|are|was|were)\s+(?:included|excluded)\s+(?:in|from|among)\b"
    r"|what\s+(?:is|are|was|were|has|have|had)\s+.*\b(?:based on|due to|attributable to|related to|attributed to"
    r"|caused by|driven by|influenced by|affected by|defined(?: as)?|referred to|used for|from)\s*\??$"
    r"|what\s+(?:is|are)\s+(?:meant by\b|an?\s+[\w&-]+(?:\s[\w&-]+)?\s*\??$))"
)


@dataclass(frozen=True, slots=True)
class RequestedAnswer:
    """The answer that a question asks for.

    Attributes:
        selection: The selection that determines the answer, if any.
    """

    kind: AskedKind = "number"
    selection: QuestionSelection | None = None


@lru_cache(maxsize=1024)
def read_answer_kind(text: str) -> RequestedAnswer:
    """Return the kind of answer that a lower-case question asks for.

    >>> read_answer_kind("in which year were sales highest?").kind
    'label'
    >>> read_answer_kind("what was the highest price?").kind
    'number'
    """
    selection = read_selection(text)
    if _SEVERAL.search(text) and (selection is None or selection.form == "yes_no"):
        return RequestedAnswer("numbers")
    if selection is None:
        return RequestedAnswer("span" if _WORDS.search(text) and not asks_for_development(text) else "number")
    if selection.form == "yes_no":
        return RequestedAnswer("yes_no", selection)
    if selection.form == "count":
        return RequestedAnswer("count", selection)
    if selection.form == "members":
        return RequestedAnswer("labels", selection)
    condition = selection.condition
    one = condition.extreme is not None and condition.many < 2 and not (selection.several and not condition.compared)
    return RequestedAnswer("label" if one else "labels", selection)
